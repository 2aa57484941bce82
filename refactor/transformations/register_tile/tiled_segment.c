#include "refactor/transformations/register_tile/tiled_segment.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_carry.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_ahead.h"
#include "refactor/transformations/register_tile/tiled_clamped.h"
#include "refactor/transformations/register_tile/tiled_front.h"
#include "refactor/transformations/register_tile/tiled_nearest.h"
#include "refactor/transformations/register_tile/tiled_once.h"
#include "refactor/transformations/register_tile/tiled_parts.h"
#include "refactor/transformations/register_tile/tiled_placed.h"
#include "refactor/transformations/register_tile/tiled_share.h"
#include "refactor/transformations/register_tile/tiled_single.h"
#include "refactor/transformations/register_tile/tiled_vector.h"
#include "refactor/transformations/register_tile/tiled_write.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns the output's index, not clamped: "x0 + tx * x_step". free(). */
static char *ht_tiled_place(const ht_tiled *t, size_t axis) {
    const ht_tiled_axis *of = t->axes[axis].form;
    if (t->text != HT_TILE_APART)
        return ht_tiled_single_place(t, axis);
    if (!of->strided)
        return ht_format("%s + %s", of->first, of->counter);
    return ht_format("%s + %s$?{%s}{ * %s}{ * ${%s}}", of->first, of->counter, of->strided,
                     t->axes[axis].step, ht_plan_block(t->c.plan, of->axis));
}

void ht_tiled_write_places(const ht_tiled *t, const bool *needed, char **out_dimensions,
                           char **out_place) {
    ht_text dimensions = {0}, place = {0};
    for (size_t i = 0; i < t->axis_count; ++i)
        if (needed[t->axes[i].variable]) {
            ht_tiled_dimension(t, i, &dimensions);
            ht_tiled_element(t, i, &place);
        }
    ht_text_append(&dimensions, "");
    ht_text_append(&place, "");
    *out_dimensions = ht_text_take(&dimensions);
    *out_place = ht_text_take(&place);
}

/* ---- the loops ---- */

int ht_tiled_write_loops(ht_tiled *t, const bool *needed, size_t inner, ht_writer *writer,
                         size_t like) {
    int count = 0;
    if (t->text != HT_TILE_APART) {
        ht_tiled_single_loops(t, needed, writer, like);
        return 0;
    }
    for (size_t i = 0; i + inner < t->axis_count; ++i) {
        const ht_tiled_axis *axis = t->axes[i].form;
        if (needed && !needed[t->axes[i].variable])
            continue;
        ht_tiled_axis_loop(axis, writer, like);
        ++count;
    }
    if (inner == 0)
        ht_writer_printf(writer, count ? " {" : "{");
    writer->depth -= count;
    return count;
}

/* Writes const int x = the output's index; `clamped`: or that of the nearest output inside. */
void ht_tiled_write_index(ht_tiled *t, size_t i, bool clamped, ht_writer *writer, size_t like) {
    const ht_tiled_axis *axis = t->axes[i].form;
    if (t->text != HT_TILE_APART) {
        ht_tiled_single_index(t, i, clamped, writer, like);
        return;
    }
    char *place = ht_tiled_place(t, i);
    ht_writer_put(writer, like, "const %s%s = ", t->axes[i].type, axis->name);
    if (clamped && axis->low)
        ht_writer_printf(writer, "%s && %s < %s ? %s : ", t->names.edge, place, axis->low,
                         axis->low);
    if (clamped && t->axes[i].has_high)
        ht_writer_printf(writer, "%s && %s > %s ? %s : ", t->names.edge, place, axis->high,
                         axis->high);
    ht_writer_printf(writer, "%s;", place);
    free(place);
}

