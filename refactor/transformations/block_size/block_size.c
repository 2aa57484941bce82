/* block-size: the block's shape as parameters.
 *
 * Two kinds of kernels allow it. If each thread depends only on its global index, any block is
 * legal that launches the same global indices (this file). If threads of a block work together
 * through shared memory, the block must be tied to the arrays by one named constant, which becomes
 * the parameter wherever it is used (block_tile.c). */
#include "refactor/transformations/block_size/block_size.h"

#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/grid_stride.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/kernel_model/build.h"
#include "refactor/kernel_model/kernel_model.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/plan_state.h"
#include "refactor/plan/values.h"
#include "refactor/source/conditional.h"
#include "refactor/transformations/block_size/block_group.h"
#include "refactor/transformations/block_size/block_renumber.h"
#include "refactor/transformations/block_size/block_stride.h"
#include "refactor/transformations/block_size/block_tile.h"
#include "refactor/transformations/launch_bounds.h"
#include "refactor/transformations/tile_constant/tile_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ht_block_name(ht_plan *plan, int axis) {
    static const char *const names[] = {"BLOCK_X", "BLOCK_Y", "BLOCK_Z"};
    return ht_plan_name(plan, names[axis]);
}

void ht_block_param(ht_plan *plan, int axis, const char *name, const char *values) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)plan->model->axes[axis].block);
    ht_plan_param(plan, name, values, number);
    ht_plan_set_block(plan, axis, name);
}

void ht_block_require_threads(ht_plan *plan) {
    char *threads = ht_plan_threads(plan);
    ht_plan_require(plan, "%s <= device.max_threads", threads);
    free(threads);
}

/* Returns the token's value if it is an integer that may depend on the block, else 0. */
static int64_t tied_literal(const ht_model *model, const ht_tokens *tokens, size_t index) {
    if (tokens->items[index].kind != HT_TOKEN_NUMBER)
        return 0;
    char *text = ht_tokens_text(tokens, index), *end;
    int64_t literal = strtoll(text, &end, 0);
    bool tied = false;
    for (int axis = 0; axis < 3; ++axis)
        tied = tied || ht_tile_suspicious(literal, model->axes[axis].block);
    tied = tied && !end[strspn(end, "uUlL")];
    free(text);
    return tied ? literal : 0;
}

/* Returns "; the literals 18 (line 8), 15 (line 14) may depend on its block", or nothing;
 * free(). */
static char *tied_literals(const ht_model *model) {
    enum { LITERALS_MAX = 4 };
    int64_t seen[LITERALS_MAX];
    size_t count = 0;
    ht_text text = {0};
    ht_tokens tokens;
    ht_tokens_read(model->text, model->definition.body_range, true, &tokens);
    for (size_t i = 0; i < tokens.count && count < LITERALS_MAX; ++i) {
        int64_t literal = tied_literal(model, &tokens, i);
        bool fresh = literal != 0;
        for (size_t j = 0; j < count; ++j)
            fresh = fresh && seen[j] != literal;
        if (!fresh)
            continue;
        int line = ht_source_line(model->facts->source, 0, tokens.items[i].begin);
        ht_text_printf(&text, "%s%lld (line %d)", count ? ", " : "", (long long)literal, line);
        seen[count++] = literal;
    }
    char *words =
        count ? ht_format("; the literals %s may depend on its block", text.data) : ht_strdup("");
    ht_tokens_free(&tokens);
    ht_text_free(&text);
    return words;
}

const char *ht_block_pin(const ht_model *model, bool by_lanes, int *out_line) {
    static const struct {
        ht_feature feature;
        const char *words;
    } pins[] = {
        {HT_FEATURE_WAVEFRONT, "uses wavefront operations (shuffles, ballots or lane numbers), "
                               "which assume how the block is cut into wavefronts"},
        {HT_FEATURE_COOPERATIVE, "uses cooperative groups"},
        {HT_FEATURE_ASM, "contains assembly"},
        {HT_FEATURE_INDEX_ESCAPE, "passes a thread or block index on as a whole"},
        {HT_FEATURE_GOTO, "jumps with goto"},
    };
    for (size_t i = by_lanes ? 0 : 1; i < sizeof pins / sizeof *pins; ++i)
        if (model->feature[pins[i].feature]) {
            *out_line = model->feature_line[pins[i].feature];
            return pins[i].words;
        }
    return NULL;
}

/* Returns true, with a remark, for kernels that are tied to their block whatever their use of
 * indices. */
static bool pinned(const ht_model *model, ht_plan *plan) {
    int line, vote_line = model->facts->reached.vote_line;
    const char *words = ht_block_pin(model, true, &line);
    if (words) {
        char *literals = tied_literals(model);
        ht_plan_remark_at(plan, HT_REMARK_MISSED, line, "the kernel %s%s", words, literals);
        free(literals);
    } else if (vote_line) {
        ht_plan_remark_at(plan, HT_REMARK_MISSED, vote_line,
                          "the kernel counts votes of its block's threads");
    }
    return words || vote_line;
}

