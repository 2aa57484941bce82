/* Writes neighbouring iterations of a loop that strides by the block, with their elements in one
 * access. */
#include "refactor/transformations/stride_vector/widening.h"

#include "base/memory.h"
#include "refactor/transformations/coarsen/coarsen_access.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/stride_vector/formula.h"

#include <stdlib.h>
#include <string.h>

typedef struct renaming {
    ht_widening *in;
    ht_writer *writer;
    const char *name;          /* in place of the counter's; NULL: it stays */
    const ht_vectors *vectors; /* accesses that are elements of values; NULL: none */
} renaming;

static bool on_place(const ht_syntax *node, void *context) {
    renaming *with = context;
    char *element = ht_vectors_element(with->vectors, node, with->in->each);
    if (element) {
        ht_writer_swap(with->writer, node->range, element);
        return false;
    }
    if (with->name && node->kind == HT_SYNTAX_NAME && node->variable == with->in->c.x)
        ht_writer_swap(with->writer, node->range, ht_strdup(with->name));
    return true;
}

/* Writes an expression with the first iteration's counter. */
static void write_first(void *context, const ht_syntax *node, ht_writer *writer) {
    ht_widening *in = context;
    ht_writer inner = ht_writer_inner(writer);
    renaming with = {in, &inner, in->indirect ? NULL : in->first, NULL};
    ht_syntax_walk(node, on_place, &with);
    ht_writer_source(&inner, node->range.begin, node->range.end);
    ht_writer_join(writer, &inner);
}

void ht_widening_counter(ht_widening *in, const char *name, const char *value, ht_writer *writer) {
    char *type = ht_coarsen_x_type(&in->c);
    ht_writer_put(writer, in->of->loop->start, "const %s%s = %s;", type ? type : "auto ", name,
                  value);
    free(type);
}

static void write_counter(ht_widening *in, const char *value, ht_writer *writer) {
    ht_widening_counter(in, in->of->counter->name, value, writer);
}

static void open_brace(ht_widening *in, ht_writer *writer) {
    ht_writer_open(writer, in->of->loop->start, "{");
}

static void close_brace(ht_widening *in, ht_writer *writer) {
    ht_writer_close(writer, in->of->loop->start, "}");
}

/* Writes { const int i = i_first; and the indices that follow from it, where accesses use some. */
static void open_indices(ht_widening *in, ht_writer *writer) {
    open_brace(in, writer);
    write_counter(in, in->first, writer);
    for (size_t i = 0; i < in->count; ++i)
        for (size_t k = 0; in->items[i]->kind == HT_SYNTAX_DECLARATION && k < in->items[i]->count;
             ++k)
            if (in->again[in->items[i]->children[k]->variable]) {
                ht_writer_line(writer, in->of->loop->start);
                ht_writer_variable(writer, in->items[i]->children[k]);
            }
}

static void write_accesses(ht_widening *in, bool store, ht_writer *writer) {
    bool opened = in->indirect && ht_vectors_any(&in->vectors, store);
    if (opened)
        open_indices(in, writer);
    ht_vectors_access(&in->vectors, store, in->of->loop->start, write_first, in, writer);
    if (opened)
        close_brace(in, writer);
}

/* Returns true if the author's loop has its statements on lines of their own, a step deeper. */
static bool has_own_lines(const ht_widening *in) {
    const ht_syntax *body = ht_syntax_body(in->of->loop);
    size_t start = in->of->loop->start;
    return body->kind == HT_SYNTAX_COMPOUND ||
           memchr(in->c.model->text + start, '\n', body->range.begin - start) != NULL;
}

/* Writes the statements of an iteration; `vectors` NULL: as they are. */
static void write_iteration(ht_widening *in, const ht_vectors *vectors, ht_writer *writer) {
    const ht_syntax *body = ht_syntax_body(in->of->loop);
    ht_writer inner = ht_writer_inner(writer);
    bool compound = body->kind == HT_SYNTAX_COMPOUND;
    bool own_line = has_own_lines(in);
    inner.depth -= own_line;
    renaming with = {in, &inner, NULL, vectors};
    ht_syntax_walk(body, on_place, &with);
    for (size_t i = 0; i < in->count && compound; ++i)
        ht_writer_statement(&inner, in->items[i]);
    if (!compound) {
        ht_writer_line(&inner, own_line ? body->range.begin : in->of->loop->start);
        if (in->keeps) { /* the edit of the whole body is another loop's text */
            ht_writer_source(&inner, in->body.begin, body->range.end);
            ht_writer_printf(&inner, ";");
        } else
            ht_writer_source(&inner, in->body.begin, in->body.end);
    }
    ht_writer_join(writer, &inner);
}

