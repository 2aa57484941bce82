/* block-size: the block's shape as parameters.
 *
 * Two kinds of kernels allow it. Where each thread depends on its global index alone, any block
 * does that launches the same global indices (this file). Where threads of a block work together
 * through shared memory, the block must be tied to the arrays by one named constant, which is then
 * promoted wherever it stands (block_tile.c). */
#include "refactor/transformations/block_size/block_size.h"

#include "base/memory.h"
#include "refactor/kernel/uniform.h"
#include "refactor/kernel_model/kernel_model.h"
#include "refactor/plan/values.h"
#include "refactor/transformations/block_size/block_renumber.h"
#include "refactor/transformations/launch_bounds.h"
#include "refactor/transformations/tile_constant/tile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ht_block_name(ht_plan *plan, int axis) {
    static const char *const names[] = {"BLOCK_X", "BLOCK_Y", "BLOCK_Z"};
    return ht_plan_name(plan, names[axis]);
}

typedef struct literal_list {
    const ht_model *model;
    ht_text text;
    int64_t seen[4];
    size_t count;
} literal_list;

static bool on_literal(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    literal_list *list = context;
    int64_t literal;
    if (clang_getCursorKind(cursor) != CXCursor_IntegerLiteral || list->count == 4 ||
        !ht_ast_constant(cursor, &literal))
        return true;
    bool tied = false;
    for (int axis = 0; axis < 3; ++axis)
        tied = tied || ht_tile_suspicious(literal, list->model->axes[axis].block);
    for (size_t i = 0; i < list->count; ++i)
        tied = tied && list->seen[i] != literal;
    if (tied) {
        ht_text_printf(&list->text, "%s%lld (line %d)", list->count ? ", " : "", (long long)literal,
                       ht_ast_line(cursor));
        list->seen[list->count++] = literal;
    }
    return true;
}

/* "; the literals 18 (line 8), 15 (line 14) may depend on its block", or nothing; free(). */
static char *tied_literals(const ht_model *model) {
    literal_list list = {.model = model};
    ht_ast_walk(model->body, on_literal, &list);
    char *words = list.count
                      ? ht_format("; the literals %s may depend on its block", list.text.data)
                      : ht_strdup("");
    ht_text_free(&list.text);
    return words;
}

/* Features that tie a kernel to its block whatever it does with the index. */
static bool pinned(const ht_model *model, ht_plan *plan) {
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
    for (size_t i = 0; i < sizeof pins / sizeof *pins; ++i)
        if (model->feature[pins[i].feature]) {
            char *literals = tied_literals(model);
            ht_plan_remark_at(plan, HT_REMARK_MISSED, model->feature_line[pins[i].feature],
                              "the kernel %s%s", pins[i].words, literals);
            free(literals);
            return true;
        }
    int line;
    if (!ht_block_votes(model, &line))
        return false;
    ht_plan_remark_at(plan, HT_REMARK_MISSED, line,
                      "the kernel counts votes of its block's threads");
    return true;
}

/* ---- grid-stride loops
 * ------------------------------------------------------------------------------------------- */

static bool strided(const ht_model *model, CXCursor statement, int axis) {
    CXCursor init, condition, increment, body, left, right;
    enum CXBinaryOperatorKind kind;
    int of;
    if (!ht_ast_for(statement, &init, &condition, &increment, &body) ||
        clang_getCursorKind(init) != CXCursor_DeclStmt)
        return false;
    CXCursor variable = ht_ast_child(init, 0);
    CXCursor start = clang_Cursor_getVarDeclInitializer(variable);
    if (clang_Cursor_isNull(start) || ht_ast_index(model, start, &of) != HT_INDEX_GLOBAL ||
        of != axis)
        return false;
    if (!ht_ast_binary(ht_ast_strip(condition, false), &kind, &left, &right) ||
        kind != CXBinaryOperator_LT || !clang_equalCursors(ht_ast_variable(left), variable))
        return false;
    return ht_ast_binary(ht_ast_strip(increment, false), &kind, &left, &right) &&
           kind == CXBinaryOperator_AddAssign &&
           clang_equalCursors(ht_ast_variable(left), variable) &&
           ht_index_total(model, right, &of) && of == axis;
}

/* Does a local declared outside of the loops change? It would carry values from one iteration into
 * the next, and so depend on the stride. */
static bool carries(const ht_model *model) {
    for (size_t i = 0; i < model->parameter_count; ++i)
        if (model->parameters[i].is_assigned)
            return true;
    ht_cursors list = ht_ast_children(model->body);
    bool found = false;
    for (size_t i = 0; i < list.count && !found; ++i) {
        if (clang_getCursorKind(list.items[i]) != CXCursor_DeclStmt)
            continue;
        ht_cursors variables = ht_ast_children(list.items[i]);
        for (size_t j = 0; j < variables.count; ++j) {
            const ht_local *local = ht_model_local(model, variables.items[j]);
            found = found || !local || local->writes > 0;
        }
        free(variables.items);
    }
    free(list.items);
    return found;
}

