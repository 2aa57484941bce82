#include "refactor/transformations/register_tile/tiled_write.h"
#include "base/memory.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_vector.h"
#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_ahead.h"
#include "refactor/transformations/register_tile/tiled_front.h"
#include "refactor/transformations/register_tile/tiled_nearest.h"
#include "refactor/transformations/register_tile/tiled_once.h"
#include "refactor/transformations/register_tile/tiled_parts.h"
#include "refactor/transformations/register_tile/tiled_segment.h"
#include "refactor/transformations/register_tile/tiled_single.h"
#include "refactor/transformations/register_tile/tiled_stage.h"
#include "refactor/transformations/register_tile/tiled_stream.h"
#include "refactor/transformations/register_tile/tiled_thread.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void write_list(ht_tiled *t, ht_syntax_list list, size_t count, ht_writer *writer);

/* Writes the texts inserted at a place. Each line is indented like the line of `like`, one level
 * deeper. */
static void write_inserts(ht_tiled *t, long place, ht_writer *writer, size_t like) {
    ++writer->depth;
    for (size_t i = 0; i < t->added.insert_count; ++i) {
        if (t->added.inserts[i].place != place)
            continue;
        if (t->added.inserts[i].each)
            ht_tiled_write_each(t, &t->added.inserts[i], writer, like);
        else
            ht_writer_lines(writer, t->added.inserts[i].text, like);
    }
    --writer->depth;
}

/* ---- statements outside of the segments ---- */

/* Returns where the statement itself begins, after its pragmas. */
static size_t begin_of(const ht_syntax *node) {
    return node->start;
}

/* Returns where what stands ahead of a body ends. */
static size_t header_end(const ht_tiled *t, size_t end) {
    while (end > 0 && isspace((unsigned char)t->c.model->text[end - 1]))
        --end;
    return end;
}

/* Writes a body in braces: the author's, or new ones. */
static void write_body(ht_tiled *t, const ht_syntax *owner, const ht_syntax *body,
                       ht_writer *writer) {
    size_t loop = ht_tiled_loop_of(&t->form, owner);
    bool block = body->kind == HT_SYNTAX_COMPOUND;
    if (block && body != owner && body->plain && t->text != HT_TILE_APART) {
        ht_writer_source(writer, header_end(t, body->range.begin), body->range.begin);
        ht_writer_printf(writer, "{");
    } else
        ht_writer_printf(writer, " {");
    if (loop != SIZE_MAX)
        write_inserts(t, (long)loop, writer, begin_of(owner));
    const char *text = t->c.model->text;
    bool same_line = !block && !memchr(text + owner->start, '\n', body->range.begin - owner->start);
    writer->depth += same_line; /* its indentation is the loop's */
    if (block)
        write_list(t, body->children, body->count, writer);
    else
        write_list(t, &body, 1, writer);
    writer->depth -= same_line;
    ht_writer_put(writer, begin_of(owner), "}");
}

static void write_header(ht_tiled *t, size_t begin, size_t end, ht_writer *writer) {
    ht_writer_source(writer, begin, header_end(t, end));
}

/* Writes the other body of an if, after the author's `else` where his braces stay. */
static void write_else(ht_tiled *t, const ht_syntax *node, const ht_syntax *body,
                       ht_writer *writer) {
    const ht_syntax *first = node->children[1];
    if (first->kind == HT_SYNTAX_COMPOUND && first->plain && t->text != HT_TILE_APART)
        write_header(t, first->range.end, body->range.begin, writer);
    else
        ht_writer_printf(writer, " else");
    write_body(t, node, body, writer);
}

/* Writes the pragma of a loop that repeats for several outputs now, as the search had it. */
static void write_unrolled(ht_tiled *t, const ht_syntax *loop, ht_writer *writer) {
    ht_text several = {0};
    for (size_t i = 0; i < t->axis_count; ++i)
        ht_text_printf(&several, "%s%s > 1", several.length ? " || " : "", t->axes[i].form->factor);
    ht_writer_unroll_kept(writer, loop, several.data);
    ht_text_free(&several);
}

