#include "refactor/transformations/register_tile/tiled_single.h"
#include "base/memory.h"
#include "refactor/kernel/steady.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/register_tile/tiled_front.h"
#include "refactor/transformations/register_tile/tiled_joined.h"
#include "refactor/transformations/register_tile/tiled_nearest.h"
#include "refactor/transformations/register_tile/tiled_share.h"

#include <stdlib.h>
#include <string.h>

/* ---- outputs along an axis ---- */

void ht_tiled_dimension(const ht_tiled *t, size_t axis, ht_text *out) {
    const char *factor = t->axes[axis].form->factor;
    if (t->text == HT_TILE_APART)
        ht_text_printf(out, "[${%s}]", factor);
    else
        ht_text_printf(out, "$?{%s > 1}{}{[${%s}]}", factor, factor);
}

void ht_tiled_element(const ht_tiled *t, size_t axis, ht_text *out) {
    const ht_tiled_axis *of = t->axes[axis].form;
    if (t->text == HT_TILE_APART)
        ht_text_printf(out, "[%s]", of->counter);
    else
        ht_text_printf(out, "$?{%s > 1}{}{[%s]}", of->factor, of->counter);
}

char *ht_tiled_single_place(const ht_tiled *t, size_t axis) {
    const ht_tiled_axis *of = t->axes[axis].form;
    if (!of->strided)
        return ht_format("%s$?{%s > 1}{}{ + %s}", of->first, of->factor, of->counter);
    return t->text == HT_TILE_BLOCK /* counts threads by numbers throughout */
               ? ht_format("%s$?{%s > 1}{}{ + %s$?{%s}{}{ * ${%s}}}", of->first, of->factor,
                           of->counter, of->strided, ht_plan_block(t->c.plan, of->axis))
               : ht_format("%s$?{%s > 1}{}{ + %s$?{%s}{}{ * blockDim.%c}}", of->first, of->factor,
                           of->counter, of->strided, (char)('x' + of->axis));
}

/* Returns true for an axis whose index is declared in front where a thread has one output along
 * it. */
static bool is_in_front(const ht_tiled *t, size_t axis) {
    return t->text == HT_TILE_THREAD || t->axes[axis].form == &t->form.plain;
}

char *ht_tiled_tested(ht_tiled *t, const ht_syntax *statement) {
    bool *asked = ht_alloc(t->c.tree->variable_count + 1, sizeof *asked);
    ht_text text = {0};
    ht_tiled_needs_tests(t, statement, asked);
    for (size_t i = 0; i < t->axis_count; ++i)
        if (asked[t->axes[i].variable])
            ht_text_printf(&text, text.length ? " * %s" : "%s", t->axes[i].form->factor);
    free(asked);
    return text.length ? ht_text_take(&text) : NULL;
}

/* ---- bounds ---- */

static bool is_only(const ht_syntax_variable *variable, const void *context) {
    (void)context;
    return ht_syntax_is_only(variable);
}

/* Returns true if the bound is the same where it is written again. */
static bool is_steady(const ht_syntax *bound) {
    return ht_syntax_is_steady(bound, &(ht_steady){.keeps = is_only});
}

/* Returns the bound of an index of joined blocks; NULL: a guard asks for another one. */
static const ht_tile_bound *joined_limit(const ht_tiled *t, size_t axis) {
    if (!t->axes[axis].tiles)
        return NULL;
    for (size_t i = 0; i < t->body.item_count; ++i)
        for (size_t k = 0; k < t->body.items[i].bound_count; ++k)
            if (t->body.items[i].bounds[k].axis == axis)
                return NULL;
    return is_steady(t->count.bound) ? &t->count : NULL;
}

const ht_tile_bound *ht_tiled_only_bound(const ht_tiled *t, size_t axis) {
    if (t->axes[axis].form == &t->form.plain)
        return joined_limit(t, axis);
    const ht_tile_bound *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < t->body.item_count; ++i)
        for (size_t k = 0; k < t->body.items[i].bound_count; ++k)
            if (t->body.items[i].bounds[k].axis == axis) {
                found = &t->body.items[i].bounds[k];
                ++count;
            }
    if (count != 1 || (found->op != HT_BINARY_LT && found->op != HT_BINARY_LE))
        return NULL;
    ht_range inner = ht_syntax_strip(found->index)->range;
    ht_range outer = ht_syntax_written(found->index)->range;
    return is_steady(found->bound) && inner.begin == outer.begin && inner.end == outer.end ? found
                                                                                           : NULL;
}

