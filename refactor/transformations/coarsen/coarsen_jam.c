#include "refactor/transformations/coarsen/coarsen_jam.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/coarsen/coarsen_inside.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_swaps.h"
#include "refactor/transformations/coarsen/coarsen_vector.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing the work ---- */

static void write_list(ht_coarsen *c, ht_syntax_list list, size_t count, ht_writer *writer,
                       bool label, bool top);

/* Returns true if the array of a variable's values has nothing to be set in the loop. */
static bool is_set(const ht_coarsen *c, const ht_syntax *node) {
    return c->tree->variables[node->variable].is_array || !ht_variable_has_initialiser(c, node) ||
           ht_coarsen_starts_at_zero(c, node);
}

static void write_array(ht_coarsen *c, const ht_syntax *node, ht_writer *writer, size_t like) {
    const ht_syntax_variable *variable = &c->tree->variables[node->variable];
    char *type = ht_syntax_variable_type(variable, true);
    size_t name = variable->name_end;
    size_t end = ht_variable_dimensions_end(c, node, name);
    ht_writer_put(writer, like, "%s%s[${%s}]", type, variable->name, c->names.factor);
    ht_writer_source(writer, name, end);
    if (ht_coarsen_starts_at_zero(c, node) ||
        (variable->is_array && ht_variable_has_initialiser(c, node)))
        ht_writer_printf(writer, " = {}");
    ht_writer_printf(writer, ";");
    free(type);
}

static bool is_blank(const char *text, size_t begin, size_t end) {
    for (size_t at = begin; at < end; ++at)
        if (!isspace((unsigned char)text[at]))
            return false;
    return true;
}

static void write_item(ht_coarsen *c, const ht_syntax *item, ht_writer *writer, size_t like) {
    const ht_syntax *statement = ht_statement_of(item);
    size_t lead = ht_statement_lead(c, item);
    const char *text = c->model->text;
    if (ht_declaration_is_whole(c, item)) {
        bool newline = memchr(text + lead, '\n', statement->range.begin - lead) != NULL;
        if (!newline) {
            ht_writer_line(writer, like);
            while (isspace((unsigned char)text[lead]))
                ++lead;
        }
        ht_writer_source(writer, lead, ht_statement_tail(c, statement));
        return;
    }
    ht_syntax_list variables;
    size_t count = ht_syntax_variables(item, &variables);
    for (size_t i = 0; i < count; ++i) {
        const ht_syntax *node = variables[i];
        const ht_syntax_variable *variable = &c->tree->variables[node->variable];
        if (!c->marks[node->index].apart || (c->values[node->variable].array && is_set(c, node)))
            continue;
        ht_writer_line(writer, like);
        if (!c->values[node->variable].array) {
            ht_writer_variable(writer, node);
            continue;
        }
        ht_writer_printf(writer, "%s[%s] = ", variable->name, c->names.counter);
        ht_writer_source(writer, node->children[0]->range.begin, node->children[0]->range.end);
        ht_writer_printf(writer, ";");
    }
}

/* Writes the body of a test that is left out, without its braces if others are around it. */
static void write_bare(ht_coarsen *c, const ht_syntax *body, ht_writer *writer, size_t like,
                       bool braces) {
    bool block = body->kind == HT_SYNTAX_COMPOUND && body->count > 0;
    for (size_t i = 0; i < body->count; ++i)
        braces = braces && body->children[i]->kind != HT_SYNTAX_DECLARATION;
    const char *text = c->model->text;
    if (block && braces && text[body->range.begin + 1] == '\n') {
        --writer->depth;
        ht_writer_source(writer, body->range.begin + 1,
                         ht_statement_tail(c, body->children[body->count - 1]));
        ++writer->depth;
        return;
    }
    ht_writer_line(writer, like);
    ht_writer_source(writer, body->range.begin, ht_statement_end(c, body));
}

