/* The tiled form as text: the front, then the work once, as a lambda that is told whether outputs
 * may lie outside. */
#include "base/memory.h"
#include "refactor/transformations/coarsen/coarsen_vector.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void write_list(ht_tiled *t, ht_node **list, size_t count, ht_writer *writer);

/* Each line is indented like the line of `like`, one level deeper. */
static void write_inserts(ht_tiled *t, long place, ht_writer *writer, size_t like) {
    ++writer->depth;
    for (size_t i = 0; i < t->insert_count; ++i) {
        if (t->inserts[i].place != place)
            continue;
        if (t->inserts[i].each)
            ht_tiled_write_each(t, &t->inserts[i], writer, like);
        else
            ht_writer_lines(writer, t->inserts[i].text, like);
    }
    --writer->depth;
}

/* ---- statements that stand outside of the segments ---- */

/* Where the statement itself begins, behind its pragmas. */
static size_t begin_of(const ht_node *node) {
    unsigned offset;
    clang_getFileLocation(clang_getRangeStart(clang_getCursorExtent(node->cursor)), NULL, NULL,
                          NULL, &offset);
    return offset > node->range.begin ? offset : node->range.begin;
}

/* A body in braces of our own. */
static void write_body(ht_tiled *t, ht_node *owner, ht_node *body, ht_writer *writer) {
    size_t loop = ht_tiled_loop_of(&t->form, owner->cursor);
    ht_writer_printf(writer, " {");
    bool block = body->kind == HT_NODE_COMPOUND;
    if (loop != SIZE_MAX)
        write_inserts(t, (long)loop, writer, begin_of(owner));
    if (block)
        write_list(t, body->children, body->count, writer);
    else
        write_list(t, &body, 1, writer);
    ht_writer_line(writer, begin_of(owner));
    ht_writer_printf(writer, "}");
}

static void write_header(ht_tiled *t, size_t begin, size_t end, ht_writer *writer) {
    while (end > begin && isspace((unsigned char)t->c.model->text[end - 1]))
        --end;
    ht_writer_source(writer, begin, end);
}

/* A statement that runs once for all outputs, though what is inside may not. */
static void write_statement(ht_tiled *t, ht_node *node, ht_writer *writer) {
    size_t end = ht_statement_end(&t->c, node);
    ht_node *last = node->count ? node->children[node->count - 1] : NULL;
    if (node->count == 0 || !ht_tiled_any_apart(node)) {
        ht_writer_source(writer, node->range.begin, end);
        return;
    }
    switch (node->kind) {
    case HT_NODE_COMPOUND:
        write_body(t, node, node, writer);
        return;
    case HT_NODE_FOR:
    case HT_NODE_WHILE:
        write_header(t, node->range.begin, last->range.begin, writer);
        write_body(t, node, last, writer);
        return;
    case HT_NODE_IF:
        if (node->enters) { /* what is inside asks for itself */
            write_body(t, node, node->children[1], writer);
            return;
        }
        write_header(t, node->range.begin, node->children[1]->range.begin, writer);
        write_body(t, node, node->children[1], writer);
        if (last) {
            ht_writer_printf(writer, " else");
            write_body(t, node, last, writer);
        }
        return;
    case HT_NODE_DO:
        ht_writer_printf(writer, "do");
        write_body(t, node, node->children[0], writer);
        ht_writer_printf(writer, " ");
        size_t at = ht_statement_end(&t->c, node->children[0]);
        while (at < end && isspace((unsigned char)t->c.model->text[at]))
            ++at;
        ht_writer_source(writer, at, end);
        return;
    default:
        writer->failed = true;
    }
}

static void write_listed(ht_tiled *t, ht_node *node, ht_writer *writer) {
    const ht_node *statement = ht_statement_of(node);
    if (node->kind == HT_NODE_VARIABLE && statement->count > 1) {
        ht_writer_line(writer, statement->range.begin);
        ht_writer_variable(writer, node);
        return;
    }
    size_t lead = ht_statement_lead(&t->c, node);
    if (!memchr(t->c.model->text + lead, '\n', statement->range.begin - lead)) {
        ht_writer_line(writer, statement->range.begin);
        while (isspace((unsigned char)t->c.model->text[lead]))
            ++lead;
    }
    ht_writer_source(writer, lead, statement->range.begin);
    write_statement(t, (ht_node *)statement, writer);
    ht_writer_source(writer, ht_statement_end(&t->c, statement),
                     ht_statement_tail(&t->c, statement));
}

