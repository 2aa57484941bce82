/* stream-window: in the tiled form, a thread walks along an axis (or along an existing loop) and
 * keeps neighbouring elements that it reads in registers: a window that moves on by one element, so
 * that each is read once. refactor/staging/window.c finds the reads of a window; stream_write.c
 * writes it. docs/streaming.md explains it. */
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel_model/build.h"
#include "refactor/launch/distinct.h"
#include "refactor/plan/plan.h"
#include "refactor/staging/print.h"
#include "refactor/transformations/register_tile/tiled_each.h"
#include "refactor/transformations/register_tile/tiled_stage.h"
#include "refactor/transformations/register_tile/tiled_stream.h"
#include "refactor/transformations/stream_window/stream_write.h"

#include <stdlib.h>
#include <string.h>

/* ---- aliases ---- */

/* Returns true if all launches pass different allocations for two arguments. */
static bool are_apart(const ht_kernel_model *km, size_t first, size_t second) {
    const ht_model *model = km->facts;
    const ht_launches *launches = &model->facts->launches;
    const ht_source *source = model->facts->source;
    const ht_parameter *a = km->arrays[first].parameter, *b = km->arrays[second].parameter;
    if (!a || !b || launches->count == 0 || launches->other_use_line ||
        strcmp(source->unit_path, source->path) != 0 || model->definition.is_declared_ahead)
        return false;
    for (size_t i = 0; i < launches->count; ++i)
        if (!ht_arguments_distinct(&launches->items[i], (size_t)(a - model->parameters.items),
                                   (size_t)(b - model->parameters.items)))
            return false;
    return true;
}

static void remark_missed(ht_streaming *in, const ht_window *window, const char *why) {
    ht_plan_remark_place(in->plan, HT_REMARK_MISSED, window->reads[0]->from->at,
                         "'%s' is not kept in registers along `%s`: %s",
                         in->km->arrays[window->array].name, in->along_name, why);
}

/* Returns true if the window's elements can be copied into variables; else adds a remark. */
static bool can_keep(ht_streaming *in, const ht_window *window) {
    const ht_km_array *array = &in->km->arrays[window->array];
    const ht_parameter *parameter = array->parameter;
    const char *why = NULL;
    char *text = NULL;
    if (!parameter || !parameter->pointee || strchr(parameter->pointee, '['))
        why = "the type of its elements is not understood";
    else if (parameter->is_assigned)
        why = "the pointer changes";
    else if (window->overtook)
        why = text =
            ht_format("'%s' may be the same memory and is written in between (line %d)",
                      in->km->arrays[window->overtook->array].name, window->overtook->place.line);
    for (size_t i = 0; i < window->read_count && !why; ++i) {
        const ht_syntax *node = window->served[i]->node;
        why = ht_tiled_why_not_at(in->form, node, in->place);
        if (!why && !ht_tiled_may_replace(in->form, node))
            why = "a part of a read is written in another way";
    }
    if (why)
        remark_missed(in, window, why);
    free(text);
    return !why;
}

/* ---- the parts of a transformation ---- */

/* Writes the windows along the axis or loop, as far as possible. Returns their number. */
static size_t write_windows(ht_streaming *in) {
    size_t written = 0;
    ht_windows windows = ht_windows_find(in->km, &in->along, are_apart);
    for (size_t i = 0; i < windows.count; ++i) {
        if (!can_keep(in, &windows.items[i]))
            continue;
        if (ht_streaming_write(in, &windows.items[i])) {
            const ht_window *window = &windows.items[i];
            ht_plan_remark_place(
                in->plan, HT_REMARK_APPLIED, window->reads[0]->from->at,
                "%s: %zu reads of '%s' become one, with %zu elements along `%s` kept in "
                "registers",
                in->param, window->read_count, in->km->arrays[window->array].name, window->slots,
                in->along_name);
            ++written;
        } else
            remark_missed(in, &windows.items[i], in->why);
    }
    ht_windows_free(&windows);
    return written;
}

/* Turns staging off where a window is used: tiles in shared memory are boxes of all outputs of a
 * block. */
static void require_unstaged(ht_streaming *in) {
    ht_plan *plan = in->plan;
    for (size_t i = 0; i < plan->params.count; ++i)
        if (strcmp(plan->params.items[i].transformation, ht_transformation_stage.name) == 0 &&
            strncmp(plan->params.items[i].name, "STAGE_", 6) == 0)
            ht_plan_require(plan, "%s == 1 || !%s", in->param, plan->params.items[i].name);
}

