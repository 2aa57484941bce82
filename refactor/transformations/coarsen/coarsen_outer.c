/* Thread coarsening over y and z: the kernel's body, whatever it has become, is run for several
 * indices one after the other, as a lambda in a loop, so that `return` goes on to mean the end of
 * one output. Threads without barriers have no order among each other, so any order is right, as
 * long as the threads that a rounded-up grid adds do nothing: a guard on the index must stand
 * before everything. */
#include "base/memory.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen.h"

#include <stdlib.h>

typedef struct outer_axis {
    bool used;
    const char *factor, *strided, *counter;
} outer_axis;

typedef struct outer {
    const ht_model *model;
    ht_plan *plan;
    outer_axis axes[3];
    ht_range places[3][8]; /* of the global indices */
    int place_count[3];
    bool failed[3];
} outer;

/* Collects the global indices over y and z, which must be plain text of the kernel itself. */
static bool on_global(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    outer *in = context;
    int axis;
    CXCursor pitch;
    if (!clang_isExpression(clang_getCursorKind(cursor)) ||
        !ht_index_global(in->model, cursor, &axis, &pitch))
        return true;
    ht_range whole, inner;
    const ht_source *source = in->model->facts->source;
    bool plain = ht_source_place(source, cursor, &whole) &&
                 ht_source_place(source, pitch, &inner) &&
                 !(whole.begin == inner.begin && whole.end == inner.end) &&
                 whole.begin >= in->model->body_range.begin &&
                 whole.end <= in->model->body_range.end && !ht_ast_in_macro(in->model, cursor);
    if (!plain || in->place_count[axis] == 8)
        in->failed[axis] = true;
    else
        in->places[axis][in->place_count[axis]++] = whole;
    return false;
}

static bool threads_meet(const ht_model *model) {
    static const ht_feature features[] = {HT_FEATURE_SHARED,      HT_FEATURE_DYNAMIC_LDS,
                                          HT_FEATURE_BARRIER,     HT_FEATURE_WAVEFRONT,
                                          HT_FEATURE_COOPERATIVE, HT_FEATURE_ASM,
                                          HT_FEATURE_GOTO,        HT_FEATURE_INDEX_ESCAPE};
    for (size_t i = 0; i < sizeof features / sizeof *features; ++i)
        if (model->feature[features[i]])
            return true;
    return false;
}

/* Along y or z at all, and nothing between threads or outputs? */
static bool is_possible(outer *in) {
    const ht_model *model = in->model;
    if (in->place_count[1] + in->place_count[2] == 0 && !in->failed[1] && !in->failed[2])
        return false;
    if (threads_meet(model)) {
        ht_plan_remark(in->plan, HT_REMARK_MISSED, clang_getNullCursor(),
                       "a thread computes one output along y and z: threads depend on each other "
                       "or on their block");
        return false;
    }
    for (size_t i = 0; i < model->parameter_count; ++i) {
        if (!model->parameters[i].is_assigned)
            continue;
        ht_plan_remark(in->plan, HT_REMARK_MISSED, model->parameters[i].cursor,
                       "a thread computes one output along y and z: '%s' changes, and the next "
                       "output would begin with what it became",
                       model->parameters[i].name);
        return false;
    }
    return true;
}

static bool fits(outer *in, int axis) {
    const ht_axis *of = &in->model->axes[axis];
    if (!of->uses_global || of->uses_thread || of->uses_block || of->uses_block_dim ||
        of->uses_grid_dim || !in->plan->block[axis] || in->place_count[axis] == 0)
        return false;
    const char *why = in->failed[axis] ? "a macro or a function writes the global index"
                      : !of->guard     ? "no guard on the global index stands before everything"
                                       : NULL;
    if (why)
        ht_plan_remark(in->plan, HT_REMARK_MISSED, clang_getNullCursor(),
                       "a thread computes one output along %c: %s", 'x' + axis, why);
    return !why;
}