/* Writes the comments before a declaration that is not copied. */
static void write_comments(ht_coarsen *c, const ht_syntax *item, ht_writer *writer) {
    const ht_syntax *statement = ht_statement_of(item);
    const char *text = c->model->text;
    size_t lead = ht_statement_lead(c, item), end = statement->range.begin;
    bool first = item->kind != HT_SYNTAX_VARIABLE || statement->children[0] == item;
    if (ht_declaration_is_whole(c, item) || !first || is_blank(text, lead, end))
        return;
    while (end > lead && isspace((unsigned char)text[end - 1]))
        --end;
    ht_writer_source(writer, lead, end);
}

/* Writes declarations before a group: of variables that are the same for all outputs, and of
 * arrays. Returns true if nothing is left for the loop. */
static bool write_declarations(ht_coarsen *c, ht_syntax_list list, size_t begin, size_t end,
                               ht_writer *writer, size_t like) {
    bool empty = true;
    for (size_t i = begin; i < end; ++i) {
        ht_syntax_list variables;
        size_t count = ht_syntax_variables(list[i], &variables);
        write_comments(c, list[i], writer);
        empty &= list[i]->kind == HT_SYNTAX_DECLARATION || list[i]->kind == HT_SYNTAX_VARIABLE;
        for (size_t k = 0; k < count; ++k) {
            const ht_syntax *node = variables[k];
            if (!c->marks[node->index].apart) {
                ht_writer_line(writer, like);
                ht_writer_variable(writer, node);
            } else if (c->values[node->variable].array) {
                write_array(c, node, writer, like);
                empty &= is_set(c, node);
            } else {
                empty = false;
            }
        }
    }
    return empty;
}

/* Declares x, if each output must have its own. */
static void write_own_x(ht_coarsen *c, ht_writer *writer, size_t like) {
    char *type = ht_coarsen_x_type(c);
    ht_writer_put(writer, like, "const %s%s = %s + %s;", type ? type : "auto ",
                  c->tree->variables[c->x].name, c->names.first, c->names.offset);
    free(type);
}

typedef struct group {
    ht_syntax_list list;
    size_t begin, end, like;
    bool own_x, braces, label;
    ht_tests tests;
} group;

/* Returns true for a declaration of one variable that only tests name. */
static bool serves_tests(ht_coarsen *c, const group *of, const ht_syntax *item) {
    ht_syntax_list variables;
    if (ht_syntax_variables(item, &variables) != 1 || !ht_declaration_is_whole(c, item) ||
        !variables[0]->count || ht_syntax_has_change(variables[0]->children[0]))
        return false;
    for (size_t n = 0; n < c->tree->count; ++n) {
        const ht_syntax *name = c->tree->nodes[n];
        bool tested = name->kind != HT_SYNTAX_NAME || name->variable != variables[0]->variable;
        for (size_t i = 0; i < of->tests.count && !tested; ++i)
            tested = of->tests.guards[i].term_count &&
                     ht_syntax_within(name, of->tests.guards[i].statement->children[0]);
        if (!tested)
            return false;
    }
    return true;
}

/* Writes the statements for one output. `inside`: all tests hold, so they are left out. */
static void write_iteration(ht_coarsen *c, const group *of, ht_writer *writer, bool inside) {
    size_t like = of->like;
    if (of->own_x)
        write_own_x(c, writer, like);
    if (of->label) {
        ht_writer_open(writer, like, "{");
    }
    for (size_t i = of->begin; i < of->end; ++i) {
        const ht_guard *test = inside ? &of->tests.guards[i - of->begin] : NULL;
        int deeper =
            ht_statement_entered(c, of->list[i]) - ht_statement_entered(c, of->list[of->begin]);
        writer->depth -= deeper;
        if (inside && serves_tests(c, of, of->list[i]))
            ;
        else if (!test || !test->term_count)
            write_item(c, of->list[i], writer, like);
        else if (!test->leaves)
            write_bare(c, of->list[i]->children[1], writer, like, of->braces);
        writer->depth += deeper;
    }
    if (of->label) {
        ht_writer_close(writer, like, "}");
        ht_writer_put(writer, like, "%s:;", c->names.label);
    }
}