static void finish(ht_streaming *in) {
    if (in->plan->running.failed || ht_tiled_write(in->form))
        return;
    in->plan->running.abandoned = true;
    ht_plan_remark_place(in->plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                         "the tiled form cannot be written with a window along `%s`",
                         in->along_name);
}

/* Streams along the outputs of a thread, on y or z. Returns true if there is a window. */
static bool stream_axis(ht_streaming *in, size_t axis) {
    ht_plan *plan = in->plan;
    const ht_tiled_axis *of = &in->form->axes[axis];
    char *wanted = ht_format("STREAM_%c", 'X' + of->axis);
    in->along = (ht_window_along){.axis = of->axis};
    in->along_name = of->name;
    in->place = HT_TILED_TOP;
    in->declared = HT_TILED_FRONT;
    in->param = ht_plan_name(plan, wanted);
    free(wanted);
    in->condition = ht_format("%s > 1", in->param);
    const char *fresh = ht_plan_name(plan, "fresh");
    in->fresh = ht_strdup(fresh);
    bool any = write_windows(in) > 0;
    if (any) {
        ht_plan_param(plan, in->param, "1, 4, 8, 16, 32", "1");
        ht_plan_require(plan, "%s == 1 || (%s && %s == 1)", in->param, in->form->apart, of->factor);
        require_unstaged(in);
        ht_plan_cover(plan, of->axis, in->param);
        if (!plan->running.failed)
            ht_tiled_walk(in->form, axis, in->param, fresh);
        finish(in);
    }
    ht_streaming_release(in);
    return any;
}

/* Streams along a loop. Returns true if there is a window. */
static bool stream_loop(ht_streaming *in, size_t loop) {
    const ht_km_loop *of = &in->km->loops[loop];
    ht_plan *plan = in->plan;
    int64_t step;
    size_t place = ht_tiled_loop_of(in->form, of->node);
    if (place == SIZE_MAX || !of->normal || !of->counter[0] ||
        !ht_poly_is_constant(of->step, &step) || step != 1)
        return false;
    ht_text first = {0};
    const ht_stage printing = {.km = in->km, .type = "long long"};
    bool any = ht_stage_print(&printing, of->first, &first);
    if (any) {
        in->along = (ht_window_along){.is_loop = true, .loop = loop};
        in->along_name = of->counter;
        in->place = (long)place;
        in->declared = HT_TILED_TOP;
        in->param = ht_plan_name_upper(plan, "STREAM_", of->counter);
        in->condition = ht_strdup(in->param);
        in->fresh = ht_format("%s == %s", of->counter, first.data);
        any = write_windows(in) > 0;
    }
    if (any) {
        ht_plan_param(plan, in->param, "false, true", "false");
        ht_plan_require(plan, "!%s || %s", in->param, in->form->param);
        ht_plan_keep_order(plan, of->node, in->param);
        finish(in);
    }
    ht_streaming_release(in);
    ht_text_free(&first);
    return any;
}

static void apply(const ht_model *model, ht_plan *plan) {
    ht_streaming in = {.plan = plan, .form = ht_tiled_of(plan)};
    if (!in.form)
        return;
    in.km = ht_kernel_model_of(model, (ht_km_variant){0});
    for (size_t i = 0; i < in.form->axis_count; ++i)
        in.frame.axis[in.form->axes[i].axis] = true;
    ht_streaming_name(&in);
    bool done = !in.km->complete;
    if (done)
        ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                             "no window is kept in registers: %s", in.km->incomplete);
    for (int axis = 2; axis > 0 && !done; --axis)
        for (size_t i = 0; i < in.form->axis_count && !done; ++i)
            if (in.form->axes[i].axis == axis)
                done = stream_axis(&in, i);
    for (size_t loop = 0; loop < in.km->loop_count && !done; ++loop)
        done = stream_loop(&in, loop);
}

const ht_transformation ht_transformation_stream = {
    .name = "stream-window",
    .summary = "a thread walks along an axis with what it reads again in registers",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_LAUNCH | HT_PINNED_REPEATS | HT_PINNED_FORMS,
    .searched = {.drops = {{160, NULL}},
                 .steps = {{50,
                            {{.prefix = "STREAM_", .values = {8, 4}},
                             {.prefix = "TILED", .values = {1}, .of_others = true},
                             {.prefix = "COARSEN_X", .values = {4, 2}, .of_others = true}}}}},
};
