/* lds-stage: inputs that a block reads more than once are kept in shared memory. In the tiled form
 * of the kernel, the block loads the box of elements that its outputs need, and reads from that.
 * refactor/staging/ decides what may be loaded and where. */
#include "base/memory.h"
#include "refactor/kernel_model/build.h"
#include "refactor/plan/plan.h"
#include "refactor/staging/bounds.h"
#include "refactor/staging/place.h"
#include "refactor/transformations/lds_stage/stage_write.h"
#include "refactor/transformations/register_tile/tiled.h"
#include "refactor/transformations/register_tile/tiled_stage.h"

#include <stdlib.h>
#include <string.h>

enum { ARRAYS_MAX = 4 };

static bool is_uniform(const void *context, const ht_syntax *loop) {
    const ht_staging *in = context;
    return ht_tiled_loop_of(in->form, loop) != SIZE_MAX;
}

/* Returns the template constant that fixed-sizes made of an argument. */
static const char *constant(const void *context, const char *argument) {
    const ht_plan *plan = ((const ht_staging *)context)->plan;
    for (size_t i = 0; i < plan->params.count; ++i)
        if (plan->params.items[i].stands_for &&
            strcmp(plan->params.items[i].stands_for, argument) == 0)
            return plan->params.items[i].name;
    return NULL;
}

/* Outputs of a block along an axis that are assumed at least: coarsening or another block can make
 * that many even if the original has few threads. */
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

/* Names the variables of the loads, which are in blocks of their own. */
static void name_variables(ht_staging *in) {
    in->load.element = ht_plan_name(in->plan, "e");
    in->load.ahead = ht_plan_name(in->plan, "ahead");
    in->load.each = ht_plan_name(in->plan, "v");
    in->load.end = ht_plan_name(in->plan, "end");
    in->load.here = ht_plan_name(in->plan, "at");
    for (size_t d = 0; d < HT_STAGE_DIMENSIONS_MAX; ++d) {
        char *place = ht_format("i%zu", d), *at = ht_format("at%zu", d);
        in->load.place[d] = ht_plan_name(in->plan, place);
        in->load.at[d] = ht_plan_name(in->plan, at);
        free(place);
        free(at);
    }
}

static void choose_names(ht_staging *in, const char *array) {
    char *tile = ht_format("tile_%s", array), *pack = ht_format("%s_vector", array);
    in->params.stage = ht_plan_name_upper(in->plan, "STAGE_", array);
    in->params.pad = ht_plan_name_upper(in->plan, "PAD_", array);
    in->tile = ht_plan_name(in->plan, tile);
    in->pack = ht_plan_name(in->plan, pack);
    in->params.vector = ht_plan_name_upper(in->plan, "VECTOR_", array);
    in->params.chunk = in->params.buffers = NULL;
    if (ht_stage_may_run_ahead(&in->stage)) {
        in->params.chunk = ht_plan_name_upper(in->plan, "CHUNK_", array);
        in->params.buffers = ht_plan_name_upper(in->plan, "BUFFERS_", array);
    }
    free(tile);
    free(pack);
}

/* Returns the array's parameter if its elements can be named and copied at the top of the kernel;
 * else NULL. */
static const ht_parameter *parameter_of(const ht_km_array *array) {
    const ht_parameter *parameter = array->parameter;
    bool plain = array->is_parameter && parameter && parameter->pointee &&
                 !parameter->is_assigned && strcmp(parameter->name, array->name) == 0;
    return plain ? parameter : NULL;
}

/* Requires a single plain index in a block where tests depend on it: they know what the block's
 * first output along it reads, but further outputs read more. */
static void require_one_plain(ht_staging *in) {
    const ht_tiled_axis *plain = &in->form->plain;
    if (in->form->has_plain && ht_stage_asks_block(&in->stage, plain->axis))
        ht_plan_require(in->plan, "!%s || %s == 1", in->params.stage, plain->factor);
}