/* All work of the kernel is one loop `for (i = global index; i < n; i += all threads)`: the grid
 * may be anything. */
static bool is_grid_stride(const ht_model *model, int axis) {
    ht_cursors list = ht_ast_children(model->body);
    size_t loops = 0, others = 0;
    for (size_t i = 0; i < list.count; ++i) {
        enum CXCursorKind kind = clang_getCursorKind(list.items[i]);
        if (strided(model, list.items[i], axis))
            ++loops;
        else if (kind != CXCursor_DeclStmt && kind != CXCursor_NullStmt &&
                 !(kind == CXCursor_ReturnStmt && i + 1 == list.count))
            ++others;
    }
    free(list.items);
    return loops == 1 && others == 0 && !carries(model) && model->facts->global_uses[axis] == 1 &&
           model->facts->total_uses[axis] == 1;
}

/* ---- one axis
 * -----------------------------------------------------------------------------------------------------
 */

typedef enum axis_verdict { AXIS_FREE, AXIS_UNUSED, AXIS_PINNED } axis_verdict;

/* Where blocks are counted over two axes of the grid, nothing else may depend on these. */
static bool flat_alone(const ht_model *model) {
    const ht_kernel_facts *facts = model->facts;
    const ht_axis *y = &model->axes[1];
    return facts->flat_uses == 0 ||
           (facts->flat_uses == facts->global_uses[0] && facts->total_uses[0] == 0 &&
            !y->uses_block && !y->uses_global && !y->uses_thread && !y->uses_grid_dim);
}

static axis_verdict judge(const ht_model *model, ht_plan *plan, int axis) {
    const ht_axis *of = &model->axes[axis];
    const ht_kernel_facts *facts = model->facts;
    bool raw = facts->raw_thread[axis] || of->uses_block_dim || facts->raw_grid_dim[axis];
    if (!of->uses_global)
        return facts->raw_block[axis] || raw || of->block > 1 ? AXIS_PINNED : AXIS_UNUSED;
    if (raw || facts->raw_block[axis]) {
        ht_plan_remark(plan, HT_REMARK_MISSED, clang_getNullCursor(),
                       "the block along %c stays: %s is used by itself", 'x' + axis,
                       facts->raw_thread[axis]  ? "threadIdx"
                       : of->uses_block_dim     ? "blockDim"
                       : facts->raw_block[axis] ? "blockIdx"
                                                : "gridDim");
        return AXIS_PINNED;
    }
    if (axis == 0 && !flat_alone(model)) {
        ht_plan_remark(plan, HT_REMARK_MISSED, clang_getNullCursor(),
                       "the block along x stays: blocks are counted over the grid's x and y, and "
                       "these are used otherwise too");
        return AXIS_PINNED;
    }
    return AXIS_FREE;
}

typedef struct pitch_edit {
    const ht_model *model;
    ht_plan *plan;
    const char *const *names; /* per axis; NULL: not a parameter */
    bool failed;
} pitch_edit;

/* The constant 16 in gridDim.x * 16; a null cursor for others. */
static CXCursor total_pitch(const ht_model *model, CXCursor cursor, int *out_axis) {
    CXCursor left, right;
    enum CXBinaryOperatorKind kind;
    int axis;
    if (!ht_ast_binary(ht_ast_strip(cursor, true), &kind, &left, &right) ||
        !ht_index_total(model, cursor, out_axis))
        return clang_getNullCursor();
    CXCursor pitch = ht_index_plain(model, left, true, &axis) == HT_INDEX_GRID_DIM ? right : left;
    return ht_ast_index(model, pitch, &axis) == HT_INDEX_BLOCK_DIM ? clang_getNullCursor() : pitch;
}

/* blockIdx.x * 16 + threadIdx.x: the 16 becomes the parameter. */
static bool on_pitch(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    pitch_edit *in = context;
    int axis, inner;
    CXCursor pitch;
    if (!clang_isExpression(clang_getCursorKind(cursor)))
        return true;
    if (!ht_index_global(in->model, cursor, &axis, &pitch)) {
        pitch = total_pitch(in->model, cursor, &axis);
        if (clang_Cursor_isNull(pitch))
            return true;
    }
    ht_range place, whole;
    if (!in->names[axis] || ht_ast_index(in->model, pitch, &inner) == HT_INDEX_BLOCK_DIM)
        return false;
    const ht_source *source = in->model->facts->source;
    /* in a macro's body both have the place of the macro's name */
    if (!ht_source_place(source, pitch, &place) || !ht_source_place(source, cursor, &whole) ||
        (place.begin == whole.begin && place.end == whole.end) ||
        place.begin < in->model->body_range.begin || place.end > in->model->body_range.end) {
        if (!in->failed)
            ht_plan_remark(in->plan, HT_REMARK_MISSED, cursor,
                           "the block's extent in the global index is written elsewhere, by a "
                           "macro or a function");
        in->failed = true;
    } else if (!ht_plan_editf(in->plan, place, NULL, "${%s}", in->names[axis]))
        in->failed = true;
    return false;
}