/* Writes `continue` for outputs outside, before statements with an effect. */
static void write_leave(ht_tiled *t, ht_writer *writer, size_t like) {
    ht_text tests = {0};
    size_t count = 0;
    for (size_t i = 0; i < t->axis_count; ++i) {
        const ht_tiled_axis *axis = t->axes[i].form;
        char *place = ht_tiled_place(t, i);
        if (axis->low)
            ht_text_printf(&tests, "%s%s < %s", count++ ? " || " : "", place, axis->low);
        if (t->axes[i].has_high)
            ht_text_printf(&tests, "%s%s > %s", count++ ? " || " : "", place, axis->high);
        free(place);
    }
    if (count) {
        ht_writer_open(writer, like, count > 1 ? "if (%s && (%s))" : "if (%s && %s)", t->names.edge,
                       tests.data);
        ht_writer_line(writer, like);
        --writer->depth;
        ht_writer_printf(writer, "continue; // outside");
    }
    ht_text_free(&tests);
}

/* ---- statements ---- */

/* Text between these two is left out where `placed` does not hold; NULL: it is in. */
static void open_placed(ht_writer *writer, const char *placed) {
    if (placed)
        ht_writer_printf(writer, "$?{!(%s)}{}{", placed);
}

/* Frees `placed`. */
static void close_placed(ht_writer *writer, char *placed) {
    ht_writer_printf(writer, placed ? "}" : "");
    free(placed);
}

/* ---- the author's declarations and comments ---- */

static bool is_in(ht_syntax_list list, size_t begin, size_t end, const ht_syntax *node) {
    for (size_t i = begin; i < end; ++i)
        if (list[i] == node)
            return true;
    return false;
}

/* Returns true if a declaration's variables, which are items of the list, can be copied at once:
 * the loops declare all of them. */
static bool is_copied(const ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                      const bool *needed, const ht_syntax *statement) {
    bool copied = t->text != HT_TILE_APART && statement->plain && statement->count > 1;
    for (size_t i = 0; i < statement->count && copied; ++i) {
        const ht_syntax *node = statement->children[i];
        copied = is_in(list, begin, end, node) && t->c.marks[node->index].apart &&
                 !t->c.values[node->variable].array &&
                 (needed[node->variable] || !t->again[node->variable]);
    }
    return copied;
}

void ht_tiled_write_comments(ht_tiled *t, const ht_syntax *variable, ht_writer *writer,
                             size_t like) {
    bool *led = &t->led[ht_statement_of(variable)->children[0]->variable];
    if (t->text != HT_TILE_APART && !*led)
        ht_writer_comments(writer, variable, like);
    *led = true;
}

/* Returns how many levels of the author's guards an item is deeper than the segment's first, whose
 * indentation counts. */
static int deeper(const ht_tiled *t, const ht_syntax *first, const ht_syntax *item) {
    return ht_statement_entered(&t->c, ht_statement_of(item)) -
           ht_statement_entered(&t->c, ht_statement_of(first));
}

/* Writes again what is computed anew and is declared in another segment. */
void ht_tiled_write_again(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                          const bool *needed, ht_writer *writer, size_t like) {
    for (size_t n = 0; n < t->c.tree->count; ++n) { /* in the order of the source */
        const ht_syntax *node = t->c.tree->nodes[n];
        if (node->kind != HT_SYNTAX_VARIABLE || !needed[node->variable] ||
            ht_tiled_is_index(t, node->variable) || ht_syntax_within_any(node, list, begin, end))
            continue;
        char *placed = list ? ht_tiled_placed(t, node) : NULL;
        open_placed(writer, placed);
        ht_tiled_write_comments(t, node, writer, like);
        ht_writer_line(writer, like);
        ht_writer_variable(writer, node);
        close_placed(writer, placed);
    }
}

static bool is_zero(const ht_tiled *t, const ht_syntax *node) {
    return ht_tiled_is_zero(t, node) || ht_coarsen_starts_at_zero(&t->c, node);
}

/* Returns true if an array's declaration has values that must be assigned in the loops. */
static bool is_assigned(const ht_tiled *t, const ht_syntax *node) {
    return ht_variable_has_initialiser(&t->c, node) && !is_zero(t, node);
}

