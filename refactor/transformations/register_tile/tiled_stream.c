#include "refactor/transformations/register_tile/tiled_stream.h"
#include "base/memory.h"
#include "refactor/plan/coverage.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"
#include "refactor/transformations/register_tile/tiled_write.h"

#include <stdlib.h>

void ht_tiled_walk(ht_tiled_form *form, size_t axis, const char *param, const char *fresh) {
    ht_tiled *t = form->inside;
    ht_plan *plan = t->c.plan;
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->axes[i].form == &form->axes[axis])
            t->walk.axis = i;
    t->walk.steps = param;
    t->walk.fresh = fresh;
    if (param && !t->walk.last) {
        char *last = ht_format("%s_last", form->axes[axis].name);
        t->walk.last = ht_plan_name(plan, last);
        free(last);
    }
    free(form->axes[axis].extent);
    form->axes[axis].extent = ht_plan_per_block(plan, form->axes[axis].axis);
}

static bool is_walked(const ht_tiled *t, size_t axis) {
    return t->walk.steps && t->walk.axis == axis;
}

void ht_tiled_write_first(ht_tiled *t, size_t axis, ht_writer *writer, size_t like) {
    const ht_tiled_axis *of = t->axes[axis].form;
    ht_writer_line(writer, like);
    if (is_walked(t, axis))
        ht_writer_printf(writer, "$?{%s == 1}{}{const }", t->walk.steps);
    else
        ht_writer_printf(writer, "const ");
    ht_writer_printf(writer, "%s%s = %s + threadIdx.%c", t->axes[axis].type, of->first, of->origin,
                     (char)('x' + of->axis));
    ht_writer_printf(writer, "$?{!%s}{ * (%s ? 1 : %s)}{ * ${%s}}", of->strided, of->strided,
                     of->factor, of->factor);
    if (is_walked(t, axis))
        ht_writer_printf(writer, "$?{%s > 1}{ * %s}{ * ${%s}}", t->walk.steps, t->walk.steps,
                         t->walk.steps);
    ht_writer_printf(writer, ";");
    if (!is_walked(t, axis))
        return;
    ht_writer_printf(writer, "$?{%s > 1}{", t->walk.steps);
    ht_writer_put(writer, like, "bool %s = true;}{", t->walk.fresh);
    ht_writer_put(writer, like, "bool %s = true;}", t->walk.fresh);
}

static void write_limit(ht_tiled *t, const char *sign, const char *of, const char *limit,
                        bool asked, ht_writer *writer, size_t like) {
    ht_writer_put(writer, like, "if (");
    if (asked)
        ht_writer_printf(writer, "%s > 1 && ", t->walk.steps);
    ht_writer_printf(writer, "%s %s %s) %s = %s;", of, sign, limit, of, limit);
}

/* Writes the loop. `asked`: in the template, where the parameter may turn walking off. */
static void write_loop(ht_tiled *t, bool asked, ht_writer *writer, size_t like) {
    const ht_tiled_axis *of = t->axes[t->walk.axis].form;
    ht_writer_put(writer, like, "%s%s = %s + ${%s - 1};", t->axes[t->walk.axis].type, t->walk.last,
                  of->first, t->walk.steps);
    if (t->axes[t->walk.axis].has_high)
        write_limit(t, ">", t->walk.last, of->high, asked, writer, like);
    if (of->low)
        write_limit(t, "<", of->first, of->low, asked, writer, like);
    ht_writer_open(writer, like, "for (; %s <= %s; ++%s) {", of->first, t->walk.last, of->first);
    ht_tiled_write_calls(t, asked ? HT_WALK_MAY : HT_WALK_DOES, writer, like);
    ht_writer_put(writer, like, "%s = false;", t->walk.fresh);
    ht_writer_close(writer, like, "}");
}

void ht_tiled_write_walk(ht_tiled *t, ht_writer *writer, size_t like) {
    if (!t->walk.steps) {
        ht_tiled_write_calls(t, HT_WALK_NOT, writer, like);
        return;
    }
    ht_writer_printf(writer, "$?{%s > 1}{", t->walk.steps);
    write_loop(t, true, writer, like);
    ht_writer_printf(writer, "}{");
    write_loop(t, false, writer, like);
    ht_writer_printf(writer, "}$?{%s == 1}{}{", t->walk.steps);
    ht_tiled_write_calls(t, HT_WALK_NOT, writer, like);
    ht_writer_printf(writer, "}");
}