/* How much deeper than the guards' own level does it stand in the source? */
static int entered_above(const ht_tiled *t, const ht_node *node) {
    int count = 0;
    for (const ht_node *up = node->parent; up; up = up->parent)
        count += up->entered && memchr(t->c.model->text + up->range.begin, '\n',
                                       node->range.begin - up->range.begin) != NULL;
    return count;
}

/* May it read what is staged? */
static bool is_top(const ht_node *statement) {
    bool declares = statement->kind == HT_NODE_VARIABLE || statement->kind == HT_NODE_DECLARATION;
    if (declares && !ht_node_is_risky((ht_node *)statement))
        return false;
    return ht_tiled_any_apart(statement) || ht_node_is_loop(statement);
}

size_t ht_tiled_top(const ht_tiled *t) {
    for (size_t i = 0; i < t->work.count;) {
        size_t end = t->work.statements[i]->apart
                         ? ht_jam_group_end(t->work.statements, i, t->work.count)
                         : i + 1;
        for (size_t k = i; k < end; ++k)
            if (is_top(t->work.statements[k]))
                return i;
        i = end;
    }
    return t->work.count;
}

static void write_top(ht_tiled *t, ht_node *before, ht_writer *writer) {
    --writer->depth;
    write_inserts(t, HT_TILED_TOP, writer, ht_statement_of(before)->range.begin);
    ++writer->depth;
}

static void write_list(ht_tiled *t, ht_node **list, size_t count, ht_writer *writer) {
    bool top = list == t->work.statements;
    size_t inserted = top ? ht_tiled_top(t) : count; /* before this one */
    for (size_t i = 0; i < count;) {
        int deeper = top ? entered_above(t, list[i]) : 0;
        writer->depth -= deeper;
        if (i == inserted)
            write_top(t, list[i], writer);
        if (list[i]->apart) {
            size_t end = ht_jam_group_end(list, i, count);
            ht_tiled_write_segment(t, list, i, end, writer);
            i = end;
        } else {
            write_listed(t, list[i++], writer);
        }
        writer->depth += deeper;
    }
}

/* ---- places that read differently ---- */

typedef struct swap_walk {
    ht_tiled *t;
    ht_writer *writer;
    const ht_node *inside; /* what is written is the inside of this replaced expression */
    const ht_vectors *vectors;
} swap_walk;

static void collect_swaps(ht_tiled *t, ht_node *node, ht_writer *writer, const ht_node *inside,
                          const ht_vectors *vectors);

/* The text that a replaced expression gets, with "$@" filled in. */
static char *replaced_text(ht_tiled *t, const ht_tile_swap *swap) {
    ht_writer inner = {.c = &t->c};
    collect_swaps(t, swap->node, &inner, swap->node, NULL);
    ht_writer_source(&inner, swap->node->range.begin, swap->node->range.end);
    char *text = ht_text_replaced(swap->text, "$@", inner.text.data ? inner.text.data : "");
    ht_writer_free(&inner);
    return text;
}

static bool on_swap(ht_node *node, void *context) {
    swap_walk *walk = context;
    ht_tiled *t = walk->t;
    char *element = ht_vectors_element(walk->vectors, node, t->vector_each);
    if (element) {
        ht_writer_swap(walk->writer, node->range, element);
        return false;
    }
    const char *once = ht_tiled_once_text(t, node);
    if (once) {
        ht_writer_swap(walk->writer, node->range, ht_strdup(once));
        return false;
    }
    for (size_t i = 0; i < t->swap_count && node != walk->inside; ++i)
        if (t->swaps[i].node == node) {
            ht_writer_swap(walk->writer, node->range, replaced_text(t, &t->swaps[i]));
            return false;
        }
    if (node->kind == HT_NODE_RETURN && ht_node_apart_root(node))
        ht_writer_swap(walk->writer, node->range, ht_strdup("continue"));
    if (node->kind == HT_NODE_NAME && t->c.variables[node->variable].array) {
        ht_text text = {0};
        ht_text_append(&text, t->c.variables[node->variable].name);
        for (size_t a = 0; a < t->axis_count; ++a)
            ht_text_printf(&text, "[%s]", t->tiled[a]->counter);
        ht_writer_swap(walk->writer, node->range, ht_text_take(&text));
    }
    return true;
}

