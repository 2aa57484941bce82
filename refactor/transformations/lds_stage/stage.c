/* Inputs that a block reads more than once are kept in shared memory: the tiled form of the kernel
 * loads the box of elements that its outputs need, together, and reads that. What may be loaded and
 * where is worked out in refactor/staging/. */
#include "base/memory.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/lds_stage/stage_write.h"
#include "refactor/transformations/register_tile/tiled.h"

#include <stdlib.h>
#include <string.h>

enum { ARRAYS_MAX = 4 };

static bool is_uniform(const void *context, CXCursor loop) {
    const ht_staging *in = context;
    return ht_tiled_loop_of(in->form, loop) != SIZE_MAX;
}

/* The template constant that fixed-sizes made of an argument. */
static const char *constant(const void *context, const char *argument) {
    const ht_plan *plan = ((const ht_staging *)context)->plan;
    for (size_t i = 0; i < plan->param_count; ++i)
        if (plan->params[i].stands_for && strcmp(plan->params[i].stands_for, argument) == 0)
            return plan->params[i].name;
    return NULL;
}

/* Outputs of a block along an axis: the original's threads, and where these are few, as many as
 * coarsening or another block can make. */
enum { USUAL_LEAST = 8 };

static void frame_init(ht_staging *in) {
    in->frame = (ht_stage_frame){.is_uniform = is_uniform, .constant = constant, .context = in};
    for (size_t i = 0; i < in->form->axis_count; ++i) {
        const ht_tiled_axis *axis = &in->form->axes[i];
        const ht_axis *of = &in->plan->model->axes[axis->axis];
        in->frame.axis[axis->axis] = true;
        in->frame.tile[axis->axis] = axis->extent;
        in->frame.tile_usual[axis->axis] = of->block <= 0            ? 16
                                           : of->block < USUAL_LEAST ? USUAL_LEAST
                                                                     : of->block;
    }
}

/* Of the loads, which stand in blocks of their own. */
static void name_variables(ht_staging *in) {
    in->element = ht_plan_name(in->plan, "e");
    in->ahead = ht_plan_name(in->plan, "ahead");
    in->each = ht_plan_name(in->plan, "v");
    in->end = ht_plan_name(in->plan, "end");
    in->here = ht_plan_name(in->plan, "at");
    for (size_t d = 0; d < HT_STAGE_DIMENSIONS_MAX; ++d) {
        char *place = ht_format("i%zu", d), *at = ht_format("at%zu", d);
        in->place[d] = ht_plan_name(in->plan, place);
        in->at[d] = ht_plan_name(in->plan, at);
        free(place);
        free(at);
    }
}

static void choose_names(ht_staging *in, const char *array) {
    char *tile = ht_format("tile_%s", array), *pack = ht_format("%s_vector", array);
    in->param = ht_plan_name_upper(in->plan, "STAGE_", array);
    in->pad = ht_plan_name_upper(in->plan, "PAD_", array);
    in->tile = ht_plan_name(in->plan, tile);
    in->pack = ht_plan_name(in->plan, pack);
    in->vector_name = ht_plan_name_upper(in->plan, "VECTOR_", array);
    in->chunk = in->buffers = NULL;
    if (ht_stage_may_run_ahead(&in->stage)) {
        in->chunk = ht_plan_name_upper(in->plan, "CHUNK_", array);
        in->buffers = ht_plan_name_upper(in->plan, "BUFFERS_", array);
    }
    free(tile);
    free(pack);
}

/* Can its elements be named and copied at the top of the kernel? */
static const ht_parameter *parameter_of(const ht_staging *in, const ht_km_array *array) {
    const ht_parameter *parameter = ht_model_parameter(in->plan->model, array->declaration);
    bool plain = array->is_parameter && parameter && parameter->pointee &&
                 !parameter->is_assigned && !strstr(parameter->pointee, "volatile") &&
                 strcmp(parameter->name, array->name) == 0;
    return plain ? parameter : NULL;
}

/* Tests that ask for the plain index know what the block's first output along it reads: others read
 * more. */
static void require_one_plain(ht_staging *in) {
    const ht_tiled_axis *plain = &in->form->plain;
    if (in->form->has_plain && ht_stage_asks_block(&in->stage, plain->axis))
        ht_plan_require(in->plan, "!%s || %s == 1", in->param, plain->factor);
}

static void add_parameters(ht_staging *in) {
    ht_plan *plan = in->plan;
    ht_plan_param(plan, in->param, "false, true", "false");
    ht_plan_require(plan, "!%s || %s", in->param, in->form->param);
    require_one_plain(in);
    if (in->padded) {
        ht_plan_param(plan, in->pad, "0, 1", "0");
        ht_plan_require(plan, "%s == 0 || %s", in->pad, in->param);
    }
    if (in->chunk) {
        ht_plan_param(plan, in->chunk, "1, 2, 4", "1");
        ht_plan_param(plan, in->buffers, "1, 2", "1");
        ht_plan_require(plan, "%s * %s == 1 || %s", in->chunk, in->buffers, in->param);
        ht_plan_require(plan, "%s == 1 || %s == 1", in->chunk, in->buffers);
    }
    for (size_t i = 0; i < in->stage.constant_count; ++i)
        ht_plan_require(plan, "!%s || %s > 0", in->param, in->stage.constants[i]);
    for (size_t i = 0; in->needs_fixed && i < in->fixed_count; ++i)
        ht_plan_require(plan, "!%s || %s == %lld", in->param, in->fixed_names[i],
                        (long long)in->fixed[i].value);
    if (in->stage.wide)
        ht_plan_require(plan, "!%s || %s", in->param, in->stage.wide);
    if (in->stage.constant_count)
        ht_plan_needs_size(plan, in->param, in->stage.constants[0]);
    else if (in->needs_fixed && in->fixed_count)
        ht_plan_needs_size(plan, in->param, in->fixed_names[0]);
}