/* Copies a statement, with what stands ahead of it and a comment after it. */
static void copy_item(ht_tiled *t, const ht_syntax *first, const ht_syntax *item, ht_writer *writer,
                      size_t like) {
    const ht_syntax *statement = ht_statement_of(item);
    size_t lead = ht_statement_lead(&t->c, item);
    const char *text = t->c.model->text;
    int levels = deeper(t, first, item);
    if (item->kind == HT_SYNTAX_VARIABLE || item->kind == HT_SYNTAX_DECLARATION)
        t->led[statement->children[0]->variable] = true;
    if (!memchr(text + lead, '\n', statement->range.begin - lead)) {
        ht_writer_line(writer, like);
        while (isspace((unsigned char)text[lead]))
            ++lead;
    }
    writer->depth -= levels;
    ht_writer_source(writer, lead, ht_statement_tail(&t->c, statement));
    writer->depth += levels;
}

static void write_own_item(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                           const ht_syntax *item, const bool *needed, ht_writer *writer) {
    const ht_syntax *statement = ht_statement_of(item);
    size_t like = ht_statement_of(list[begin])->range.begin;
    ht_syntax_list variables;
    size_t count = ht_syntax_variables(item, &variables);
    bool copied =
        item->kind == HT_SYNTAX_VARIABLE && is_copied(t, list, begin, end, needed, statement);
    if (ht_declaration_is_whole(&t->c, item) || (copied && statement->children[0] == item))
        copy_item(t, list[begin], item, writer, like);
    if (ht_declaration_is_whole(&t->c, item) || copied)
        return;
    for (size_t i = 0; i < count; ++i) {
        const ht_syntax *node = variables[i];
        const ht_syntax_variable *variable = &t->c.tree->variables[node->variable];
        if (!t->c.marks[node->index].apart ||
            (t->again[node->variable] && !needed[node->variable]) ||
            (t->c.values[node->variable].array && !is_assigned(t, node)))
            continue;
        ht_tiled_write_comments(t, node, writer, like);
        ht_writer_line(writer, like);
        if (!t->c.values[node->variable].array) {
            ht_writer_variable(writer, node);
            continue;
        }
        ht_writer_printf(writer, "%s", variable->name);
        for (size_t a = 0; a < t->axis_count; ++a)
            ht_tiled_element(t, a, &writer->text);
        ht_writer_printf(writer, " = ");
        ht_writer_source(writer, node->children[0]->range.begin, node->children[0]->range.end);
        ht_writer_printf(writer, ";");
    }
}

/* Writes a statement of a segment, unless it stays ahead of the loops. */
static void write_item(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                       const ht_syntax *item, const bool *needed, ht_writer *writer) {
    ht_syntax_list variables;
    size_t count = ht_syntax_variables(item, &variables);
    char *placed = count == 1 ? ht_tiled_placed(t, variables[0]) : NULL;
    open_placed(writer, placed);
    write_own_item(t, list, begin, end, item, needed, writer);
    close_placed(writer, placed);
}

static void write_array(ht_tiled *t, const ht_syntax *first, const ht_syntax *node,
                        ht_writer *writer) {
    size_t like = ht_statement_of(first)->range.begin;
    int levels = deeper(t, first, node);
    const ht_syntax_variable *variable = &t->c.tree->variables[node->variable];
    char *type = ht_syntax_variable_type(variable, true);
    size_t name = variable->name_end;
    if (t->text != HT_TILE_APART && ht_statement_of(node)->count == 1) {
        t->led[node->variable] = true;
        writer->depth -= levels;
        ht_writer_lead(writer, node);
        writer->depth += levels;
    } else {
        ht_tiled_write_comments(t, node, writer, like);
        ht_writer_line(writer, like);
    }
    ht_writer_printf(writer, "%s%s", type ? type : "", variable->name);
    for (size_t a = 0; a < t->axis_count; ++a)
        ht_tiled_dimension(t, a, &writer->text);
    ht_writer_source(writer, name, ht_variable_dimensions_end(&t->c, node, name));
    ht_writer_printf(writer, is_zero(t, node) ? " = {};" : ";");
    writer->failed |= !type;
    free(type);
}