static bool is_used(const ht_syntax *node, const void *context) {
    const ht_widening *in = context;
    if (node->kind != HT_SYNTAX_NAME || node->variable != in->c.x)
        return false;
    for (const ht_syntax *up = node; up; up = up->parent) {
        char *element = ht_vectors_element(&in->vectors, up, in->each);
        free(element);
        if (element) /* which takes its place */
            return false;
    }
    return true;
}

/* Opens the loop over the iterations of a turn, with the author's counter if they name it. */
static void open_each(ht_widening *in, bool named, ht_writer *writer) {
    ht_writer_unrolled(writer, in->of->loop->start, in->each, in->param, NULL, " {");
    if (!named)
        return;
    char *value = ht_format("%s + %s", in->first, in->each);
    write_counter(in, value, writer);
    free(value);
}

/* Writes the loads, with the declarations of all values: of what is loaded where it is loaded, if
 * that is no scope of its own, and its type is declared elsewhere. */
static void write_loads(ht_widening *in, ht_writer *writer) {
    bool at_load = !in->indirect && in->vectors.count > 0;
    for (size_t i = 0; i < in->vectors.count; ++i)
        at_load = at_load && in->vectors.items[i].declared && !in->vectors.items[i].elsewhere;
    for (size_t i = 0; i < in->vectors.count; ++i)
        in->vectors.items[i].at_load = at_load && in->vectors.items[i].load;
    if (at_load)
        write_accesses(in, false, writer);
    ht_vectors_declare(&in->vectors, in->param, in->of->loop->start, writer);
    if (!at_load)
        write_accesses(in, false, writer);
    for (size_t i = 0; i < in->vectors.count; ++i)
        in->vectors.items[i].at_load = false;
}

void ht_widening_together(ht_widening *in, ht_writer *writer) {
    write_loads(in, writer);
    const ht_syntax *body = ht_syntax_body(in->of->loop);
    open_each(in, ht_syntax_first(body, is_used, in) != NULL, writer);
    write_iteration(in, &in->vectors, writer);
    close_brace(in, writer);
    write_accesses(in, true, writer);
}

/* ---- a function for the formula ---- */

/* Returns the call of the function: with elements of values in the place of the accesses, or with
 * the names that the author gave these. free(). */
static char *call_text(ht_widening *in, bool together, ht_writer *like) {
    const struct ht_formula *formula = in->formula;
    ht_writer call = ht_writer_inner(like);
    ht_writer_printf(&call, "%s(", formula->name);
    for (size_t i = 0; i < formula->count; ++i) {
        const ht_formula_value *value = &formula->values[i];
        ht_writer_printf(&call, i ? ", " : "");
        if (!value->element || (value->declared && !together)) {
            ht_writer_printf(&call, "%s", value->name);
            continue;
        }
        ht_writer own = ht_writer_inner(&call);
        renaming with = {in, &own, NULL, together ? &in->vectors : NULL};
        ht_syntax_walk(value->node, on_place, &with);
        ht_writer_source(&own, value->node->range.begin, value->node->range.end);
        ht_writer_join(&call, &own);
    }
    ht_writer_printf(&call, ")");
    like->failed |= call.failed;
    char *text = ht_text_take(&call.text);
    ht_writer_free(&call);
    return text;
}

/* Writes the store of what the function returns, up to a place. */
static void write_store(ht_widening *in, bool together, size_t end, ht_writer *writer) {
    const ht_syntax *store = in->formula->store;
    ht_writer inner = ht_writer_inner(writer);
    renaming with = {in, &inner, NULL, together ? &in->vectors : NULL};
    ht_syntax_walk(store->children[0], on_place, &with);
    ht_writer_swap(&inner, store->children[1]->range, call_text(in, together, writer));
    ht_writer_source(&inner, store->range.begin, end);
    ht_writer_join(writer, &inner);
}

/* Writes the iterations of a whole turn, and those at the end of a row, with calls. */
static void write_calls(ht_widening *in, ht_writer *writer) {
    write_loads(in, writer);
    open_each(in, false, writer);
    ht_writer_line(writer, in->of->loop->start);
    writer->depth -= has_own_lines(in); /* lines on which the store goes on are that deep already */
    write_store(in, true, ht_statement_end(&in->c, in->items[in->count - 1]), writer);
    writer->depth += has_own_lines(in);
    close_brace(in, writer);
    write_accesses(in, true, writer);
}

static void write_rest_call(ht_widening *in, ht_writer *writer) {
    const ht_syntax *last = in->items[in->count - 1];
    bool compound = ht_syntax_body(in->of->loop)->kind == HT_SYNTAX_COMPOUND;
    ht_writer inner = ht_writer_inner(writer);
    inner.depth -= compound;
    for (size_t i = 0; i < in->formula->first; ++i)
        ht_writer_statement(&inner, in->items[i]);
    if (compound)
        ht_writer_line(&inner, last->range.begin);
    write_store(in, false, compound ? ht_statement_tail(&in->c, last) : in->body.end, &inner);
    ht_writer_join(writer, &inner);
}