/* Writes a loop over the outputs. */
static void write_each(ht_coarsen *c, const group *of, ht_writer *writer, bool inside) {
    size_t like = of->like;
    ht_writer_unrolled(writer, like, c->names.counter, c->names.factor, NULL,
                       of->braces ? " {" : "");
    write_iteration(c, of, writer, inside);
    --writer->depth;
    if (of->braces)
        ht_writer_put(writer, like, "}");
}

/* ---- elements of several outputs in one access ---- */

typedef struct vector_context {
    ht_coarsen *c;
    const group *of;
    bool inside;
} vector_context;

static void write_vector_front(const ht_vector_loop *loop, ht_writer *writer) {
    vector_context *context = loop->context;
    if (context->of->own_x)
        write_own_x(context->c, writer, loop->like);
}

static void write_vector_body(const ht_vector_loop *loop, ht_writer *writer) {
    vector_context *context = loop->context;
    ht_coarsen *c = context->c;
    const group *of = context->of;
    ht_writer inner = {.c = c, .depth = writer->depth};
    ht_jam_swaps swaps = {.c = c, .writer = &inner, .vectors = loop->vectors};
    ht_jam_swaps_add(&swaps, of->list + of->begin, of->end - of->begin);
    write_iteration(c, of, &inner, context->inside);
    ht_writer_join(writer, &inner);
}

static void write_usual(const ht_vector_loop *loop, ht_writer *writer) {
    vector_context *context = loop->context;
    write_each(context->c, context->of, writer, context->inside);
}

static bool is_own_text(const void *context, const ht_syntax *node) {
    (void)context;
    (void)node;
    return true;
}

/* Collects the group's statements as they run without tests. */
static size_t flatten(const group *of, bool inside, const ht_syntax **items) {
    size_t count = 0;
    for (size_t i = of->begin; i < of->end; ++i) {
        const ht_guard *test = inside ? &of->tests.guards[i - of->begin] : NULL;
        const ht_syntax *item = of->list[i];
        if (!test || !test->term_count) {
            items[count++] = item;
            continue;
        }
        const ht_syntax *body = test->leaves ? NULL : item->children[1];
        bool block = body && body->kind == HT_SYNTAX_COMPOUND;
        for (size_t k = 0; block && k < body->count; ++k)
            items[count++] = body->children[k];
        if (body && !block)
            items[count++] = body;
    }
    return count;
}

static size_t flat_count(const group *of) {
    size_t count = 1;
    for (size_t i = of->begin; i < of->end; ++i)
        count += of->list[i]->kind == HT_SYNTAX_IF ? 1 + of->list[i]->children[1]->count : 1;
    return count;
}

/* Writes a loop over the outputs; if neighbours' accesses can be one, also the loop with those. */
static void write_loop(ht_coarsen *c, const group *of, ht_writer *writer, bool inside) {
    ht_vectors vectors = {0};
    if (c->vector.param && !of->label) {
        const ht_syntax **items = ht_alloc(flat_count(of), sizeof *items);
        size_t count = flatten(of, inside, items);
        ht_vectors_find(c, items, count, is_own_text, NULL, NULL, &vectors);
        ht_vector_why_merge(&c->vector.why, &c->vector.at, vectors.why, vectors.at);
        free(items);
    }
    if (!vectors.count) {
        write_each(c, of, writer, inside);
        ht_vectors_free(&vectors);
        return;
    }
    for (size_t i = 0; i < vectors.count; ++i) {
        size_t bytes = ht_syntax_size(vectors.items[i].node);
        bool known = bytes && (c->vector.bytes || !(c->vector.count + i));
        c->vector.bytes = !known ? 0 : bytes > c->vector.bytes ? bytes : c->vector.bytes;
    }
    c->vector.count += vectors.count;
    ht_vectors_name(c, &vectors);
    vector_context context = {c, of, inside};
    ht_vector_loop loop = {.vectors = &vectors,
                           .counter = c->names.counter,
                           .factor = c->names.factor,
                           .width = c->vector.param,
                           .begin = c->vector.begin,
                           .each = c->vector.each,
                           .like = of->like,
                           .front = write_vector_front,
                           .body = write_vector_body,
                           .usual = write_usual,
                           .context = &context};
    ht_vectors_write(&loop, writer);
    ht_vectors_free(&vectors);
}