/* Writes a statement that runs once for all outputs, although parts of it may not. */
static void write_statement(ht_tiled *t, const ht_syntax *node, ht_writer *writer) {
    size_t end = ht_statement_end(&t->c, node);
    const ht_syntax *last = node->count ? node->children[node->count - 1] : NULL;
    if (node->count == 0 || !ht_node_any_apart(&t->c, node)) {
        ht_writer_source(writer, node->range.begin, end);
        return;
    }
    switch (node->kind) {
    case HT_SYNTAX_COMPOUND:
        write_body(t, node, node, writer);
        return;
    case HT_SYNTAX_FOR:
    case HT_SYNTAX_WHILE:
        write_unrolled(t, node, writer);
        write_header(t, node->range.begin, last->range.begin, writer);
        write_body(t, node, last, writer);
        return;
    case HT_SYNTAX_IF:
        if (t->c.marks[node->index].enters) { /* its parts make the test themselves */
            write_body(t, node, node->children[1], writer);
            return;
        }
        write_header(t, node->range.begin, node->children[1]->range.begin, writer);
        write_body(t, node, node->children[1], writer);
        if (last)
            write_else(t, node, last, writer);
        return;
    case HT_SYNTAX_DO:
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

/* Returns which of a declaration's variables stand in a list and run once for all outputs: how
 * many, and the first of them. */
static size_t count_listed(const ht_tiled *t, ht_syntax_list list, size_t count,
                           const ht_syntax *statement, const ht_syntax **out_first) {
    size_t listed = 0;
    *out_first = NULL;
    for (size_t i = 0; i < count; ++i)
        if (list[i]->kind == HT_SYNTAX_VARIABLE && list[i]->parent == statement &&
            !t->c.marks[list[i]->index].apart) {
            *out_first = *out_first ? *out_first : list[i];
            ++listed;
        }
    return listed;
}

static void write_listed(ht_tiled *t, ht_syntax_list list, size_t count, const ht_syntax *node,
                         ht_writer *writer) {
    const ht_syntax *statement = ht_statement_of(node);
    if (node->kind == HT_SYNTAX_VARIABLE && statement->count > 1) {
        const ht_syntax *first;
        bool whole = count_listed(t, list, count, statement, &first) == statement->count &&
                     statement->plain && t->text != HT_TILE_APART;
        if (whole && node == first)
            ht_writer_statement(writer, statement);
        else if (!whole) {
            ht_tiled_write_comments(t, node, writer, statement->range.begin);
            ht_writer_line(writer, statement->range.begin);
            ht_writer_variable(writer, node);
        }
        return;
    }
    ht_writer_lead(writer, node);
    write_statement(t, statement, writer);
    ht_writer_source(writer, ht_statement_end(&t->c, statement),
                     ht_statement_tail(&t->c, statement));
}

/* Returns true if the statement may read a staged array. */
static bool is_top(const ht_tiled *t, const ht_syntax *statement) {
    bool declares =
        statement->kind == HT_SYNTAX_VARIABLE || statement->kind == HT_SYNTAX_DECLARATION;
    if (declares && !ht_syntax_is_risky(statement))
        return false;
    return ht_node_any_apart(&t->c, statement) || ht_syntax_is_loop(statement);
}

size_t ht_tiled_top(const ht_tiled *t) {
    for (size_t i = 0; i < t->body.work.count;) {
        size_t end = t->c.marks[t->body.work.statements[i]->index].apart
                         ? ht_jam_group_end(&t->c, t->body.work.statements, i, t->body.work.count)
                         : i + 1;
        for (size_t k = i; k < end; ++k)
            if (is_top(t, t->body.work.statements[k]))
                return i;
        i = end;
    }
    return t->body.work.count;
}

static void write_top(ht_tiled *t, const ht_syntax *before, ht_writer *writer) {
    --writer->depth;
    write_inserts(t, HT_TILED_TOP, writer, ht_statement_of(before)->range.begin);
    ++writer->depth;
}

static void write_list(ht_tiled *t, ht_syntax_list list, size_t count, ht_writer *writer) {
    bool top = list == t->body.work.statements;
    size_t inserted = top ? ht_tiled_top(t) : count; /* before this one */
    for (size_t i = 0; i < count;) {
        int deeper = top ? ht_statement_entered(&t->c, list[i]) -
                               (t->text == HT_TILE_THREAD ? t->entered : 0)
                         : 0;
        writer->depth -= deeper;
        if (i == inserted)
            write_top(t, list[i], writer);
        if (t->c.marks[list[i]->index].apart) {
            size_t end = ht_jam_group_end(&t->c, list, i, count);
            ht_tiled_write_segment(t, list, i, end, writer);
            i = end;
        } else {
            write_listed(t, list, count, list[i++], writer);
        }
        writer->depth += deeper;
    }
}

/* ---- places with other text ---- */

typedef struct swap_walk {
    ht_tiled *t;
    ht_writer *writer;
    const ht_syntax *inside; /* the text being written is the inside of this replaced expression */
    const ht_vectors *vectors;
} swap_walk;

static void collect_swaps(ht_tiled *t, const ht_syntax *node, ht_writer *writer,
                          const ht_syntax *inside, const ht_vectors *vectors);

/* Returns the text of a replaced expression, with "$@" filled in; free(). */
static char *replaced_text(ht_tiled *t, const ht_tile_swap *swap) {
    ht_writer inner = {.c = &t->c};
    collect_swaps(t, swap->node, &inner, swap->node, NULL);
    ht_writer_source(&inner, swap->node->range.begin, swap->node->range.end);
    char *text = ht_text_replaced(swap->text, "$@", inner.text.data ? inner.text.data : "");
    ht_writer_free(&inner);
    return text;
}

static bool on_swap(const ht_syntax *node, void *context) {
    swap_walk *walk = context;
    ht_tiled *t = walk->t;
    char *element = ht_vectors_element(walk->vectors, node, t->vector.each);
    if (element) {
        ht_writer_swap(walk->writer, node->range, element);
        return false;
    }
    const char *once = ht_tile_onces_text(&t->once, node);
    once = once ? once : ht_tile_onces_text(&t->ahead, node);
    if (once) {
        ht_writer_swap(walk->writer, node->range, ht_strdup(once));
        return false;
    }
    for (size_t i = 0; i < t->added.swap_count && node != walk->inside; ++i)
        if (t->added.swaps[i].node == node) {
            ht_writer_swap(walk->writer, node->range, replaced_text(t, &t->added.swaps[i]));
            return false;
        }
    if (node->kind == HT_SYNTAX_RETURN && ht_node_apart_root(&t->c, node))
        ht_writer_swap(walk->writer, node->range, ht_strdup("continue"));
    if (node->kind == HT_SYNTAX_NAME && t->c.values[node->variable].array) {
        ht_text text = {0};
        ht_text_append(&text, t->c.tree->variables[node->variable].name);
        for (size_t a = 0; a < t->axis_count; ++a)
            ht_tiled_element(t, a, &text);
        ht_writer_swap(walk->writer, node->range, ht_text_take(&text));
    }
    return true;
}

static void collect_swaps(ht_tiled *t, const ht_syntax *node, ht_writer *writer,
                          const ht_syntax *inside, const ht_vectors *vectors) {
    swap_walk walk = {t, writer, inside, vectors};
    ht_syntax_walk(node, on_swap, &walk);
}

void ht_tiled_collect_swaps(ht_tiled *t, const ht_syntax *node, ht_writer *writer,
                            const ht_vectors *vectors) {
    collect_swaps(t, node, writer, NULL, vectors);
}

/* ---- the whole ---- */

/* Writes this thread's first output, and the distance between its outputs. */
static void write_firsts(ht_tiled *t, ht_writer *writer, size_t like) {
    for (size_t i = 0; i < t->axis_count; ++i) {
        const ht_tiled_axis *of = t->axes[i].form;
        if (!of->strided)
            continue;
        ht_writer_printf(writer, "$?{%s}{", of->strided);
        ht_writer_put(writer, like, "const int %s = ${%s ? %s : 1};}{}", t->axes[i].step,
                      of->strided, ht_plan_block(t->c.plan, of->axis));
        ht_tiled_write_first(t, i, writer, like);
    }
}

/* Adds the distance from the first output to the last. */
static void add_reach(const ht_tiled *t, size_t axis, bool block, ht_text *out) {
    const ht_tiled_axis *of = t->axes[axis].form;
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
        if (t->axes[i].form == &form->axes[axis]) {
            ht_text_printf(&text, "%s + ",
                           block ? form->axes[axis].origin : form->axes[axis].first);
            add_reach(t, i, block, &text);
        }
    return ht_text_take(&text);
}

/* Returns the condition that all outputs of the thread are inside (where threads meet: all of the
 * block). Along an axis that is walked, an output is always inside. */
static char *whole_text(const ht_tiled *t, bool block, ht_tile_walk walk) {
    ht_text text = {0};
    for (size_t i = 0; i < t->axis_count; ++i) {
        const ht_tiled_axis *of = t->axes[i].form;
        const char *begin = block ? of->origin : of->first;
        bool walked = walk != HT_WALK_NOT && i == t->walk.axis;
        char *may = walked ? ht_format("(%s > 1 || ", t->walk.steps) : ht_strdup("");
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

/* Writes the thread's condition, or, where threads meet inside, the block's. */
static void write_asked(const ht_tiled *t, const char *thread, const char *block,
                        ht_writer *writer) {
    if (t->added.meets)
        ht_writer_printf(writer, "$?{%s}{(${%s} ? %s : %s)}{%s}$?{!(%s)}{}{%s}", t->added.meets,
                         t->added.meets, block, thread, block, t->added.meets, thread);
    else
        ht_writer_printf(writer, "%s", thread);
}

/* Writes tile(edge, inner); the second argument if the form has an inner path. */
static void write_call(const ht_tiled *t, const char *edge, const char *inner, ht_writer *writer,
                       size_t like) {
    ++writer->depth;
    ht_writer_put(writer, like, "%s(%s%s%s);", t->names.tile, edge, inner ? ", " : "",
                  inner ? inner : "");
    --writer->depth;
}

/* Returns whether outputs may lie outside, as text, where threads that are all inside have no way
 * of their own; free(). Asked where the tuned source asks: where threads meet, or outputs that lie
 * next to each other are read in loops of the author's (tiled_nearest.h). Else compilers would make
 * two bodies of the template, whose time nothing that is written has. */
static char *edge_text(const ht_tiled *t) {
    const char *meets = t->added.meets, *whole = t->names.whole, *apart = t->form.apart;
    char *near = t->names.inside ? ht_tiled_neighbours(t) : NULL;
    char *asked = near ? ht_format("!(${%s}) || !%s", near, whole) : ht_strdup("true");
    char *text = NULL;
    if (!meets)
        text = ht_format("$?{%s}{%s}{true}", apart, asked);
    else
        text = ht_format("$?{%s}{$?{%s}{!(${%s}%s%s) || !%s}{!%s}$?{!(%s)}{}{true}}{true}", apart,
                         meets, meets, near ? " || " : "", near ? near : "", whole, whole, meets);
    free(asked);
    free(near);
    return text;
}

/* Writes the calls. `thread` NULL: all outputs are always inside. `inner` "": with the inner path;
 * "NAME && ": with it if the parameter says so; NULL: without it. */
static void write_ways(ht_tiled *t, const char *thread, const char *block, const char *inner,
                       ht_writer *writer, size_t like) {
    const char *no = inner ? "false" : NULL;
    if (thread) {
        ht_writer_put(writer, like, "const bool %s = ", t->names.whole);
        write_asked(t, thread, block, writer);
        ht_writer_printf(writer, ";");
    }
    ht_writer_line(writer, like);
    if (inner) {
        ht_writer_printf(writer, "if (%s%s%s", inner, thread ? t->names.whole : "",
                         thread ? " && " : "");
        write_asked(t, t->inner.thread, t->inner.block, writer);
        ht_writer_printf(writer, ") // so are their windows");
        write_call(t, "false", "true", writer, like);
        ht_writer_put(writer, like, "else ");
    }
    if (thread)
        ht_writer_printf(writer, "if ($?{%s}{%s && }{}%s)", t->form.apart, t->form.apart,
                         t->names.whole);
    write_call(t, "false", no, writer, like);
    if (!thread)
        return;
    ht_writer_put(writer, like, "else // those outside compute what the nearest one inside does");
    char *edge = edge_text(t);
    write_call(t, edge, no, writer, like);
    free(edge);
}

void ht_tiled_write_calls(ht_tiled *t, ht_tile_walk walk, ht_writer *writer, size_t like) {
    char *thread = whole_text(t, false, walk), *block = whole_text(t, true, walk);
    if (t->inner.param) {
        char *asked = ht_format("${%s} && ", t->inner.param);
        ht_writer_printf(writer, "$?{%s}{", t->inner.param);
        write_ways(t, thread, block, asked, writer, like);
        ht_writer_printf(writer, "}{");
        write_ways(t, thread, block, "", writer, like);
        ht_writer_printf(writer, "}$?{!%s}{}{", t->inner.param);
        write_ways(t, thread, block, NULL, writer, like);
        ht_writer_printf(writer, "}");
        free(asked);
    } else
        write_ways(t, thread, block, NULL, writer, like);
    free(thread);
    free(block);
}

/* Writes whether all outputs of the thread, or of a block in which threads meet, are inside. */
static void write_whole(ht_tiled *t, ht_writer *writer, size_t like) {
    char *thread = whole_text(t, false, HT_WALK_NOT), *block = whole_text(t, true, HT_WALK_NOT);
    if (thread) {
        ht_writer_put(writer, like, "const bool %s = ", t->names.whole);
        write_asked(t, thread, block, writer);
        ht_writer_printf(writer, ";");
    }
    free(thread);
    free(block);
}

/* Writes the work as a function, and its calls. */
static void write_apart(ht_tiled *t, ht_writer *writer, size_t like) {
    ht_writer_put(writer, like, "// the outputs of this thread; edge: some may lie outside");
    ht_writer_put(writer, like, "auto %s = [&](bool %s", t->names.tile, t->names.edge);
    if (t->inner.param)
        ht_writer_printf(writer, "$?{%s}{, bool %s}{, bool %s}", t->inner.param, t->inner.name,
                         t->inner.name);
    ht_writer_printf(writer, ") __attribute__((always_inline)) {");
    ++writer->depth;
    write_list(t, t->body.work.statements, t->body.work.count, writer);
    ht_writer_close(writer, like, "};");
    ht_tiled_write_walk(t, writer, like);
}

/* Ends threads without an output, where threads do not meet: they would compute what the nearest
 * one inside does, as threads of a block that stages something have to. */
static void write_idle(const ht_tiled *t, ht_writer *writer, size_t like) {
    const char *meets = t->added.meets;
    ht_text outside = {0};
    size_t count = 0;
    for (size_t i = 0; i < t->axis_count && !t->c.meets && !t->walk.steps; ++i)
        if (t->axes[i].form != &t->form.plain && t->axes[i].has_high) {
            const ht_tiled_axis *of = t->axes[i].form;
            ht_text_printf(&outside, "%s%s > %s", count++ ? " || " : "", of->first, of->high);
        }
    if (count && meets)
        ht_writer_printf(writer, "$?{!(%s)}{", meets);
    if (count)
        ht_writer_put(writer, like,
                      meets ? "if (!(${%s}) && %s%s%s) return; // no output of the thread"
                            : "%sif (%s%s%s) return; // no output of the thread",
                      meets ? meets : "", meets && count > 1 ? "(" : "", outside.data,
                      meets && count > 1 ? ")" : "");
    if (count && meets) {
        ht_writer_printf(writer, "}{");
        ht_writer_put(writer, like, "if (%s) return; // no output of the thread}", outside.data);
    }
    ht_text_free(&outside);
}

static void write_front(ht_tiled *t, ht_writer *writer, size_t like) {
    if (t->text == HT_TILE_THREAD)
        ht_tiled_thread_front(t, writer, like);
    else {
        ht_tiled_write_front(t, writer, like);
        write_firsts(t, writer, like);
        if (t->text == HT_TILE_APART)
            write_idle(t, writer, like);
        if (t->text == HT_TILE_BLOCK)
            write_whole(t, writer, like);
    }
    --writer->depth;
    write_inserts(t, HT_TILED_FRONT, writer, like);
    ++writer->depth;
}

/* Writes the text that t->text names. Returns NULL if it cannot be written; free(). */
static char *text_of(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    ht_writer writer = {.c = c};
    size_t like = c->tree->body->children[0]->range.begin;
    memset(t->led, 0, (c->tree->variable_count + 1) * sizeof *t->led);
    for (size_t i = 0; i < t->body.work.count; ++i)
        ht_tiled_collect_swaps(t, t->body.work.statements[i], &writer, NULL);
    if (t->text == HT_TILE_APART) {
        t->vector.count = 0;
        t->vector.why = NULL;
    }
    ht_writer_source(&writer, c->tree->body->range.begin, c->tree->body->range.begin + 1);
    write_front(t, &writer, like);
    if (t->text == HT_TILE_APART)
        write_apart(t, &writer, like);
    else
        write_list(t, t->body.work.statements, t->body.work.count, &writer);
    if (t->text == HT_TILE_THREAD)
        ht_tiled_thread_end(t, &writer);
    ht_writer_line(&writer, c->tree->body->range.end - 1);
    ht_writer_source(&writer, c->tree->body->range.end - 1, c->tree->body->range.end);
    bool failed = writer.failed || !ht_writer_is_balanced(&writer);
    char *text = failed ? NULL : ht_text_take(&writer.text);
    ht_writer_free(&writer);
    return text;
}

/* Writes the work as the text of a thread has it, for what that text needs, which the other texts
 * follow, is known once it is written. */
static void learn_needs(ht_tiled *t) {
    t->text = HT_TILE_THREAD;
    free(text_of(t));
    t->text = HT_TILE_APART;
    ht_tiled_nearest_settle(t);
}

char *ht_tiled_text(ht_tiled *t) {
    if (!t->c.meets)
        learn_needs(t);
    return text_of(t);
}

/* Returns one of the texts of an applied source in which all outputs have one body. "": there is
 * none, and the parameter that it is for is required. free(). */
static char *single_text(ht_tiled *t, ht_tile_text kind) {
    t->text = kind;
    char *text = kind == HT_TILE_BLOCK && ht_tiled_hides(t) ? NULL : text_of(t);
    t->text = HT_TILE_APART;
    if (text)
        return text;
    const char *when = kind == HT_TILE_BLOCK && !t->c.meets ? t->added.meets : NULL;
    if (!t->is_apart[kind] && (kind == HT_TILE_THREAD || t->c.meets))
        ht_plan_require(t->c.plan, "!%s || %s", t->form.param, t->form.apart);
    else if (when)
        ht_plan_require(t->c.plan, "!(%s) || %s", when, t->form.apart);
    t->is_apart[kind] = true;
    return ht_strdup("");
}

/* Puts the form next to the original, which an applied source leaves out. */
bool ht_tiled_put(ht_tiled *t, const char *form) {
    ht_range body = t->c.model->definition.body_range;
    const char *param = t->form.param, *apart = t->form.apart;
    const char *meets = t->c.meets ? "1" : t->added.meets ? t->added.meets : "0";
    char *thread = t->c.meets ? ht_strdup("") : single_text(t, HT_TILE_THREAD);
    char *block = t->c.meets || t->added.meets ? single_text(t, HT_TILE_BLOCK) : ht_strdup("");
    /* where threads meet only if sizes are constants, the one for these serves any size */
    char *text = ht_format("$?{%s}{{\nif (%s) %s else $[%zu,%zu]\n}}{$?{%s}{}{%s}"
                           "$?{!%s && (%s)}{%s}{%s}$?{!%s && !(%s)}{}{%s}}",
                           param, param, form, body.begin, body.end, apart, form, apart, meets,
                           block, block, apart, meets, thread);
    bool done = ht_plan_wrap(t->c.plan, body, param, text);
    free(text);
    free(thread);
    free(block);
    return done;
}
