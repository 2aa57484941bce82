/* Walking: along one axis a thread computes its outputs one after the other, in a loop around all
 * that the tiled form does, so that it can keep in registers what the next output needs again. */
#include "base/memory.h"
#include "refactor/kernel/geometry.h"
#include "refactor/plan/coverage.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

#include <stdlib.h>

void ht_tiled_walk(ht_tiled_form *form, size_t axis, const char *param, const char *fresh) {
    ht_tiled *t = form->inside;
    ht_plan *plan = t->c.plan;
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->tiled[i] == &form->axes[axis])
            t->walked = i;
    t->steps = param;
    t->fresh = fresh;
    if (param && !t->last) {
        char *last = ht_format("%s_last", form->axes[axis].name);
        t->last = ht_plan_name(plan, last);
        free(last);
    }
    free(form->axes[axis].extent);
    form->axes[axis].extent = ht_plan_per_block(plan, form->axes[axis].axis);
}

static bool is_walked(const ht_tiled *t, size_t axis) {
    return t->steps && t->walked == axis;
}

void ht_tiled_write_first(ht_tiled *t, size_t axis, ht_writer *writer, size_t like) {
    const ht_tiled_axis *of = t->tiled[axis];
    ht_writer_line(writer, like);
    if (is_walked(t, axis))
        ht_writer_printf(writer, "$?{%s == 1}{}{const }", t->steps);
    else
        ht_writer_printf(writer, "const ");
    ht_writer_printf(writer, "%s%s = %s + threadIdx.%c", t->axes[axis].type, of->first, of->origin,
                     (char)('x' + of->axis));
    ht_writer_printf(writer, "$?{!%s}{ * (%s ? 1 : %s)}{ * ${%s}}", of->strided, of->strided,
                     of->factor, of->factor);
    if (is_walked(t, axis))
        ht_writer_printf(writer, "$?{%s > 1}{ * %s}{ * ${%s}}", t->steps, t->steps, t->steps);
    ht_writer_printf(writer, ";");
    if (!is_walked(t, axis))
        return;
    ht_writer_printf(writer, "$?{%s > 1}{", t->steps);
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "bool %s = true;}{", t->fresh);
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "bool %s = true;}", t->fresh);
}

static void write_limit(ht_tiled *t, const char *sign, const char *of, const char *limit,
                        bool asked, ht_writer *writer, size_t like) {
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "if (");
    if (asked)
        ht_writer_printf(writer, "%s > 1 && ", t->steps);
    ht_writer_printf(writer, "%s %s %s) %s = %s;", of, sign, limit, of, limit);
}

/* `asked`: in the template, in which the parameter may say that nothing is walked. */
static void write_loop(ht_tiled *t, bool asked, ht_writer *writer, size_t like) {
    const ht_tiled_axis *of = t->tiled[t->walked];
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "%s%s = %s + ${%s - 1};", t->axes[t->walked].type, t->last, of->first,
                     t->steps);
    if (t->axes[t->walked].has_high)
        write_limit(t, ">", t->last, of->high, asked, writer, like);
    if (of->low)
        write_limit(t, "<", of->first, of->low, asked, writer, like);
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "for (; %s <= %s; ++%s) {", of->first, t->last, of->first);
    ++writer->depth;
    ht_tiled_write_calls(t, asked ? HT_WALK_MAY : HT_WALK_DOES, writer, like);
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "%s = false;", t->fresh);
    --writer->depth;
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "}");
}

void ht_tiled_write_walk(ht_tiled *t, ht_writer *writer, size_t like) {
    if (!t->steps) {
        ht_tiled_write_calls(t, HT_WALK_NOT, writer, like);
        return;
    }
    ht_writer_printf(writer, "$?{%s > 1}{", t->steps);
    write_loop(t, true, writer, like);
    ht_writer_printf(writer, "}{");
    write_loop(t, false, writer, like);
    ht_writer_printf(writer, "}$?{%s == 1}{}{", t->steps);
    ht_tiled_write_calls(t, HT_WALK_NOT, writer, like);
    ht_writer_printf(writer, "}");
}