const ht_tile_bound *ht_tiled_limit(const ht_tiled *t, size_t axis) {
    return t->text == HT_TILE_THREAD ? ht_tiled_only_bound(t, axis) : NULL;
}

/* Returns true if min() of the index and its limit compares them as the author's guard does. */
static bool is_min(const ht_tiled *t, size_t axis, const ht_tile_bound *limit) {
    const ht_syntax *index = t->c.tree->variables[t->axes[axis].variable].declaration;
    const ht_syntax *bound = ht_syntax_written(limit->bound);
    return index->bits == 32 && bound->bits == 32 && index->is_signed == bound->is_signed &&
           bound->type == HT_TYPE_INTEGER && !bound->is_open && !index->is_open;
}

void ht_tiled_write_clamped(const ht_tiled *t, size_t axis, const char *place, ht_writer *writer) {
    const ht_tiled_axis *of = t->axes[axis].form;
    const ht_tile_bound *limit = ht_tiled_limit(t, axis);
    if (limit) {
        char *bound = ht_tiled_bound_text(limit);
        const char *less = limit->op == HT_BINARY_LT ? " - 1" : "";
        const char *strided = is_min(t, axis, limit) ? of->strided ? of->strided : "0" : "1";
        ht_writer_printf(writer, "$?{!%s}{}{min(%s, %s%s)}$?{%s}{}{%s %s %s ? %s : %s%s}", strided,
                         place, bound, less, strided, place, ht_operator_text(limit->op), bound,
                         place, bound, less);
        free(bound);
        return;
    }
    if (of->low)
        ht_writer_printf(writer, "%s < %s ? %s : ", place, of->low, of->low);
    if (t->axes[axis].has_high)
        ht_writer_printf(writer, "%s > %s ? %s : ", place, of->high, of->high);
    ht_writer_printf(writer, "%s", place);
}

/* Writes the index itself where all outputs are inside, else the nearest one inside. */
static void write_asked(const ht_tiled *t, size_t axis, const char *place, ht_writer *writer) {
    const ht_tiled_axis *of = t->axes[axis].form;
    if (of->low)
        ht_writer_printf(writer, "!%s && %s < %s ? %s : ", t->names.whole, place, of->low, of->low);
    if (t->axes[axis].has_high)
        ht_writer_printf(writer, "!%s && %s > %s ? %s : ", t->names.whole, place, of->high,
                         of->high);
    ht_writer_printf(writer, "%s", place);
}

void ht_tiled_single_index(ht_tiled *t, size_t axis, bool clamped, ht_writer *writer, size_t like) {
    const ht_tiled_axis *of = t->axes[axis].form;
    char *place = ht_tiled_single_place(t, axis);
    bool several = is_in_front(t, axis);
    if (several)
        ht_writer_printf(writer, "$?{%s > 1}{}{", of->factor);
    ht_writer_put(writer, like, "%s%s%s = ", ht_coarsen_index_const(&t->c, t->axes[axis].variable),
                  t->axes[axis].type, of->name);
    if (clamped && ht_tiled_is_kept(t, axis))
        ht_tiled_write_nearest(t, axis, place, writer);
    else if (clamped && t->text == HT_TILE_THREAD)
        ht_tiled_write_clamped(t, axis, place, writer);
    else if (clamped)
        write_asked(t, axis, place, writer);
    else
        ht_writer_printf(writer, "%s", place);
    ht_writer_printf(writer, several ? ";}" : ";");
    free(place);
}

/* Appends the tests that say that the output is outside along an axis (`inside`: that it is
 * inside). Returns their number. */