/* Writes the declarations before the loops. Returns true if nothing is left for the loops. */
static bool write_declarations(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                               const bool *needed, ht_writer *writer, size_t like) {
    bool empty = true;
    for (size_t i = begin; i < end; ++i) {
        ht_syntax_list variables;
        size_t count = ht_syntax_variables(list[i], &variables);
        empty &= list[i]->kind == HT_SYNTAX_DECLARATION || list[i]->kind == HT_SYNTAX_VARIABLE;
        for (size_t k = 0; k < count; ++k) {
            const ht_syntax *node = variables[k];
            const ht_value *value = &t->c.values[node->variable];
            if (!t->c.marks[node->index].apart) {
                ht_tiled_write_comments(t, node, writer, like);
                ht_writer_line(writer, like);
                ht_writer_variable(writer, node);
            } else if (value->array) {
                write_array(t, list[begin], node, writer);
                empty &= !is_assigned(t, node);
            } else {
                empty &= t->again[node->variable] && !needed[node->variable];
            }
        }
    }
    return empty;
}

typedef struct test_writing {
    const ht_tiled *t;
    ht_writer *writer;
    size_t like;
} test_writing;

static void write_test(const ht_syntax *test, bool skips, void *context) {
    const test_writing *in = context;
    const ht_syntax *condition = test->children[0];
    char *placed = skips ? ht_tiled_placed_test(in->t, test) : NULL;
    open_placed(in->writer, placed);
    ht_writer_put(in->writer, in->like, skips ? "if (" : "if (!(");
    ht_writer_source(in->writer, condition->range.begin, condition->range.end);
    ht_writer_printf(in->writer, skips ? ") continue;" : ")) continue;");
    close_placed(in->writer, placed);
}

void ht_tiled_write_tests(const ht_tiled *t, const ht_syntax *statement, ht_writer *writer,
                          size_t like) {
    test_writing in = {t, writer, like};
    ht_carried_visit(&t->c, ht_statement_of(statement), write_test, &in);
}

void ht_tiled_write_items(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                          const bool *needed, ht_writer *writer) {
    for (size_t i = begin; i < end; ++i) {
        bool wanted = !ht_tiled_is_skipped(t, list[i]);
        ht_syntax_list variables;
        size_t count = ht_syntax_variables(list[i], &variables);
        for (size_t k = 0; k < count; ++k)
            wanted |= needed[variables[k]->variable];
        if (wanted)
            write_item(t, list, begin, end, list[i], needed, writer);
    }
}

/* Writes the items with values that were read ahead. */
static void write_items_once(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                             const bool *needed, ht_writer *writer) {
    ht_writer inner = ht_writer_inner(writer);
    for (size_t i = begin; i < end; ++i)
        ht_tiled_collect_swaps(t, list[i], &inner, NULL);
    ht_tiled_write_items(t, list, begin, end, needed, &inner);
    ht_writer_join(writer, &inner);
}

static void count_test(const ht_syntax *test, bool skips, void *context) {
    (void)test;
    (void)skips;
    ++*(size_t *)context;
}

/* Returns true if a test around the only statement can keep outputs outside from it. */
static bool is_alone(const ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                     const bool *needed) {
    size_t tests = 0;
    ht_carried_visit(&t->c, ht_statement_of(list[begin]), count_test, &tests);
    bool alone = end - begin == 1 && list[begin]->kind > HT_SYNTAX_EMPTY && tests == 0;
    for (size_t v = 0; v < t->c.tree->variable_count; ++v)
        alone = alone && !(needed[v] && !ht_tiled_is_index(t, v));
    return alone;
}