static void collect_swaps(ht_tiled *t, ht_node *node, ht_writer *writer, const ht_node *inside,
                          const ht_vectors *vectors) {
    swap_walk walk = {t, writer, inside, vectors};
    ht_node_walk(node, on_swap, &walk);
}

void ht_tiled_collect_swaps(ht_tiled *t, ht_node *node, ht_writer *writer,
                            const ht_vectors *vectors) {
    collect_swaps(t, node, writer, NULL, vectors);
}

/* ---- the whole ---- */

/* This thread's first output, and how far apart its outputs are. */
static void write_firsts(ht_tiled *t, ht_writer *writer, size_t like) {
    for (size_t i = 0; i < t->axis_count; ++i) {
        const ht_tiled_axis *of = t->tiled[i];
        if (!of->strided)
            continue;
        ht_writer_printf(writer, "$?{%s}{", of->strided);
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "const int %s = ${%s ? %s : 1};}{}", t->axes[i].step, of->strided,
                         ht_plan_block(t->c.plan, of->axis));
        ht_tiled_write_first(t, i, writer, like);
    }
}

/* How far the last output lies behind the first. */
static void add_reach(const ht_tiled *t, size_t axis, bool block, ht_text *out) {
    const ht_tiled_axis *of = t->tiled[axis];
    if (block || !of->strided)
        ht_text_printf(out, "${%s - 1}", of->extent);
    else
        ht_text_printf(out, "${%s - 1}$?{%s}{ * %s}{ * ${%s}}", of->factor, of->strided,
                       t->axes[axis].step, ht_plan_block(t->c.plan, of->axis));
}

char *ht_tiled_last(const ht_tiled_form *form, size_t axis, bool block) {
    const ht_tiled *t = form->inside;
    ht_text text = {0};
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->tiled[i] == &form->axes[axis]) {
            ht_text_printf(&text, "%s + ",
                           block ? form->axes[axis].origin : form->axes[axis].first);
            add_reach(t, i, block, &text);
        }
    return ht_text_take(&text);
}

/* Are all outputs of the thread inside? Where threads meet: all of the block. An output that is
 * walked to is, along that axis. */
static char *whole_text(const ht_tiled *t, bool block, ht_tile_walk walk) {
    ht_text text = {0};
    for (size_t i = 0; i < t->axis_count; ++i) {
        const ht_tiled_axis *of = t->tiled[i];
        const char *begin = block ? of->origin : of->first;
        bool walked = walk != HT_WALK_NOT && i == t->walked;
        char *may = walked ? ht_format("(%s > 1 || ", t->steps) : ht_strdup("");
        if (of->low && !(walked && walk == HT_WALK_DOES))
            ht_text_printf(&text, "%s%s%s >= %s%s", text.length ? " && " : "", may, begin, of->low,
                           walked ? ")" : "");
        if (t->axes[i].has_high && !(walked && walk == HT_WALK_DOES)) {
            ht_text_printf(&text, "%s%s%s + ", text.length ? " && " : "", may, begin);
            add_reach(t, i, block, &text);
            ht_text_printf(&text, " <= %s%s", of->high, walked ? ")" : "");
        }
        free(may);
    }
    return text.length ? ht_text_take(&text) : NULL;
}

/* What a thread asks, or where threads meet inside, what the block does. */
static void write_asked(const ht_tiled *t, const char *thread, const char *block,
                        ht_writer *writer) {
    if (t->meets)
        ht_writer_printf(writer, "$?{%s}{(${%s} ? %s : %s)}{%s}$?{!(%s)}{}{%s}", t->meets, t->meets,
                         block, thread, block, t->meets, thread);
    else
        ht_writer_printf(writer, "%s", thread);
}