/* ---- one axis ---- */

typedef enum axis_verdict { AXIS_FREE, AXIS_UNUSED, AXIS_PINNED } axis_verdict;

/* Returns true unless blocks are counted over two axes of the grid and something else depends on
 * these axes. */
static bool flat_alone(const ht_model *model) {
    const ht_kernel_facts *facts = model->facts;
    const ht_axis *y = &model->axes[1];
    return facts->flat_uses == 0 ||
           (facts->flat_uses == facts->uses[0].global && facts->uses[0].total == 0 &&
            !y->uses_block && !y->uses_global && !y->uses_thread && !y->uses_grid_dim);
}

static axis_verdict judge(const ht_model *model, ht_plan *plan, int axis) {
    const ht_axis *of = &model->axes[axis];
    const ht_kernel_facts *facts = model->facts;
    bool raw = facts->uses[axis].raw_thread || of->uses_block_dim || facts->uses[axis].raw_grid_dim;
    if (!of->uses_global)
        return facts->uses[axis].raw_block || raw || of->block > 1 ? AXIS_PINNED : AXIS_UNUSED;
    if (raw || facts->uses[axis].raw_block) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                             "the block along %c stays: %s is used by itself", 'x' + axis,
                             facts->uses[axis].raw_thread  ? "threadIdx"
                             : of->uses_block_dim          ? "blockDim"
                             : facts->uses[axis].raw_block ? "blockIdx"
                                                           : "gridDim");
        return AXIS_PINNED;
    }
    if (axis == 0 && !flat_alone(model)) {
        ht_plan_remark_place(
            plan, HT_REMARK_MISSED, HT_AT_KERNEL,
            "the block along x stays: blocks are counted over the grid's x and y, and "
            "these are used in other ways too");
        return AXIS_PINNED;
    }
    return AXIS_FREE;
}

/* Replaces the 16 of blockIdx.x * 16 + threadIdx.x by the parameter; in a tuned source by
 * blockDim.x, so that the kernel works with any block: its launches may then choose between two. */
static bool edit_pitches(const ht_model *model, ht_plan *plan, const char *const names[3]) {
    for (size_t i = 0; i < model->facts->pitches.count; ++i) {
        const char *name = names[model->facts->pitches.items[i].axis];
        ht_range place;
        ht_position at;
        if (!name)
            continue;
        if (!ht_pitch_place(model, i, &place, &at)) {
            ht_plan_remark_place(plan, HT_REMARK_MISSED, at,
                                 "the block's extent in the global index is written elsewhere, by "
                                 "a macro or a function");
            return false;
        }
        int64_t block = model->axes[model->facts->pitches.items[i].axis].block;
        bool done =
            ht_pitch_is_unsigned(model, i)
                ? ht_plan_editf(plan, place, NULL,
                                "$?{%s != %lld}{%s}{blockDim.%c}$?{%s == %lld}{}{$[%zu,%zu]}", name,
                                (long long)block, name, 'x' + model->facts->pitches.items[i].axis,
                                name, (long long)block, place.begin, place.end)
                : ht_plan_editf(plan, place, NULL, "${%s}", name);
        if (!done)
            return false;
    }
    return true;
}

static void axis_values(ht_plan *plan, int axis, const char *name, int axes) {
    static const int64_t line[] = {32, 64, 128, 256, 512, 1024};
    static const int64_t wide[] = {4, 8, 16, 32, 64, 128};
    static const int64_t high[] = {1, 2, 4, 8, 16, 32};
    static const int64_t deep[] = {1, 2, 4, 8};
    int64_t block = plan->model->axes[axis].block;
    char *values = axes == 1   ? ht_values_around(line, 6, block, 1, 1024)
                   : axis == 0 ? ht_values_around(wide, 6, block, 1, 1024)
                   : axis == 1 ? ht_values_around(high, 6, block, 1, 1024)
                               : ht_values_around(deep, 4, block, 1, 64);
    ht_block_param(plan, axis, name, values);
    free(values);
}