void ht_widening_bound(ht_widening *in, ht_writer *writer) {
    const ht_syntax *left, *bound;
    int op;
    (void)ht_syntax_binary(in->of->loop->children[1], &op, &left, &bound);
    const ht_syntax *bare = ht_syntax_strip(bound);
    bool simple = bare->kind == HT_SYNTAX_NAME || bare->kind == HT_SYNTAX_CONSTANT;
    ht_writer_printf(writer, simple ? "" : "(");
    ht_writer_source(writer, bound->range.begin, bound->range.end);
    ht_writer_printf(writer, simple ? "" : ")");
}

void ht_widening_rest(ht_widening *in, ht_writer *writer) {
    char *type = ht_coarsen_x_type(&in->c);
    const char *counter = in->of->counter->name;
    ht_writer_put(writer, in->of->loop->start, "for (%s%s = %s; %s < ", type ? type : "auto ",
                  counter, in->first, counter);
    ht_widening_bound(in, writer);
    ht_writer_printf(writer, "; ++%s) {", counter);
    ++writer->depth;
    write_iteration(in, NULL, writer);
    close_brace(in, writer);
    free(type);
}

/* ---- one text ---- */

static bool is_leaving(const ht_syntax *node, const void *context) {
    (void)context;
    return node->kind == HT_SYNTAX_CONTINUE;
}

bool ht_widening_has_one(const ht_widening *in) {
    return !in->indirect && !ht_syntax_first(ht_syntax_body(in->of->loop), is_leaving, NULL);
}

/* Writes an opening brace and more indentation if several statements follow. */
static void open_several(size_t count, ht_writer *writer) {
    ht_writer_printf(writer, count > 1 ? " {" : "");
    ++writer->depth;
}

static void close_several(const ht_widening *in, size_t count, ht_writer *writer) {
    --writer->depth;
    if (count < 2)
        return;
    ht_writer_put(writer, in->of->loop->start, "}");
}

static size_t access_count(const ht_widening *in, bool store) {
    size_t count = 0;
    for (size_t i = 0; i < in->vectors.count; ++i)
        count += store ? in->vectors.items[i].store : in->vectors.items[i].load;
    return count;
}

/* Writes if (whole) and the accesses to all elements at once. */
static void write_whole(ht_widening *in, bool store, ht_writer *writer) {
    size_t count = access_count(in, store);
    if (!count)
        return;
    ht_writer_put(writer, in->of->loop->start, "if (%s)", in->whole);
    open_several(count, writer);
    write_accesses(in, store, writer);
    close_several(in, count, writer);
}

/* Writes this iteration's accesses, each to its own element. */
static void write_single(ht_widening *in, bool store, ht_writer *writer) {
    for (size_t i = 0; i < in->vectors.count; ++i) {
        const ht_vector_access *access = &in->vectors.items[i];
        if (store ? !access->store : !access->load)
            continue;
        ht_writer_line(writer, in->of->loop->start);
        if (!store)
            ht_writer_printf(writer, "%s.element[%s] = ", access->name, in->each);
        ht_writer inner = ht_writer_inner(writer);
        ht_writer_source(&inner, access->node->range.begin, access->node->range.end);
        ht_writer_join(writer, &inner);
        if (store)
            ht_writer_printf(writer, " = %s.element[%s]", access->name, in->each);
        ht_writer_printf(writer, ";");
    }
}

/* Writes the test that ends a row, with what an iteration of a turn that is not whole loads. */
static void write_end_test(ht_widening *in, ht_writer *writer) {
    size_t like = in->of->loop->start, loads = access_count(in, false);
    ht_writer_put(writer, like, "if (!%s%s", in->whole, loads ? ") {" : " && ");
    writer->depth += loads > 0;
    if (loads) {
        ht_writer_put(writer, like, "if (");
    }
    ht_writer_printf(writer, "%s >= ", in->of->counter->name);
    ht_widening_bound(in, writer);
    ht_writer_printf(writer, ")");
    ++writer->depth;
    ht_writer_put(writer, like, "break;");
    --writer->depth;
    write_single(in, false, writer);
    if (loads)
        close_brace(in, writer);
}

void ht_widening_one(ht_widening *in, ht_writer *writer) {
    size_t like = in->of->loop->start, stores = access_count(in, true);
    ht_vectors_declare(&in->vectors, in->param, like, writer);
    ht_writer_put(writer, like, "const bool %s = ", in->whole);
    ht_widening_bound(in, writer);
    ht_writer_printf(writer, " - %s >= ${%s};", in->first, in->param);
    write_whole(in, false, writer);
    open_each(in, true, writer);
    write_end_test(in, writer);
    write_iteration(in, &in->vectors, writer);
    if (stores) {
        ht_writer_put(writer, like, "if (!%s)", in->whole);
        open_several(stores, writer);
        write_single(in, true, writer);
        close_several(in, stores, writer);
    }
    close_brace(in, writer);
    write_whole(in, true, writer);
}