size_t ht_staging_steps(const ht_plan *plan, ht_km_fixed fixed[HT_STAGING_FIXED_MAX],
                        const char *names[HT_STAGING_FIXED_MAX]) {
    size_t count = 0;
    for (size_t i = 0; i < plan->param_count && count < HT_STAGING_FIXED_MAX; ++i)
        if (plan->params[i].step) {
            fixed[count] = (ht_km_fixed){plan->params[i].stands_for, plan->params[i].step};
            names[count++] = plan->params[i].name;
        }
    return count;
}

/* The model in which strides and dilations have the problem's values. */
static ht_kernel_model *build_fixed(ht_staging *in) {
    in->fixed_count = ht_staging_steps(in->plan, in->fixed, in->fixed_names);
    return in->fixed_count
               ? ht_kernel_model_build_fixed(in->plan->model, in->fixed, in->fixed_count)
               : NULL;
}

/* For any strides; else for those of the problem. */
static bool find(ht_staging *in, ht_kernel_model *general, ht_kernel_model *fixed, size_t array) {
    in->needs_fixed = false;
    if (ht_stage_find(&in->stage, general, array, &in->frame) || !fixed ||
        array >= fixed->array_count ||
        strcmp(fixed->arrays[array].name, general->arrays[array].name) != 0)
        return in->stage.problem == NULL;
    ht_stage other;
    if (!ht_stage_find(&other, fixed, array, &in->frame)) {
        ht_stage_free(&other);
        return false;
    }
    ht_stage_free(&in->stage);
    in->stage = other;
    return in->needs_fixed = true;
}

static bool stage_array(ht_staging *in, ht_kernel_model *km, ht_kernel_model *fixed, size_t array) {
    const ht_parameter *parameter = parameter_of(in, &km->arrays[array]);
    bool found = parameter && find(in, km, fixed, array);
    bool done = false;
    if (found) {
        choose_names(in, parameter->name);
        in->type = parameter->pointee;
        memcpy(in->stage.coordinate_names, in->at, sizeof in->at);
        in->stage.ahead_name = in->ahead;
        for (size_t i = 0; i < in->form->axis_count; ++i)
            in->stage.output_names[in->form->axes[i].axis] = in->form->axes[i].name;
        done = ht_staging_write(in);
        if (done)
            add_parameters(in);
        const ht_km_access *first = in->stage.reads[0].access;
        ht_plan_remark(in->plan, done ? HT_REMARK_APPLIED : HT_REMARK_MISSED, first->cursor,
                       done ? "'%s' may be kept in shared memory, loaded by the block together: %s"
                            : "'%s' is not kept in shared memory: %s",
                       parameter->name, done ? in->param : in->why);
    } else if (parameter && in->stage.problem)
        ht_plan_remark(in->plan, HT_REMARK_MISSED, in->stage.problem_cursor,
                       "'%s' is not kept in shared memory: %s", parameter->name, in->stage.problem);
    ht_stage_free(&in->stage);
    return done;
}

static void apply(const ht_model *model, ht_plan *plan) {
    ht_staging in = {.plan = plan, .form = ht_tiled_of(plan)};
    size_t staged = 0;
    if (!in.form)
        return;
    frame_init(&in);
    name_variables(&in);
    ht_kernel_model *km = ht_kernel_model_build(model);
    ht_kernel_model *fixed = build_fixed(&in);
    for (size_t i = 0; i < km->array_count && staged < ARRAYS_MAX; ++i)
        if (km->arrays[i].read && !km->arrays[i].written)
            staged += stage_array(&in, km, fixed, i);
    if (staged) {
        ht_plan_require(plan, "%s <= device.max_static_lds", in.bytes.data);
        if (!plan->failed && !ht_tiled_write(in.form)) {
            plan->abandoned = true;
            ht_plan_remark(plan, HT_REMARK_MISSED, clang_getNullCursor(),
                           "the tiled form cannot be written with tiles in shared memory");
        }
    }
    ht_text_free(&in.bytes);
    ht_kernel_model_free(fixed);
    ht_kernel_model_free(km);
}

const ht_transformation ht_transformation_stage = {
    .name = "lds-stage",
    .summary = "inputs that a block reads more than once, in shared memory",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_LAUNCH | HT_PINNED_FORMS,
    .searched = {.drops = {{30, "PAD_"}, {90, "BUFFERS_"}, {100, "CHUNK_"}, {150, NULL}},
                 .steps = {{40,
                            {{.prefix = "STAGE_", .values = {1}},
                             {.prefix = "TILED", .values = {1}, .of_others = true},
                             {.prefix = "COARSEN_X", .values = {8, 4, 2}, .of_others = true},
                             {.prefix = "COARSEN_Y", .values = {2}, .of_others = true},
                             {.prefix = "VECTOR_", .values = {4, 2}, .of_others = true},
                             {.prefix = "TILE_", .values = {2}, .of_others = true}}}}},
};