static void apply_map(const ht_model *model, ht_plan *plan) {
    axis_verdict verdict[3];
    const char *names[3] = {NULL};
    int axes = 0;
    for (int axis = 0; axis < 3; ++axis) {
        verdict[axis] = judge(model, plan, axis);
        axes += verdict[axis] == AXIS_FREE;
    }
    if (axes == 0) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                             "no axis is indexed by blockIdx * blockDim + threadIdx alone");
        plan->running.abandoned = !ht_block_renumber_apply(model, plan);
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (verdict[axis] != AXIS_FREE)
            continue;
        names[axis] = ht_block_name(plan, axis);
        axis_values(plan, axis, names[axis], axes);
        plan->axes[axis].free_cover = ht_grid_stride_bound(model, axis) != NULL;
        plan->axes[axis].exact_cover =
            model->axes[axis].uses_grid_dim && !plan->axes[axis].free_cover;
    }
    if (!edit_pitches(model, plan, names) || !ht_launch_bounds_follow(plan)) {
        plan->running.abandoned = true;
        return;
    }
    ht_block_require_threads(plan);
    if (model->facts->assumed.text)
        ht_plan_remark_at(plan, HT_REMARK_NOTE,
                          model->facts->assumed.line ? model->facts->assumed.line
                                                     : model->definition.line,
                          "%s", model->facts->assumed.text);
    ht_plan_remark_place(
        plan, HT_REMARK_APPLIED, HT_AT_KERNEL,
        "the block became %s, %s, %s: each thread depends on its global index alone",
        plan->axes[0].block, plan->axes[1].block, plan->axes[2].block);
}

/* Returns true if barriers order nothing: there is no shared memory, the kernel model knows all
 * accesses, and it proves that no two threads access the same memory. */
static bool meets_nowhere(const ht_model *model) {
    const ht_kernel_model *km = ht_kernel_model_of(model, (ht_km_variant){0});
    bool nowhere = km->complete;
    for (size_t i = 0; i < km->effect_count && nowhere; ++i)
        nowhere = strcmp(km->effects[i].kind, "fence") == 0;
    for (size_t i = 0; i < km->barrier_count && nowhere; ++i)
        nowhere = km->barriers[i].uniform == HT_YES;
    for (size_t i = 0; i < km->dependence_count && nowhere; ++i)
        nowhere = km->dependences[i].answer == HT_NO;
    return nowhere;
}

static bool share_memory(const ht_model *model) {
    return model->feature[HT_FEATURE_SHARED] || model->feature[HT_FEATURE_DYNAMIC_LDS] ||
           (model->feature[HT_FEATURE_BARRIER] && !meets_nowhere(model));
}

/* Returns true if the kernel's block is tied by its lanes alone. */
static bool tied_by_lanes(const ht_model *model) {
    int line;
    return model->feature[HT_FEATURE_WAVEFRONT] && !model->facts->reached.vote_line &&
           !ht_block_pin(model, false, &line);
}

/* Joins several of the original's blocks in one, each with the wavefronts that it had. Where that
 * cannot be done, a remark names the lanes, ahead of the one that says why. */
static bool joins_wavefronts(const ht_model *model, ht_plan *plan) {
    ht_plan_state before = ht_plan_save(plan);
    size_t first = plan->remarks.count;
    bool done = ht_block_group_apply(model, plan) && !plan->running.failed;
    if (!done) {
        plan->running.failed = false;
        ht_plan_restore(plan, &before);
        (void)pinned(model, plan);
        ht_remark *remarks = plan->remarks.items;
        size_t last = plan->remarks.count - 1;
        ht_remark lanes = remarks[last];
        memmove(&remarks[first + 1], &remarks[first], (last - first) * sizeof *remarks);
        remarks[first] = lanes;
    }
    ht_plan_state_free(&before);
    return done;
}

/* Makes a parameter of the constant that ties threads to their block; if that fails, joins several
 * of the original's blocks in one. */
static void apply_shared(const ht_model *model, ht_plan *plan) {
    ht_plan_state before = ht_plan_save(plan);
    /* a value that stands for one chosen at run time ties nothing */
    bool done =
        !model->facts->assumed.text && ht_block_tile_apply(model, plan) && !plan->running.failed;
    if (!done) {
        plan->running.failed = false;
        ht_plan_restore(plan, &before);
        done = ht_block_group_apply(model, plan);
    }
    plan->running.abandoned = !done;
    ht_plan_state_free(&before);
}

static void apply(const ht_model *model, ht_plan *plan) {
    if (!model->launch_known) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                             "the block of the original's launch is not known");
        return;
    }
    if (model->facts->problem.text) {
        ht_plan_remark_at(plan, HT_REMARK_MISSED,
                          model->facts->problem.line ? model->facts->problem.line
                                                     : model->definition.line,
                          "%s", model->facts->problem.text);
        return;
    }
    /* lanes may exchange values for a reduction that is known */
    if (ht_block_stride_apply(model, plan))
        return;
    if (tied_by_lanes(model)) {
        plan->running.abandoned = !joins_wavefronts(model, plan);
        return;
    }
    if (pinned(model, plan))
        return;
    if (share_memory(model))
        apply_shared(model, plan);
    else
        apply_map(model, plan);
}

const ht_transformation ht_transformation_block_size = {
    .name = "block-size",
    .summary = "the block's shape, with the constants that depend on it",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_LAUNCH,
    .searched = {.steps = {{80,
                            {{.prefix = "BLOCK_X", .values = {64, 128}},
                             {.prefix = "BLOCK_Y", .values = {4, 8}}}}}},
};