static size_t add_tests(const ht_tiled *t, size_t axis, bool named, bool inside, ht_text *out) {
    const ht_tiled_axis *of = t->axes[axis].form;
    const ht_tile_bound *limit = ht_tiled_limit(t, axis);
    const char *join = inside ? " && " : " || ";
    char *place = named ? ht_strdup(of->name) : ht_tiled_single_place(t, axis);
    size_t count = 0;
    if (limit) {
        char *bound = ht_tiled_bound_text(limit);
        int op = inside ? limit->op : ht_operator_negated(limit->op);
        ht_text_printf(out, "%s %s %s", place, ht_operator_text(op), bound);
        free(bound);
        ++count;
    } else {
        if (of->low)
            ht_text_printf(out, "%s%s %s %s", count++ ? join : "", place, inside ? ">=" : "<",
                           of->low);
        if (t->axes[axis].has_high)
            ht_text_printf(out, "%s%s %s %s", count++ ? join : "", place, inside ? "<=" : ">",
                           of->high);
    }
    free(place);
    return count;
}

/* Returns when the index of an output is declared in its loop: a template expression; free(). */
static char *when_inner(const ht_tiled *t, size_t axis) {
    return is_in_front(t, axis) ? ht_format("%s > 1", t->axes[axis].form->factor) : ht_strdup("1");
}

static ht_tiled_joined join_tests(const ht_tiled *t, const bool *needed, bool inside) {
    ht_tiled_joined all = {0};
    for (size_t i = 0; i < t->axis_count; ++i) {
        ht_text test = {0};
        size_t count = add_tests(t, i, needed[t->axes[i].variable], inside, &test);
        char *when = when_inner(t, i), *text = count ? ht_text_take(&test) : NULL;
        if (count)
            ht_tiled_join(&all, inside ? "&&" : "||", when, text, count > 1);
        free(when);
        free(text);
        if (!count)
            ht_text_free(&test);
    }
    return all;
}

/* Writes `if (TESTS)}`; several tests where the text knows whether the tile is full after that:
 * `if (full || (TESTS))}`. */
static void write_asked_test(const ht_tiled *t, const ht_tiled_joined *all, bool inside,
                             ht_writer *writer) {
    char *full = all->many.length ? ht_tiled_full(t) : NULL;
    char *asked = full ? ht_format("(%s) && (%s)", full, all->many.data) : ht_strdup("0");
    ht_writer_printf(writer, "if (");
    if (full)
        ht_writer_printf(writer, "$?{%s}{}{%s%s %s (}", asked, inside ? "" : "!", t->names.inside,
                         inside ? "||" : "&&");
    ht_writer_printf(writer, "%s", all->text.data);
    if (full)
        ht_writer_printf(writer, "$?{%s}{}{)}", asked);
    ht_writer_printf(writer, ")}");
    free(asked);
    free(full);
}

/* Writes `if (TESTS)`, where threads meet `if (all_inside || TESTS)`, or the opposite. Returns when
 * it is there, as a template expression; NULL: there are no tests. free(). */
static char *write_test(const ht_tiled *t, const bool *needed, bool inside, ht_writer *writer,
                        size_t like) {
    ht_tiled_joined all = join_tests(t, needed, inside);
    char *there = all.any.length ? ht_strdup(all.any.data) : NULL;
    if (there) {
        const char *many = all.many.length ? all.many.data : "0";
        ht_writer_printf(writer, "$?{%s}{}{", there);
        ht_writer_line(writer, like);
        if (t->text != HT_TILE_THREAD) {
            ht_writer_printf(writer, "if (%s%s", inside ? "" : "!", t->names.whole);
            ht_writer_printf(writer, "%s$?{%s}{}{(}%s$?{%s}{}{)})}", inside ? " || " : " && ", many,
                             all.text.data, many);
        } else
            write_asked_test(t, &all, inside, writer);
    }
    ht_tiled_joined_free(&all);
    return there;
}

/* ---- loops ---- */

/* Keeps a condition for as long as the form; returns it. */
static const char *keep(ht_tiled *t, char *condition) {
    for (size_t i = 0; i < t->condition_count; ++i)
        if (strcmp(t->conditions[i], condition) == 0) {
            free(condition);
            return t->conditions[i];
        }
    HT_GROW(t->conditions, t->condition_count);
    return t->conditions[t->condition_count++] = condition;
}

void ht_tiled_single_free(ht_tiled *t) {
    ht_strings_free(t->conditions, t->condition_count);
}