/* Writes bool inside = (the tests hold for the first and the last output); */
static void write_tests(ht_coarsen *c, const group *of, ht_writer *writer) {
    size_t like = of->like;
    ht_writer_put(writer, like, "bool %s = ${%s > 1}; // the first and the last output, so all",
                  c->names.inside, c->names.factor);
    char *step = ht_format("${%s > 1 ? %s - 1 : 1}", c->names.factor, c->names.factor);
    ht_writer_unrolled(writer, like, c->names.counter, c->names.factor, step, " {");
    free(step);
    if (of->own_x)
        write_own_x(c, writer, like);
    for (size_t i = of->begin; i < of->end; ++i) {
        const ht_guard *test = &of->tests.guards[i - of->begin];
        ht_syntax_list variables;
        size_t count = ht_syntax_variables(of->list[i], &variables);
        for (size_t k = 0; k < count; ++k)
            if (c->marks[variables[k]->index].apart &&
                ht_tests_need(c, &of->tests, variables[k]->variable)) {
                ht_writer_line(writer, like);
                ht_writer_variable(writer, variables[k]);
            }
        if (!test->term_count)
            continue;
        const ht_syntax *condition = of->list[i]->children[0];
        ht_writer_put(writer, like, "%s = %s && %s(", c->names.inside, c->names.inside,
                      test->leaves ? "!" : "");
        ht_writer_source(writer, condition->range.begin, condition->range.end);
        ht_writer_printf(writer, ");");
    }
    ht_writer_close(writer, like, "}");
}

static bool needs_braces(const ht_coarsen *c, const group *of) {
    bool braces = of->label || of->own_x || of->end - of->begin > 1;
    for (size_t i = of->begin; i < of->end; ++i) {
        const ht_syntax *item = of->list[i];
        bool whole = ht_declaration_is_whole(c, item);
        braces |=
            whole && (item->kind == HT_SYNTAX_DECLARATION || item->kind == HT_SYNTAX_VARIABLE);
        braces |= !whole && ht_statement_of(item)->count > 1;
    }
    return braces;
}

/* Writes a group. `alone`: it is the body of a loop or an `if`, without braces. */
static void write_group(ht_coarsen *c, ht_syntax_list list, size_t begin, size_t end,
                        ht_writer *writer, bool label, bool alone) {
    group of = {.list = list, .begin = begin, .end = end, .label = label};
    of.like = ht_statement_of(list[begin])->range.begin;
    if (write_declarations(c, list, begin, end, writer, of.like))
        return;
    for (size_t i = begin; i < end; ++i)
        of.own_x |= c->values[c->x].share == HT_SHARE_OWN && ht_syntax_mentions(list[i], c->x);
    of.braces = needs_braces(c, &of);
    ht_tests_find(c, list, begin, end, &of.tests);
    if (of.tests.any && !label) {
        if (alone) {
            ht_writer_put(writer, of.like, "{");
        }
        write_tests(c, &of, writer);
        ht_writer_open(writer, of.like, "if (%s) {", c->names.inside);
        write_loop(c, &of, writer, true);
        --writer->depth;
        ht_writer_open(writer, of.like, "} else {");
        write_loop(c, &of, writer, false);
        ht_writer_close(writer, of.like, alone ? "}}" : "}");
    } else {
        write_loop(c, &of, writer, false);
    }
    ht_tests_free(&of.tests);
}

static void write_statement(ht_coarsen *c, const ht_syntax *node, ht_writer *writer);

static void write_body(ht_coarsen *c, const ht_syntax *body, ht_writer *writer) {
    size_t end = ht_statement_end(c, body);
    if (body->kind == HT_SYNTAX_COMPOUND && body->count) {
        ht_writer_source(writer, body->range.begin, body->range.begin + 1);
        write_list(c, body->children, body->count, writer, false, false);
        ht_writer_source(writer, ht_statement_tail(c, body->children[body->count - 1]), end);
    } else if (c->marks[body->index].apart) {
        write_group(c, &body, 0, 1, writer, false, true);
    } else {
        write_statement(c, body, writer);
    }
}

