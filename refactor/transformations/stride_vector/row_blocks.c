/* row-blocks: the iterations of loops that stride by the block,
 *
 *     for (int i = threadIdx.x; i < n; i += blockDim.x) out[row * n + i] = f(in[row * n + i]);
 *
 * shared out among several blocks of a row, which the grid has along y. With few rows a GPU has
 * more units than there are blocks. The loops are those that a block of any size may run
 * (block_stride.h): N blocks do what one of N times as many threads would. That holds where threads
 * of a block have nothing in common but the loops, and all else that they do stays with them. */
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/launch/extent.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/block_size/block_stride.h"

#include <stdlib.h>

/* Returns why the grid may not get blocks along y; NULL: it may. */
static const char *grid_obstacle(const ht_model *model) {
    const ht_launches *launches = &model->facts->launches;
    const ht_index_names *elsewhere = &model->facts->reached.names_elsewhere;
    const ht_axis *y = &model->axes[1];
    if (y->uses_block || y->uses_grid_dim || y->uses_global || y->uses_thread ||
        model->facts->flat_uses > 0 || elsewhere->named[HT_INDEX_BLOCK] ||
        elsewhere->named[HT_INDEX_GRID_DIM])
        return "the kernel uses the grid's second axis";
    if (y->block != 1 || model->axes[2].block != 1)
        return "its blocks have a second axis";
    for (size_t i = 0; i < launches->count; ++i)
        if (!launches->items[i].grid.has_argument ||
            !ht_extent_is_one(launches->items[i].grid.axis[1]))
            return "a launch has a grid with a second axis";
    return launches->count ? NULL : "its launch is not known";
}

/* Returns why threads have more in common than the loops; NULL: they do not. */
static const char *common_obstacle(const ht_model *model, const ht_stride_loop *loops,
                                   size_t count) {
    static const ht_feature features[] = {HT_FEATURE_SHARED,      HT_FEATURE_DYNAMIC_LDS,
                                          HT_FEATURE_BARRIER,     HT_FEATURE_WAVEFRONT,
                                          HT_FEATURE_COOPERATIVE, HT_FEATURE_ATOMIC};
    const ht_syntax *body = ht_syntax_of(model)->body;
    size_t found = 0;
    for (size_t i = 0; i < sizeof features / sizeof *features; ++i)
        if (model->feature[features[i]])
            return "threads of a block exchange values";
    for (size_t i = 0; i < body->count; ++i) {
        bool is_loop = false;
        for (size_t k = 0; k < count; ++k)
            is_loop = is_loop || loops[k].loop == body->children[i];
        found += is_loop;
        if (!is_loop && ht_syntax_has_effect(body->children[i]))
            return "something is written outside of the loops";
    }
    for (size_t k = 0; k < count; ++k)
        if (loops[k].factor != 1 || loops[k].rounds || !loops[k].loop->children[0])
            return "a loop goes in steps of more than one";
    return found == count ? NULL : "a loop stands in another statement";
}

static bool is_plain(const ht_model *model, const ht_syntax *node) {
    return node && node->plain && node->begins && ht_model_is_plain(model, node->range.begin);
}

static void edit(ht_plan *plan, const ht_stride_loop *of, const char *param) {
    ht_range start = of->start->range, step = of->step->range;
    char *first = ht_format("$[%zu,%zu] + $?{1}{(%s > 1 ? blockIdx.y * blockDim.x : 0)}"
                            "{blockIdx.y * blockDim.x}",
                            start.begin, start.end, param);
    char *next = ht_format("$[%zu,%zu] * ${%s}", step.begin, step.end, param);
    ht_plan_wrap_all(plan, start, param, first);
    ht_plan_wrap_all(plan, step, param, next);
    free(first);
    free(next);
}

static void split(const ht_model *model, ht_plan *plan, const ht_stride_loop *loops, size_t count) {
    const char *why = grid_obstacle(model);
    why = why ? why : common_obstacle(model, loops, count);
    for (size_t i = 0; i < count && !why; ++i)
        if (!is_plain(model, loops[i].start) || !is_plain(model, loops[i].step))
            why = "a macro writes a part of a loop";
    if (why) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, loops[0].loop->at,
                             "a row stays with one block: %s", why);
        return;
    }
    const char *param = ht_plan_name(plan, "ROW_BLOCKS");
    ht_plan_param(plan, param, "1, 2, 4, 8, 16", "1");
    ht_plan_call(plan, param, "blocks per row");
    for (size_t i = 0; i < count; ++i)
        edit(plan, &loops[i], param);
    plan->launches.row_blocks = param;
    ht_plan_remark_place(plan, HT_REMARK_APPLIED, loops[0].loop->at,
                         "%s: this many blocks along y share out the iterations", param);
}

static void apply(const ht_model *model, ht_plan *plan) {
    ht_stride_loop *loops;
    size_t count;
    if (!model->launch_known || model->facts->problem.text || !plan->axes[0].changed ||
        !plan->axes[0].keep_grid || plan->stack.param ||
        ht_syntax_unknown(ht_syntax_of(model), true, &(ht_position){0}))
        return;
    if (ht_block_stride_loops(model, 0, &loops, &count) && count)
        split(model, plan, loops, count);
    free(loops);
}

const ht_transformation ht_transformation_row_blocks = {
    .name = "row-blocks",
    .summary = "several blocks for a row, along the grid's second axis",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_FORMS | HT_PINNED_REPEATS,
    .searched = {.drops = {{115, NULL}},
                 .steps = {{65, {{.prefix = "ROW_BLOCKS", .values = {4, 8, 2}}}}}},
};