static void push(ht_writer *writer, const char *condition) {
    if (writer->level_count == HT_WRITER_LEVELS_MAX)
        writer->failed = true;
    else
        writer->levels[writer->level_count++] = condition;
}

void ht_tiled_single_enter(ht_tiled *t, const bool *needed, ht_writer *writer, size_t like) {
    char *there = write_test(t, needed, true, writer, like);
    push(writer, keep(t, there ? there : ht_strdup("0")));
}

/* Returns when the first output outside is the last one that is asked for: outputs lie along one
 * axis, and have no bound below; a template expression; free(). */
static char *when_last(const ht_tiled *t) {
    ht_text text = {0};
    for (size_t i = 0; i < t->axis_count; ++i) {
        if (!ht_tiled_limit(t, i) && t->axes[i].form->low)
            continue;
        ht_text_printf(&text, text.length ? " || (" : "(");
        for (size_t k = 0; k < t->axis_count; ++k)
            ht_text_printf(&text, k ? " && %s %s 1" : "%s %s 1", t->axes[k].form->factor,
                           k == i ? ">" : "==");
        ht_text_append(&text, ")");
    }
    return text.length ? ht_text_take(&text) : ht_strdup("0");
}

void ht_tiled_single_leave(ht_tiled *t, const bool *needed, ht_writer *writer, size_t like) {
    char *there = write_test(t, needed, false, writer, like);
    if (there) {
        char *last = when_last(t);
        ht_writer_printf(writer, "$?{%s}{}{", there);
        ++writer->depth;
        ht_writer_line(writer, like);
        --writer->depth;
        if (t->text == HT_TILE_THREAD)
            ht_writer_printf(writer, "$?{%s}{}{break}$?{!(%s)}{}{continue};}", last, last);
        else
            ht_writer_printf(writer, "continue;}");
        free(last);
    }
    free(there);
}

/* Returns "COARSEN_Y * COARSEN_X" for the needed axes from one on; NULL: no axis is. free(). */
static char *product(const ht_tiled *t, const bool *needed, size_t from) {
    ht_text text = {0};
    for (size_t i = from; i < t->axis_count; ++i)
        if (!needed || needed[t->axes[i].variable])
            ht_text_printf(&text, text.length ? " * %s" : "%s", t->axes[i].form->factor);
    return text.length ? ht_text_take(&text) : NULL;
}

void ht_tiled_single_loops(ht_tiled *t, const bool *needed, ht_writer *writer, size_t like) {
    char *all = product(t, needed, 0);
    size_t levels = writer->level_count;
    for (size_t i = 0; i < t->axis_count; ++i) {
        const ht_tiled_axis *of = t->axes[i].form;
        if (needed && !needed[t->axes[i].variable])
            continue;
        ht_writer_printf(writer, "$?{%s > 1}{}{", of->factor);
        ht_tiled_axis_loop(of, writer, like);
        --writer->depth;
        ht_writer_printf(writer, "}");
        push(writer, keep(t, ht_format("%s > 1", of->factor)));
    }
    size_t inside = writer->level_count;
    writer->level_count = levels;
    if (all)
        ht_writer_printf(writer, "$?{%s > 1}{}{ }$?{%s == 1}{}{", all, all);
    ht_writer_put(writer, like, all ? "}{" : "{");
    writer->level_count = inside;
    push(writer, keep(t, all ? ht_format("%s == 1", all) : ht_strdup("1")));
    free(all);
}

void ht_tiled_single_loops_end(ht_tiled *t, const bool *needed, ht_writer *writer, size_t like) {
    size_t count = 1;
    for (size_t i = 0; i < t->axis_count; ++i)
        count += !needed || needed[t->axes[i].variable];
    writer->level_count -= count < writer->level_count ? count : writer->level_count;
    size_t levels = writer->level_count;
    for (size_t i = 0; i < t->axis_count; ++i) {
        char *inner = !needed || needed[t->axes[i].variable] ? product(t, needed, i + 1) : NULL;
        if (inner)
            push(writer, keep(t, ht_format("%s > 1 && %s > 1", t->axes[i].form->factor, inner)));
        free(inner);
    }
    ht_writer_put(writer, like, "}");
    writer->level_count = levels;
}