/* tile(edge, inner); the second where the form has that way. */
static void write_call(const ht_tiled *t, const char *edge, const char *inner, ht_writer *writer,
                       size_t like) {
    ++writer->depth;
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "%s(%s%s%s);", t->tile, edge, inner ? ", " : "", inner ? inner : "");
    --writer->depth;
}

/* `thread` NULL: all are inside, always. `inner` "": with the way for those inside; "NAME && ": if
 * the parameter says so; NULL: without it. */
static void write_ways(ht_tiled *t, const char *thread, const char *block, const char *inner,
                       ht_writer *writer, size_t like) {
    const char *no = inner ? "false" : NULL;
    if (thread) {
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "const bool %s = ", t->whole);
        write_asked(t, thread, block, writer);
        ht_writer_printf(writer, ";");
    }
    ht_writer_line(writer, like);
    if (inner) {
        ht_writer_printf(writer, "if (%s%s%s", inner, thread ? t->whole : "", thread ? " && " : "");
        write_asked(t, t->within_thread, t->within_block, writer);
        ht_writer_printf(writer, ") // so are their windows");
        write_call(t, "false", "true", writer, like);
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "else ");
    }
    if (thread)
        ht_writer_printf(writer, "if (%s)", t->whole);
    write_call(t, "false", no, writer, like);
    if (!thread)
        return;
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "else // those outside compute what the nearest one inside does");
    write_call(t, "true", no, writer, like);
}

void ht_tiled_write_calls(ht_tiled *t, ht_tile_walk walk, ht_writer *writer, size_t like) {
    char *thread = whole_text(t, false, walk), *block = whole_text(t, true, walk);
    if (t->within) {
        char *asked = ht_format("${%s} && ", t->within);
        ht_writer_printf(writer, "$?{%s}{", t->within);
        write_ways(t, thread, block, asked, writer, like);
        ht_writer_printf(writer, "}{");
        write_ways(t, thread, block, "", writer, like);
        ht_writer_printf(writer, "}$?{!%s}{}{", t->within);
        write_ways(t, thread, block, NULL, writer, like);
        ht_writer_printf(writer, "}");
        free(asked);
    } else
        write_ways(t, thread, block, NULL, writer, like);
    free(thread);
    free(block);
}

char *ht_tiled_text(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    ht_writer writer = {.c = c};
    size_t like = c->body->children[0]->range.begin;
    for (size_t i = 0; i < t->work.count; ++i)
        ht_tiled_collect_swaps(t, t->work.statements[i], &writer, NULL);
    t->vector_count = 0;
    t->vector_why = NULL;
    ht_writer_source(&writer, c->body->range.begin, c->body->range.begin + 1);
    ht_tiled_write_front(t, &writer, like);
    write_firsts(t, &writer, like);
    --writer.depth;
    write_inserts(t, HT_TILED_FRONT, &writer, like);
    ++writer.depth;
    ht_writer_line(&writer, like);
    ht_writer_printf(&writer, "// the outputs of this thread; edge: some may lie outside");
    ht_writer_line(&writer, like);
    ht_writer_printf(&writer, "auto %s = [&](bool %s", t->tile, t->edge);
    if (t->within)
        ht_writer_printf(&writer, "$?{%s}{, bool %s}{, bool %s}", t->within, t->inner, t->inner);
    ht_writer_printf(&writer, ") __attribute__((always_inline)) {");
    ++writer.depth;
    write_list(t, t->work.statements, t->work.count, &writer);
    --writer.depth;
    ht_writer_line(&writer, like);
    ht_writer_printf(&writer, "};");
    ht_tiled_write_walk(t, &writer, like);
    ht_writer_line(&writer, c->body->range.end - 1);
    ht_writer_source(&writer, c->body->range.end - 1, c->body->range.end);
    bool failed = writer.failed;
    char *text = failed ? NULL : ht_text_take(&writer.text);
    ht_writer_free(&writer);
    return text;
}