static void prepare(outer *in, int axis) {
    static const char *const values[] = {NULL, "1, 2, 4, 8", "1, 2, 4"};
    outer_axis *of = &in->axes[axis];
    char *factor = ht_format("COARSEN_%c", 'X' + axis);
    char *strided = ht_format("COARSEN_%c_STRIDED", 'X' + axis);
    char *counter = ht_format("c%c", 'x' + axis);
    of->used = true;
    of->factor = ht_plan_name(in->plan, factor);
    of->strided = ht_plan_name(in->plan, strided);
    of->counter = ht_plan_name(in->plan, counter);
    ht_plan_param(in->plan, of->factor, values[axis], "1");
    ht_plan_param(in->plan, of->strided, "false, true", "false");
    ht_plan_require(in->plan, "(%s > 1 && %s > 1) || !%s", of->factor, in->plan->block[axis],
                    of->strided);
    ht_plan_cover(in->plan, axis, of->factor);
    free(factor);
    free(strided);
    free(counter);
}

/* The global index becomes first * factor + counter, or a block further for each. */
static void write_indices(outer *in, int axis) {
    const outer_axis *of = &in->axes[axis];
    const char *block = in->plan->block[axis];
    for (int i = 0; i < in->place_count[axis]; ++i) {
        ht_range place = in->places[axis][i];
        ht_plan_editf(in->plan, place, of->factor,
                      "(($[%zu,%zu]) * ${%s}$?{%s}{ - (%s ? %s - 1 : 0) * threadIdx.%c}"
                      "{ - ${%s - 1} * threadIdx.%c} + %s$?{%s}{ * (%s ? %s : 1)}{ * ${%s}})",
                      place.begin, place.end, of->factor, of->strided, of->strided, of->factor,
                      'x' + axis, of->factor, 'x' + axis, of->counter, of->strided, of->strided,
                      block, block);
    }
}

static void write_loops(outer *in) {
    ht_text text = {0}, params = {0};
    ht_text_append(&text, "{\n    // the outputs of this thread, one after the other\n");
    for (int axis = 2; axis > 0; --axis) {
        const outer_axis *of = &in->axes[axis];
        if (!of->used)
            continue;
        char *loop = ht_format("    for (int %s = 0; %s < ${%s}; ++%s)\n", of->counter, of->counter,
                               of->factor, of->counter);
        ht_text_printf(&text, "$?{%s > 1}{%s}{%s}", of->factor, loop, loop);
        ht_text_printf(&params, params.length ? ",%s" : "%s", of->factor);
        free(loop);
    }
    ht_range body = in->model->body_range;
    ht_text_printf(&text, "    [&] $[%zu,%zu]();\n}", body.begin, body.end);
    ht_plan_edit(in->plan, body, params.data, text.data);
    ht_text_free(&text);
    ht_text_free(&params);
}

static void apply(const ht_model *model, ht_plan *plan) {
    outer in = {.model = model, .plan = plan};
    if (!model->launch_known || model->facts->problem || plan->renumbered)
        return;
    for (size_t i = 0; i < model->facts->reached_count; ++i)
        ht_ast_walk(model->facts->reached[i], on_global, &in);
    if (!is_possible(&in))
        return;
    bool any = false;
    for (int axis = 1; axis < 3; ++axis) {
        if (!fits(&in, axis))
            continue;
        prepare(&in, axis);
        write_indices(&in, axis);
        ht_plan_remark(plan, HT_REMARK_APPLIED, clang_getNullCursor(),
                       "each thread computes %s outputs along %c, one after the other",
                       in.axes[axis].factor, 'x' + axis);
        any = true;
    }
    if (any)
        write_loops(&in);
}

const ht_transformation ht_transformation_coarsen_outer = {
    .name = "coarsen-yz",
    .summary = "each thread computes several outputs along y and z",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_LAUNCH | HT_PINNED_REPEATS,
    .searched = {.exports = {"COARSEN_Y"},
                 .drops = {{60, "COARSEN_Y_STRIDED"}, {70, "COARSEN_Z"}, {190, NULL}},
                 .steps = {{70, {{.prefix = "COARSEN_Y", .values = {4, 2}}}},
                           {100, {{.prefix = "COARSEN_Z", .values = {4, 2}}}}}},
};
