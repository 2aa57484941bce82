#include "refactor/transformations/register_tile/tiled_nearest.h"
#include "base/memory.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/register_tile/tiled_front.h"
#include "refactor/transformations/register_tile/tiled_joined.h"
#include "refactor/transformations/register_tile/tiled_single.h"

#include <stdlib.h>

void ht_tiled_nearest_note(ht_tiled *t, size_t axis, const ht_syntax *statement) {
    bool loops = false;
    for (size_t i = 0; i < t->form.loop_count; ++i)
        loops = loops || ht_syntax_within(statement, t->form.loops[i].loop);
    if (t->text == HT_TILE_THREAD && loops && ht_tiled_limit(t, axis))
        t->axes[axis].repeats = true;
}

/* Returns the axis x of several outputs; HT_TILED_AXES_MAX: there is none. */
static size_t axis_x(const ht_tiled *t) {
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->axes[i].form->axis == 0 && t->axes[i].form != &t->form.plain)
            return i;
    return HT_TILED_AXES_MAX;
}

char *ht_tiled_neighbours(const ht_tiled *t) {
    size_t x = axis_x(t);
    if (x == HT_TILED_AXES_MAX)
        return NULL;
    const ht_tiled_axis *of = t->axes[x].form;
    return of->strided ? ht_format("%s > 1 && !%s", of->factor, of->strided)
                       : ht_format("%s > 1", of->factor);
}

void ht_tiled_nearest_settle(ht_tiled *t) {
    bool any = false;
    for (size_t i = 0; i < t->axis_count; ++i) {
        any = any || t->axes[i].repeats;
        if (t->axes[i].repeats && !t->axes[i].kept)
            t->axes[i].kept = ht_tiled_name_like(t->c.plan, "_clamped", t->axes[i].form->name);
    }
    if (any && axis_x(t) < HT_TILED_AXES_MAX && !t->names.inside)
        t->names.inside = ht_plan_name(t->c.plan, "full");
}

bool ht_tiled_is_kept(const ht_tiled *t, size_t axis) {
    return t->text == HT_TILE_THREAD && t->axes[axis].kept;
}

/* Returns when the loops ask, as a template expression: where an axis along which they need the
 * nearest index has several outputs; free(). */
static char *asked_when(const ht_tiled *t) {
    char *near = t->names.inside ? ht_tiled_neighbours(t) : NULL;
    ht_text several = {0};
    if (!near)
        return ht_strdup("0");
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->axes[i].kept && ht_tiled_limit(t, i))
            ht_text_printf(&several, "%s%s > 1", several.length ? " || " : "",
                           t->axes[i].form->factor);
    char *asked = ht_format("(%s) && (%s)", near, several.length ? several.data : "0");
    ht_text_free(&several);
    free(near);
    return asked;
}

void ht_tiled_write_nearest(const ht_tiled *t, size_t axis, const char *place, ht_writer *writer) {
    char *asked = asked_when(t);
    if (t->names.inside) {
        ht_writer_printf(writer, "$?{%s}{}{%s ? %s : ", asked, t->names.inside, place);
        ht_tiled_write_clamped(t, axis, place, writer);
        ht_writer_printf(writer, "}");
    }
    ht_writer_printf(writer, "$?{!(%s)}{}{%s[%s]}", asked, t->axes[axis].kept,
                     t->axes[axis].form->counter);
    free(asked);
}

char *ht_tiled_full(const ht_tiled *t) {
    bool all = t->text == HT_TILE_THREAD && t->names.inside;
    for (size_t i = 0; i < t->axis_count && all; ++i)
        all = ht_tiled_limit(t, i) || !(t->axes[i].form->low || t->axes[i].has_high);
    return all ? asked_when(t) : NULL;
}

static const char why[] = "// outputs past the edge read what lies inside, and are not stored";

/* Returns the test that a thread's outputs are all inside along an axis; free(). A guard is ahead:
 * the bound is above the first output, so that the difference is a number, of whichever type. */
static char *inside_along(const ht_tiled *t, size_t axis) {
    const ht_tiled_axis *of = t->axes[axis].form;
    const ht_tile_bound *limit = ht_tiled_limit(t, axis);
    const char *strided = of->strided ? of->strided : "0";
    bool strict = limit->op == HT_BINARY_LT;
    char *bound = ht_tiled_bound_text(limit);
    char *text =
        ht_format("$?{!%s}{}{%s - %s >= ${%s%s}}$?{%s}{}{%s + ${%s - 1} * blockDim.%c %s %s}",
                  strided, bound, of->first, of->factor, strict ? "" : " - 1", strided, of->first,
                  of->factor, (char)('x' + of->axis), strict ? "<" : "<=", bound);
    free(bound);
    return text;
}

/* Writes the question, along all axes that have several outputs. */
static void write_question(const ht_tiled *t, ht_writer *writer, size_t like) {
    char *asked = asked_when(t);
    ht_tiled_joined all = {0};
    ht_writer_printf(writer, "$?{%s}{}{", asked);
    ht_writer_put(writer, like,
                  "// a full tile needs no clamp; a partial one does not store outputs past the "
                  "edge");
    ht_writer_put(writer, like, "const bool %s = ", t->names.inside);
    for (size_t i = 0; i < t->axis_count; ++i) {
        if (!ht_tiled_limit(t, i))
            continue;
        char *when = ht_format("%s > 1", t->axes[i].form->factor), *test = inside_along(t, i);
        ht_tiled_join(&all, "&&", when, test, false);
        free(when);
        free(test);
    }
    ht_writer_printf(writer, "%s;}", all.text.length ? all.text.data : "");
    ht_tiled_joined_free(&all);
    free(asked);
}

/* Writes a comment ahead of the first array. */
static void write_why(const ht_tiled *t, size_t axis, ht_writer *writer, size_t like) {
    ht_text first = {0};
    ht_text_printf(&first, "%s > 1", t->axes[axis].form->factor);
    for (size_t i = 0; i < axis; ++i)
        if (ht_tiled_is_kept(t, i))
            ht_text_printf(&first, " && %s == 1", t->axes[i].form->factor);
    ht_writer_printf(writer, "$?{%s}{}{", first.data);
    ht_writer_put(writer, like, "%s}", why);
    ht_text_free(&first);
}

static void write_array(const ht_tiled *t, size_t axis, ht_writer *writer, size_t like) {
    const ht_tiled_axis *of = t->axes[axis].form;
    char *place = ht_tiled_single_place(t, axis);
    write_why(t, axis, writer, like);
    ht_writer_printf(writer, "$?{%s > 1}{}{", of->factor);
    ht_writer_put(writer, like, "%s%s[${%s}];", t->axes[axis].type, t->axes[axis].kept, of->factor);
    ht_tiled_axis_loop(of, writer, like);
    ht_writer_line(writer, like);
    --writer->depth;
    ht_writer_printf(writer, "%s[%s] = ", t->axes[axis].kept, of->counter);
    ht_tiled_write_clamped(t, axis, place, writer);
    ht_writer_printf(writer, ";}");
    free(place);
}

void ht_tiled_nearest_write(ht_tiled *t, ht_writer *writer, size_t like) {
    char *asked = asked_when(t);
    if (t->names.inside && t->text == HT_TILE_THREAD)
        write_question(t, writer, like);
    for (size_t i = 0; i < t->axis_count; ++i) {
        if (!ht_tiled_is_kept(t, i))
            continue;
        ht_writer_printf(writer, "$?{!(%s)}{}{", asked);
        write_array(t, i, writer, like);
        ht_writer_printf(writer, "}");
    }
    free(asked);
}