/* Writes the statements in loops over all outputs. */
static void write_loops(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end, bool effect,
                        bool once, ht_writer *writer) {
    size_t like = ht_statement_of(list[begin])->range.begin;
    bool *needed = ht_alloc(t->c.tree->variable_count + 1, sizeof *needed);
    ht_tiled_needs(t, list, begin, end, needed);
    ht_tiled_needs_tests(t, list[begin], needed);
    bool ahead = !effect && !once && ht_tiled_ahead_begin(t, list, begin, end, writer, like);
    ht_tiled_write_loops(t, NULL, 0, writer, like);
    writer->depth += t->text == HT_TILE_APART ? (int)t->axis_count : 0;
    if (effect && t->text == HT_TILE_APART)
        write_leave(t, writer, like);
    for (size_t i = 0; i < t->axis_count; ++i)
        if (needed[t->axes[i].variable]) {
            bool clamped = !effect && (once || !ht_tiled_is_clamped(t, i, list, begin, end));
            if (clamped)
                ht_tiled_nearest_note(t, i, list[begin]);
            ht_tiled_write_index(t, i, clamped, writer, like);
        }
    bool alone = effect && t->text != HT_TILE_APART && is_alone(t, list, begin, end, needed);
    if (alone)
        ht_tiled_single_enter(t, needed, writer, like);
    else if (effect && t->text != HT_TILE_APART)
        ht_tiled_single_leave(t, needed, writer, like);
    ht_tiled_write_again(t, list, begin, end, needed, writer, like);
    ht_tiled_write_tests(t, list[begin], writer, like);
    if (once || ahead)
        write_items_once(t, list, begin, end, needed, writer);
    else
        ht_tiled_write_items(t, list, begin, end, needed, writer);
    writer->level_count -= alone && writer->level_count > 0;
    ht_tiled_end_loops(t, NULL, (int)t->axis_count, writer, like);
    ht_tile_onces_leave(&t->ahead);
    free(needed);
}

/* Returns true if outputs outside do not run the statements. */
static bool leaves_outside(const ht_tiled *t, ht_syntax_list list, size_t begin, size_t end) {
    bool effect = t->body.leaves;
    for (size_t i = begin; i < end; ++i)
        effect |= ht_syntax_has_effect(list[i]);
    return effect;
}

static void write_usual(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                        ht_writer *writer) {
    size_t like = ht_statement_of(list[begin])->range.begin;
    bool effect = leaves_outside(t, list, begin, end);
    char *told = t->text == HT_TILE_APART ? NULL : ht_tiled_tested(t, list[begin]);
    size_t variables = t->c.tree->variable_count + 1;
    bool *led = ht_alloc(variables, sizeof *led); /* the texts below stand for each other */
    memcpy(led, t->led, variables * sizeof *led);
    if (told) /* outputs of which one test decides need nothing ahead of it */
        ht_writer_printf(writer, "$?{%s > 1}{}{", told);
    bool once = !effect && ht_tiled_once_begin(t, list, begin, end, writer, like);
    write_loops(t, list, begin, end, effect, once, writer);
    if (once)
        ht_tiled_once_end(t, writer, like);
    if (told) {
        memcpy(t->led, led, variables * sizeof *led);
        ht_writer_printf(writer, "}$?{%s == 1}{}{", told);
        write_loops(t, list, begin, end, effect, false, writer);
        ht_writer_printf(writer, "}");
    }
    free(led);
    free(told);
}

/* Returns true if a declaration that stands ahead of the loops may read memory, in a text in which
 * a thread has several outputs along one axis. */
static bool reads_ahead(ht_tiled *t, const ht_syntax *statement) {
    ht_syntax_list variables;
    size_t count = ht_syntax_variables(statement, &variables);
    bool reads = false;
    for (size_t i = 0; i < count; ++i) {
        char *placed = t->axis_count > 1 ? ht_tiled_placed(t, variables[i]) : NULL;
        bool ahead = placed || !t->c.marks[variables[i]->index].apart;
        reads = reads || (ahead && ht_syntax_is_risky(variables[i]));
        free(placed);
    }
    return reads;
}