/* ---- the body ---- */

/* Writes the iterations of a thread that has all of them, and those at the end, each as a text of
 * its own. */
static void write_two(ht_widening *in, ht_writer *writer) {
    size_t like = in->of->loop->start;
    ht_writer_put(writer, like, "if ($?{%s > 1}{%s > 1 && }{}", in->param, in->param);
    ht_widening_bound(in, writer);
    ht_writer_printf(writer, " - %s >= ${%s}) {", in->first, in->param);
    ++writer->depth;
    ht_widening_together(in, writer);
    --writer->depth;
    ht_writer_open(writer, like, "}$?{%s > 1}{ else if (%s == 1) {", in->param, in->param);
    write_counter(in, in->first, writer);
    write_iteration(in, NULL, writer);
    close_brace(in, writer);
    ht_writer_printf(writer, "}{} else {");
    ++writer->depth;
    ht_widening_rest(in, writer);
    close_brace(in, writer);
}

/* Writes a piece of the author's text as it is. */
static void write_words(const ht_widening *in, size_t begin, size_t end, ht_writer *writer) {
    char *words = ht_strndup(in->c.model->text + begin, end - begin);
    char *plain = ht_text_replaced(words, "$", "$$");
    ht_writer_printf(writer, "%s", plain);
    free(plain);
    free(words);
}

/* Writes the author's loop over the iterations at the end of the row. */
static void write_end(ht_widening *in, ht_writer *writer) {
    const ht_syntax *loop = in->of->loop, *body = ht_syntax_body(loop);
    ht_range start = in->of->start->range;
    ht_writer own = ht_writer_inner(writer);
    ht_writer_line(&own, loop->start);
    write_words(in, loop->range.begin, start.begin, &own);
    if (in->end)
        ht_writer_printf(&own, "%s", in->end);
    else {
        ht_widening_bound(in, &own);
        ht_writer_printf(&own, " - ");
        ht_widening_bound(in, &own);
        ht_writer_printf(&own, " %% ${%s}", in->param);
    }
    ht_writer_printf(&own, " + ");
    write_words(in, start.begin, body->range.begin, &own);
    bool compound = body->kind == HT_SYNTAX_COMPOUND;
    if (compound) {
        ht_writer_printf(&own, "{");
        ++own.depth;
        if (in->formula)
            write_rest_call(in, &own);
        else
            write_iteration(in, NULL, &own);
        close_brace(in, &own);
    } else if (in->formula)
        write_rest_call(in, &own);
    else
        write_words(in, body->range.begin, in->body.end, &own);
    writer->failed |= own.failed || !ht_writer_is_balanced(&own);
    if (!writer->failed)
        ht_writer_printf(writer, "$?{%s > 1}{}{$?{%s}{}{%s}}", in->param, in->ends_apart,
                         own.text.data);
    ht_writer_free(&own);
}

void ht_widening_body(ht_widening *in, ht_writer *writer) {
    ht_writer_printf(writer, "{");
    ++writer->depth;
    if (in->of->rounds) {
        ht_writer_printf(writer, "$?{%s > 1}{}{", in->param);
        ht_writer_put(writer, in->of->loop->start,
                      "// adds the elements in another order than one by one does}");
    }
    ht_writer two = ht_writer_inner(writer), one = ht_writer_inner(writer);
    ht_writer whole = ht_writer_inner(writer);
    write_two(in, &two);
    bool has_one = ht_widening_has_one(in);
    if (has_one)
        ht_widening_one(in, &one);
    has_one = has_one && !one.failed && ht_writer_is_balanced(&one);
    const char *own = in->ends_apart ? in->ends_apart : "0";
    if (in->ends_apart && in->formula)
        write_calls(in, &whole);
    else if (in->ends_apart)
        ht_widening_together(in, &whole);
    writer->failed |= two.failed || !ht_writer_is_balanced(&two) || whole.failed ||
                      !ht_writer_is_balanced(&whole);
    if (!writer->failed)
        ht_writer_printf(writer, "$?{%s > 1}{%s}{$?{%s}{}{%s}$?{!(%s)}{}{%s}}", in->param,
                         two.text.data, own, in->ends_apart ? whole.text.data : "", own,
                         has_one ? one.text.data : two.text.data);
    ht_writer_free(&whole);
    ht_writer_free(&one);
    ht_writer_free(&two);
    close_brace(in, writer);
    if (in->ends_apart && !writer->failed)
        write_end(in, writer);
}