static void axis_values(ht_plan *plan, int axis, const char *name, int axes) {
    static const int64_t line[] = {32, 64, 128, 256, 512, 1024};
    static const int64_t wide[] = {4, 8, 16, 32, 64, 128};
    static const int64_t high[] = {1, 2, 4, 8, 16, 32};
    static const int64_t deep[] = {1, 2, 4, 8};
    int64_t block = plan->model->axes[axis].block;
    char number[32];
    char *values = axes == 1   ? ht_values_around(line, 6, block, 1, 1024)
                   : axis == 0 ? ht_values_around(wide, 6, block, 1, 1024)
                   : axis == 1 ? ht_values_around(high, 6, block, 1, 1024)
                               : ht_values_around(deep, 4, block, 1, 64);
    snprintf(number, sizeof number, "%lld", (long long)block);
    ht_plan_param(plan, name, values, number);
    free(values);
}

static void require_threads(ht_plan *plan) {
    char *threads = ht_plan_threads(plan);
    ht_plan_require(plan, "%s <= device.max_threads", threads);
    free(threads);
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
        ht_plan_remark(plan, HT_REMARK_MISSED, clang_getNullCursor(),
                       "no axis is indexed by blockIdx * blockDim + threadIdx alone");
        plan->abandoned = !ht_block_renumber_apply(model, plan);
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (verdict[axis] != AXIS_FREE)
            continue;
        names[axis] = ht_block_name(plan, axis);
        axis_values(plan, axis, names[axis], axes);
        plan->free_cover[axis] = is_grid_stride(model, axis);
        plan->exact_cover[axis] = model->axes[axis].uses_grid_dim && !plan->free_cover[axis];
    }
    pitch_edit in = {model, plan, names, false};
    for (size_t i = 0; i < model->facts->reached_count; ++i)
        ht_ast_walk(model->facts->reached[i], on_pitch, &in);
    if (in.failed) {
        plan->abandoned = true;
        return;
    }
    for (int axis = 0; axis < 3; ++axis)
        if (names[axis])
            ht_plan_set_block(plan, axis, names[axis]);
    if (!ht_launch_bounds_follow(plan)) {
        plan->abandoned = true;
        return;
    }
    require_threads(plan);
    if (model->facts->assumed)
        ht_plan_remark_at(plan, HT_REMARK_NOTE,
                          model->facts->assumed_line ? model->facts->assumed_line
                                                     : ht_ast_line(model->kernel),
                          "%s", model->facts->assumed);
    ht_plan_remark(plan, HT_REMARK_APPLIED, clang_getNullCursor(),
                   "the block became %s, %s, %s: each thread depends on its global index alone",
                   plan->block[0], plan->block[1], plan->block[2]);
}

/* Barriers without shared memory, in a kernel whose threads meet nowhere in memory, order nothing:
 * the kernel model knows of all accesses, and proves that no two threads touch the same. */
static bool meets_nowhere(const ht_model *model) {
    ht_kernel_model *km = ht_kernel_model_build(model);
    bool nowhere = km->complete;
    for (size_t i = 0; i < km->effect_count && nowhere; ++i)
        nowhere = strcmp(km->effects[i].kind, "fence") == 0;
    for (size_t i = 0; i < km->barrier_count && nowhere; ++i)
        nowhere = km->barriers[i].uniform == HT_YES;
    for (size_t i = 0; i < km->dependence_count && nowhere; ++i)
        nowhere = km->dependences[i].answer == HT_NO;
    ht_kernel_model_free(km);
    return nowhere;
}

static bool share_memory(const ht_model *model) {
    return model->feature[HT_FEATURE_SHARED] || model->feature[HT_FEATURE_DYNAMIC_LDS] ||
           (model->feature[HT_FEATURE_BARRIER] && !meets_nowhere(model));
}

/* By the constant that ties threads to their block; else blocks as they are, several as one. */
static void apply_shared(const ht_model *model, ht_plan *plan) {
    ht_plan_state before = ht_plan_save(plan);
    /* a value that stands for what is chosen at run time ties nothing */
    bool done = !model->facts->assumed && ht_block_tile_apply(model, plan) && !plan->failed;
    if (!done) {
        plan->failed = false;
        ht_plan_restore(plan, &before);
        done = ht_block_group_apply(model, plan);
    }
    plan->abandoned = !done;
    ht_plan_state_free(&before);
}

static void apply(const ht_model *model, ht_plan *plan) {
    if (!model->launch_known) {
        ht_plan_remark(plan, HT_REMARK_MISSED, clang_getNullCursor(),
                       "the block of the original's launch is not known");
        return;
    }
    if (model->facts->problem) {
        ht_plan_remark_at(plan, HT_REMARK_MISSED,
                          model->facts->problem_line ? model->facts->problem_line
                                                     : ht_ast_line(model->kernel),
                          "%s", model->facts->problem);
        return;
    }
    if (pinned(model, plan) || ht_block_stride_apply(model, plan))
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