/* Writes a statement that runs once for all outputs, of which parts may not. */
static void write_statement(ht_coarsen *c, const ht_syntax *node, ht_writer *writer) {
    size_t end = ht_statement_end(c, node);
    if (!ht_node_any_apart(c, node)) {
        ht_writer_source(writer, node->range.begin, end);
        return;
    }
    size_t at = node->range.begin;
    const ht_syntax *bodies[2] = {NULL, NULL};
    if (node->kind == HT_SYNTAX_COMPOUND) {
        write_body(c, node, writer);
        return;
    }
    if (node->kind == HT_SYNTAX_IF) {
        bodies[0] = node->children[1];
        bodies[1] = node->children[2];
    } else if (node->kind == HT_SYNTAX_DO) {
        bodies[0] = node->children[0];
    } else {
        bodies[0] = node->children[node->count - 1];
    }
    if (node->kind == HT_SYNTAX_FOR) {
        char *several = ht_format("%s > 1", c->names.factor);
        ht_writer_unroll_kept(writer, node, several);
        free(several);
    }
    for (size_t i = 0; i < 2 && bodies[i]; ++i) {
        size_t header = bodies[i]->range.begin;
        while (c->marks[bodies[i]->index].apart && header > at &&
               isspace((unsigned char)c->model->text[header - 1]))
            --header;
        ht_writer_source(writer, at, header);
        bool same_line = c->marks[bodies[i]->index].apart && header < bodies[i]->range.begin &&
                         !memchr(c->model->text + header, '\n', bodies[i]->range.begin - header);
        writer->depth += same_line;
        write_body(c, bodies[i], writer);
        writer->depth -= same_line;
        at = ht_statement_end(c, bodies[i]);
    }
    ht_writer_source(writer, at, end);
}

/* Writes a statement of a list that runs once for all outputs. */
static void write_listed(ht_coarsen *c, const ht_syntax *node, ht_writer *writer) {
    size_t lead = ht_statement_lead(c, node);
    const ht_syntax *statement = ht_statement_of(node);
    if (node->kind == HT_SYNTAX_VARIABLE && statement->count > 1) {
        ht_writer_line(writer, statement->range.begin);
        ht_writer_variable(writer, node);
        return;
    }
    if (lead == statement->range.begin)
        ht_writer_line(writer, lead);
    ht_writer_source(writer, lead, statement->range.begin);
    write_statement(c, statement, writer);
    ht_writer_source(writer, ht_statement_end(c, statement), ht_statement_tail(c, statement));
}

/* Writes a list. `top`: the whole work, whose statements may have several depths in the source. */
static void write_list(ht_coarsen *c, ht_syntax_list list, size_t count, ht_writer *writer,
                       bool label, bool top) {
    for (size_t i = 0; i < count;) {
        int deeper = top ? ht_statement_entered(c, list[i]) : 0;
        writer->depth -= deeper;
        if (c->marks[list[i]->index].apart) {
            size_t end = ht_jam_group_end(c, list, i, count);
            write_group(c, list, i, end, writer, label && end == count, false);
            i = end;
        } else {
            write_listed(c, list[i++], writer);
        }
        writer->depth += deeper;
    }
}

void ht_jam_write(ht_coarsen *c, const ht_layout *layout, ht_writer *writer) {
    ht_jam_swaps swaps = ht_jam_swaps_make(c, layout, writer, false);
    ht_region list = ht_jam_region(layout);
    if (c->vector.param)
        ht_vectors_note(c);
    if (swaps.keeps_x && list.count) {
        char *type = ht_coarsen_x_type(c);
        int deeper = ht_statement_entered(c, list.statements[0]);
        writer->depth -= deeper;
        ht_writer_line(writer, ht_statement_of(list.statements[0])->range.begin);
        writer->depth += deeper;
        ht_writer_printf(writer, "const %s%s = %s;", type ? type : "auto ",
                         c->tree->variables[c->x].name, c->names.first);
        free(type);
    }
    write_list(c, list.statements, list.count, writer, swaps.label, true);
    free(list.statements);
}
