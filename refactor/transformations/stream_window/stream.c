/* stream-window: in the tiled form a thread walks along an axis (or along a loop that is there
 * already), and keeps what it reads side by side along it in registers: a window that moves on by
 * one element, so that each is read once. Which reads make up a window is worked out in
 * refactor/staging/window.c; stream_write.c writes it. docs/streaming.md explains it. */
#include "base/memory.h"
#include "refactor/transformations/restrict/pointers.h"
#include "refactor/transformations/stream_window/stream_write.h"

#include <stdlib.h>
#include <string.h>

/* ---- which memory
 * ------------------------------------------------------------------------------------------- */

static size_t parameter_index(const ht_model *model, CXCursor declaration) {
    for (size_t i = 0; i < model->parameter_count; ++i)
        if (clang_equalCursors(model->parameters[i].cursor, declaration))
            return i;
    return SIZE_MAX;
}

/* Do all launches pass two arguments different allocations? */
static bool are_apart(const ht_kernel_model *km, size_t first, size_t second) {
    const ht_model *model = km->facts;
    const ht_launches *launches = &model->facts->launches;
    const ht_source *source = model->facts->source;
    size_t a = parameter_index(model, km->arrays[first].declaration);
    size_t b = parameter_index(model, km->arrays[second].declaration);
    if (a == SIZE_MAX || b == SIZE_MAX || launches->count == 0 || launches->other_use_line ||
        strcmp(source->unit_path, source->path) != 0 ||
        !clang_equalCursors(clang_getCanonicalCursor(model->kernel), model->kernel))
        return false;
    for (size_t i = 0; i < launches->count; ++i)
        if (!ht_arguments_distinct(&launches->items[i], a, b))
            return false;
    return true;
}

static void remark_missed(ht_streaming *in, const ht_window *window, const char *why) {
    ht_plan_remark(in->plan, HT_REMARK_MISSED, window->reads[0]->cursor,
                   "'%s' is not kept in registers along `%s`: %s",
                   in->km->arrays[window->array].name, in->along_name, why);
}

/* Can its elements be copied into variables? */
static bool can_keep(ht_streaming *in, const ht_window *window) {
    const ht_km_array *array = &in->km->arrays[window->array];
    const ht_parameter *parameter = ht_model_parameter(in->plan->model, array->declaration);
    const char *why = NULL;
    char *text = NULL;
    if (!parameter || !parameter->pointee || strchr(parameter->pointee, '['))
        why = "the type of its elements is not understood";
    else if (strstr(parameter->pointee, "volatile"))
        why = "it is volatile";
    else if (parameter->is_assigned)
        why = "the pointer changes";
    else if (window->overtook)
        why = text =
            ht_format("'%s' may be the same memory and is written in between (line %d)",
                      in->km->arrays[window->overtook->array].name, window->overtook->place.line);
    for (size_t i = 0; i < window->read_count && !why; ++i) {
        why = ht_tiled_why_not_at(in->form, window->served[i]->cursor, in->place);
        if (!why && !ht_tiled_may_replace(in->form, window->served[i]->cursor))
            why = "a part of a read is written in another way";
    }
    if (why)
        remark_missed(in, window, why);
    free(text);
    return !why;
}

/* ---- the parts of a transformation
 * ------------------------------------------------------------------------------------------- */

/* Windows along what steps, as far as they can be written. */
static size_t write_windows(ht_streaming *in) {
    size_t written = 0;
    ht_windows windows = ht_windows_find(in->km, &in->along, are_apart);
    for (size_t i = 0; i < windows.count; ++i) {
        if (!can_keep(in, &windows.items[i]))
            continue;
        if (ht_streaming_write(in, &windows.items[i])) {
            const ht_window *window = &windows.items[i];
            ht_plan_remark(in->plan, HT_REMARK_APPLIED, window->reads[0]->cursor,
                           "%s: %zu reads of '%s' become one, with %zu elements along `%s` kept in "
                           "registers",
                           in->param, window->read_count, in->km->arrays[window->array].name,
                           window->slots, in->along_name);
            ++written;
        } else
            remark_missed(in, &windows.items[i], in->why);
    }
    ht_windows_free(&windows);
    return written;
}

/* Tiles in shared memory are boxes of all outputs of a block. */
static void require_unstaged(ht_streaming *in) {
    ht_plan *plan = in->plan;
    for (size_t i = 0; i < plan->param_count; ++i)
        if (strcmp(plan->params[i].transformation, ht_transformation_stage.name) == 0 &&
            strncmp(plan->params[i].name, "STAGE_", 6) == 0)
            ht_plan_require(plan, "%s == 1 || !%s", in->param, plan->params[i].name);
}

static void finish(ht_streaming *in) {
    if (in->plan->failed || ht_tiled_write(in->form))
        return;
    in->plan->abandoned = true;
    ht_plan_remark(in->plan, HT_REMARK_MISSED, clang_getNullCursor(),
                   "the tiled form cannot be written with a window along `%s`", in->along_name);
}

/* Outputs of a thread along y or z; true when there is a window. */
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
        ht_plan_require(plan, "%s == 1 || (%s && %s == 1)", in->param, in->form->param, of->factor);
        require_unstaged(in);
        ht_plan_cover(plan, of->axis, in->param);
        if (!plan->failed)
            ht_tiled_walk(in->form, axis, in->param, fresh);
        finish(in);
    }
    ht_streaming_release(in);
    return any;
}

/* A loop over what would be an axis of the grid elsewhere. */
static bool stream_loop(ht_streaming *in, size_t loop) {
    const ht_km_loop *of = &in->km->loops[loop];
    ht_plan *plan = in->plan;
    int64_t step;
    size_t place = ht_tiled_loop_of(in->form, in->km->pool.symbols[of->symbol].cursor);
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
        ht_loop_order_keep(plan, in->km->pool.symbols[of->symbol].cursor, in->param);
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
    in.km = ht_kernel_model_build(model);
    for (size_t i = 0; i < in.form->axis_count; ++i)
        in.frame.axis[in.form->axes[i].axis] = true;
    ht_streaming_name(&in);
    bool done = !in.km->complete;
    if (done)
        ht_plan_remark(plan, HT_REMARK_MISSED, clang_getNullCursor(),
                       "no window is kept in registers: %s", in.km->incomplete);
    for (int axis = 2; axis > 0 && !done; --axis)
        for (size_t i = 0; i < in.form->axis_count && !done; ++i)
            if (in.form->axes[i].axis == axis)
                done = stream_axis(&in, i);
    for (size_t loop = 0; loop < in.km->loop_count && !done; ++loop)
        done = stream_loop(&in, loop);
    ht_kernel_model_free(in.km);
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