bool ht_tiled_begins_with_test(ht_tiled *t) {
    ht_syntax_list list = t->body.work.statements;
    size_t count = t->body.work.count;
    if (count == 0 || !t->c.marks[list[0]->index].apart ||
        ht_jam_group_end(&t->c, list, 0, count) != count || ht_tiled_is_idle(t, list, 0, count) ||
        !leaves_outside(t, list, 0, count))
        return false;
    bool *needed = ht_alloc(t->c.tree->variable_count + 1, sizeof *needed);
    bool first = ht_tiled_needs(t, list, 0, count, needed) && !is_alone(t, list, 0, count, needed);
    for (size_t i = 0; i < count; ++i)
        first = first && !reads_ahead(t, list[i]);
    free(needed);
    return first;
}

void ht_tiled_write_segment(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                            ht_writer *writer) {
    size_t like = ht_statement_of(list[begin])->range.begin;
    ht_tiled_write_placed(t, list, begin, end, writer);
    if (ht_tiled_is_idle(t, list, begin, end))
        return;
    bool *needed = ht_alloc(t->c.tree->variable_count + 1, sizeof *needed);
    writer->failed |= !ht_tiled_needs(t, list, begin, end, needed);
    bool empty = write_declarations(t, list, begin, end, needed, writer, like);
    free(needed);
    if (!empty && t->vector.param && t->text == HT_TILE_APART)
        ht_tiled_write_vectors(t, list, begin, end, write_usual, writer);
    else if (!empty)
        write_usual(t, list, begin, end, writer);
}

int ht_tiled_begin_loops(ht_tiled *t, const bool *needed, ht_writer *writer, size_t like) {
    bool any = t->text != HT_TILE_APART;
    for (size_t i = 0; i < t->axis_count; ++i)
        any |= needed[t->axes[i].variable];
    if (!any)
        ht_writer_line(writer, like);
    int loops = ht_tiled_write_loops(t, needed, 0, writer, like);
    if (t->text == HT_TILE_APART)
        writer->depth += loops ? loops : 1;
    for (size_t i = 0; i < t->axis_count; ++i)
        if (needed[t->axes[i].variable])
            ht_tiled_write_index(t, i, true, writer, like);
    ht_tiled_write_again(t, NULL, 0, 0, needed, writer, like);
    return loops;
}

void ht_tiled_end_loops(ht_tiled *t, const bool *needed, int loops, ht_writer *writer,
                        size_t like) {
    if (t->text != HT_TILE_APART) {
        ht_tiled_single_loops_end(t, needed, writer, like);
        return;
    }
    ht_writer_close(writer, like, "}");
    writer->depth -= loops ? loops - 1 : 0;
}

static void write_once(ht_tiled *t, const ht_tile_insert *insert, ht_writer *writer, size_t like) {
    bool *needed = ht_alloc(t->c.tree->variable_count + 1, sizeof *needed);
    const ht_syntax *expression = insert->each;
    writer->failed |= !ht_tiled_needs(t, &expression, 0, 1, needed);
    int loops = ht_tiled_begin_loops(t, needed, writer, like);
    ht_writer_lines(writer, insert->text, like);
    ht_tiled_end_loops(t, needed, loops, writer, like);
    free(needed);
}

void ht_tiled_write_each(ht_tiled *t, const ht_tile_insert *insert, ht_writer *writer,
                         size_t like) {
    ht_writer_printf(writer, "$?{%s}{", insert->condition);
    ht_writer_open(writer, like, "if (%s) {", insert->condition);
    write_once(t, insert, writer, like);
    ht_writer_close(writer, like, "}}{");
    write_once(t, insert, writer, like);
    ht_writer_printf(writer, "}");
}