static void add_parameters(ht_staging *in) {
    ht_plan *plan = in->plan;
    ht_plan_param(plan, in->params.stage, "false, true", "false");
    ht_plan_require(plan, "!%s || %s", in->params.stage, in->form->param);
    require_one_plain(in);
    if (in->padded) {
        ht_plan_param(plan, in->params.pad, "0, 1", "0");
        ht_plan_require(plan, "%s == 0 || %s", in->params.pad, in->params.stage);
    }
    if (in->params.chunk) {
        ht_plan_param(plan, in->params.chunk, "1, 2, 4", "1");
        ht_plan_param(plan, in->params.buffers, "1, 2", "1");
        ht_plan_require(plan, "%s * %s == 1 || %s", in->params.chunk, in->params.buffers,
                        in->params.stage);
        ht_plan_require(plan, "%s == 1 || %s == 1", in->params.chunk, in->params.buffers);
    }
    for (size_t i = 0; i < in->stage.constant_count; ++i)
        ht_plan_require(plan, "!%s || %s > 0", in->params.stage, in->stage.constants[i]);
    for (size_t i = 0; in->needs_fixed && i < in->steps.count; ++i)
        ht_plan_require(plan, "!%s || %s == %lld", in->params.stage, in->steps.names[i],
                        (long long)in->steps.values[i].value);
    if (in->stage.wide)
        ht_plan_require(plan, "!%s || %s", in->params.stage, in->stage.wide);
    if (in->stage.constant_count)
        ht_plan_needs_size(plan, in->params.stage, in->stage.constants[0]);
    else if (in->needs_fixed && in->steps.count)
        ht_plan_needs_size(plan, in->params.stage, in->steps.names[0]);
}

/* Returns the model in which strides and dilations have the problem's values; NULL: there are
 * none. */
static ht_kernel_model *build_fixed(ht_staging *in) {
    in->steps = ht_staging_steps(in->plan);
    const ht_km_variant variant = {.fixed = in->steps.values, .fixed_count = in->steps.count};
    return in->steps.count ? ht_kernel_model_of(in->plan->model, variant) : NULL;
}

/* Finds reads to stage for any strides, else for those of the problem. */
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
    const ht_parameter *parameter = parameter_of(&km->arrays[array]);
    bool found = parameter && find(in, km, fixed, array);
    bool done = false;
    if (found) {
        choose_names(in, parameter->name);
        in->type = parameter->pointee;
        memcpy(in->stage.coordinate_names, in->load.at, sizeof in->load.at);
        in->stage.ahead_name = in->load.ahead;
        for (size_t i = 0; i < in->form->axis_count; ++i)
            in->stage.output_names[in->form->axes[i].axis] = in->form->axes[i].name;
        done = ht_staging_write(in);
        if (done)
            add_parameters(in);
        const ht_km_access *first = in->stage.reads[0].access;
        ht_plan_remark_place(
            in->plan, done ? HT_REMARK_APPLIED : HT_REMARK_MISSED, first->from->at,
            done ? "'%s' may be kept in shared memory, loaded by the block together: %s"
                 : "'%s' is not kept in shared memory: %s",
            parameter->name, done ? in->params.stage : in->why);
    } else if (parameter && in->stage.problem)
        ht_plan_remark_place(in->plan, HT_REMARK_MISSED, in->stage.problem_at,
                             "'%s' is not kept in shared memory: %s", parameter->name,
                             in->stage.problem);
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
    ht_kernel_model *km = ht_kernel_model_of(model, (ht_km_variant){0});
    ht_kernel_model *fixed = build_fixed(&in);
    for (size_t i = 0; i < km->array_count && staged < ARRAYS_MAX; ++i)
        if (km->arrays[i].read && !km->arrays[i].written)
            staged += stage_array(&in, km, fixed, i);
    if (staged) {
        ht_plan_require(plan, "%s <= device.max_static_lds", in.bytes.data);
        if (!plan->running.failed && !ht_tiled_write(in.form)) {
            plan->running.abandoned = true;
            ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                                 "the tiled form cannot be written with tiles in shared memory");
        }
    }
    ht_text_free(&in.bytes);
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
