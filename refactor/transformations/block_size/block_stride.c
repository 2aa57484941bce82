#include "refactor/transformations/block_size/block_stride.h"
#include "refactor/transformations/block_size/block_rows.h"
#include "refactor/transformations/block_size/block_size.h"

#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/kernel_model/build.h"
#include "refactor/kernel_model/kernel_model.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/values.h"
#include "refactor/transformations/block_size/block_sums.h"
#include "refactor/transformations/block_size/stride_loop.h"
#include "refactor/transformations/block_size/sums_own.h"
#include "refactor/transformations/block_size/sums_write.h"
#include "refactor/transformations/block_size/threads.h"
#include "refactor/transformations/launch_bounds.h"

#include <stdlib.h>
#include <string.h>

typedef struct striding {
    const ht_model *model;
    const ht_syntax_tree *tree;
    int axis;
    const ht_syntax **loops; /* outermost ones */
    size_t loop_count;
    size_t thread_uses, block_uses;
    const ht_block_sums *sums;
    bool shares; /* threads also work on their global index, with values that the loops shared */
} striding;

/* ---- shared memory ----
 *
 * Threads that share out the iterations of some loops may also work on their global index with the
 * values that those loops stored in shared memory:
 *
 *     for (int i = threadIdx.x; i < n; i += blockDim.x) table[i] = weights[i];
 *     __syncthreads();
 *     if (index < m) out[index] = table[...];
 *
 * if each block's shared memory has the same contents with any number of threads: nothing outside
 * of the loops writes to it, and nothing in the loops depends on a thread's index except through
 * their counters. */

enum { DEPTH_MAX = 16, CARRIED_MAX = 16 };

typedef struct searching {
    const ht_syntax *loop;
    int depth;
} searching;

static bool varies(const ht_syntax *node, const void *context);

/* Returns true if a variable from outside of the loop may differ between threads. */
static bool variable_varies(const searching *in, const ht_syntax_variable *variable) {
    const ht_local *local = variable->local;
    const ht_syntax *initializer = ht_syntax_initializer(variable);
    if (!local || local->is_shared || ht_syntax_within(variable->declaration, in->loop))
        return false;
    const searching inner = {in->loop, in->depth + 1};
    return local->is_array || local->writes > 0 || !initializer || inner.depth > DEPTH_MAX ||
           ht_syntax_first(initializer, varies, &inner);
}

static bool varies(const ht_syntax *node, const void *context) {
    if (node->kind == HT_SYNTAX_NAME)
        return variable_varies(context, ht_syntax_named(node));
    return node->kind == HT_SYNTAX_GLOBAL ||
           (node->kind == HT_SYNTAX_INDEX &&
            (node->op == HT_INDEX_THREAD || node->op == HT_INDEX_BLOCK));
}

/* Returns true if a part of such a loop has the same effect whichever thread of whichever block
 * runs an iteration. */
static bool is_part_uniform(const ht_syntax *loop, const ht_syntax *part) {
    const searching in = {.loop = loop};
    return !ht_syntax_first(part, varies, &in);
}

/* Returns true if all threads reach all of these loops (one at least, in the order of the source).
 * They are statements of the kernel's body itself, with no return before them. */
static bool are_loops_reached(const ht_syntax *const *loops, size_t count) {
    const ht_syntax_tree *tree = loops[0]->tree;
    const ht_syntax *last = loops[count - 1];
    for (size_t i = 0; i < count; ++i)
        if (loops[i]->parent != tree->body)
            return false;
    for (size_t i = 0; i < tree->count; ++i) {
        const ht_syntax *node = tree->nodes[i];
        if (i > last->index && !ht_syntax_within(node, last))
            break;
        if (node->kind == HT_SYNTAX_RETURN || node->kind == HT_SYNTAX_UNKNOWN_STATEMENT)
            return false;
    }
    return true;
}

static bool is_stride_loop(const striding *in, const ht_syntax *loop) {
    ht_stride_loop of;
    size_t variables[CARRIED_MAX];
    ht_stride_carry carry = {variables, 0};
    for (size_t i = 0; in->sums->count && i < in->sums->accumulator_count; ++i)
        if (carry.count < CARRIED_MAX)
            variables[carry.count++] = in->sums->accumulators[i].variable;
    return ht_stride_loop_read(loop, in->axis, &of) && !ht_stride_carries(&of, &carry) &&
           (!in->shares || (is_part_uniform(loop, ht_syntax_body(loop)) &&
                            is_part_uniform(loop, loop->children[1])));
}

/* ---- the kernel ---- */

static bool on_node(const ht_syntax *node, void *context) {
    striding *in = context;
    if (!is_stride_loop(in, node))
        return true;
    HT_GROW(in->loops, in->loop_count);
    in->loops[in->loop_count++] = node;
    return false; /* a loop inside would count its indices twice */
}

/* Returns true if blocks have one axis: with more, threads that differ along another would run the
 * same iterations. */
static bool alone(const ht_model *model) {
    return model->axes[1].block == 1 && model->axes[2].block == 1 && model->facts->flat_uses == 0;
}

/* Returns true for nodes whose use of indices does not depend on the block: the condition of what
 * the first thread does alone, and reductions, which are proved or replaced. */
static bool is_aside(const striding *in, const ht_syntax *node) {
    const ht_syntax *up = node->parent;
    if (up == in->tree->body)
        return ht_block_sums_own(in->sums, node);
    return in->axis == 0 && up && up->kind == HT_SYNTAX_IF && node == up->children[0] &&
           alone(in->model) && ht_is_first_thread(up);
}

static bool on_index(const ht_syntax *node, void *context) {
    striding *in = context;
    int axis;
    if (is_aside(in, node))
        return false;
    if (node->kind == HT_SYNTAX_VARIABLE)
        return !ht_syntax_is_alias(ht_syntax_named(node));
    if (node->kind != HT_SYNTAX_INDEX && node->kind != HT_SYNTAX_NAME)
        return true;
    ht_index_kind kind = ht_syntax_index(node, &axis);
    in->thread_uses += kind == HT_INDEX_THREAD && axis == in->axis;
    in->block_uses += kind == HT_INDEX_BLOCK_DIM && axis == in->axis;
    return true;
}

static bool serves_loops_alone(striding *in) {
    const ht_index_names *elsewhere = &in->model->facts->reached.names_elsewhere;
    bool asked = elsewhere->named[HT_INDEX_THREAD] || elsewhere->named[HT_INDEX_BLOCK_DIM] ||
                 elsewhere->called > 0;
    if (in->sums->count ? ht_block_sums_elsewhere(in->sums) != NULL : asked)
        return false;
    ht_syntax_walk(in->tree->body, on_node, in);
    if (in->loop_count == 0 || (in->shares && !are_loops_reached(in->loops, in->loop_count)))
        return false;
    ht_syntax_walk(in->tree->body, on_index, in);
    return in->thread_uses == in->loop_count && in->block_uses == in->loop_count;
}

/* Returns true for an access of what the first thread does alone. */
static bool is_of_first(const striding *in, const ht_km_access *access) {
    const ht_syntax *node = access->node, *top = node;
    while (top && top->parent && top->parent != in->tree->body)
        top = top->parent;
    return top && in->axis == 0 && alone(in->model) && ht_is_first_thread(top) &&
           ht_syntax_within(node, top->children[1]);
}

static bool in_loops(const striding *in, const ht_kernel_model *km, const ht_km_control *control) {
    for (size_t i = 0; i < control->loop_count; ++i) {
        const ht_km_place *place = &km->loops[control->loops[i]].place;
        for (size_t j = 0; j < in->loop_count; ++j)
            if (place->line == in->loops[j]->at.line && place->column == in->loops[j]->at.column)
                return true;
    }
    return false;
}

/* Returns why iterations may not be assigned to other threads; NULL: they may. */
static const char *obstacle(const striding *in, const ht_kernel_model *km, int *out_line) {
    *out_line = 0;
    if (!km->complete) {
        *out_line = km->incomplete_place.file == 0 ? km->incomplete_place.line : 0;
        return km->incomplete;
    }
    for (size_t i = 0; i < km->access_count; ++i) {
        const ht_km_access *access = &km->accesses[i];
        *out_line = access->place.file == 0 ? access->place.line : 0;
        bool shared = km->arrays[access->array].space == HT_SPACE_SHARED;
        if (access->write && (shared || !in->shares) && !in_loops(in, km, &access->control) &&
            (in->shares || !is_of_first(in, access)))
            return "each thread of a block writes outside of the loops that stride by the block";
    }
    for (size_t i = 0; i < km->effect_count; ++i) {
        *out_line = km->effects[i].place.file == 0 ? km->effects[i].place.line : 0;
        if (strcmp(km->effects[i].kind, "atomic") != 0 && strcmp(km->effects[i].kind, "fence") != 0)
            return "a call's effects are not known";
    }
    for (size_t i = 0; i < km->barrier_count; ++i) {
        *out_line = km->barriers[i].place.file == 0 ? km->barriers[i].place.line : 0;
        if (km->barriers[i].uniform != HT_YES)
            return "a barrier is not proved to be reached by all threads alike";
    }
    for (size_t i = 0; i < km->dependence_count; ++i) {
        *out_line = 0;
        if (km->dependences[i].races != HT_NO)
            return "iterations are not proved to touch different memory";
    }
    return NULL;
}

/* The blocks that are offered; for them the author's statements are proved to hold, or not. */
static const int64_t block_line[] = {32, 64, 128, 256, 512, 1024};
enum { BLOCK_LINE = sizeof block_line / sizeof *block_line };

static void add_parameter(ht_plan *plan, int axis, bool shares) {
    char *values = ht_values_around(block_line, BLOCK_LINE, plan->model->axes[axis].block, 1, 1024);
    ht_block_param(plan, axis, ht_block_name(plan, axis), values);
    plan->axes[axis].keep_grid = !shares;
    plan->axes[axis].exact_cover = shares;
    free(values);
}

/* Returns true where blocks may wait for each other, or read what others leave for them: by atomic
 * updates, fences and memory that is read anew each time. */
static bool blocks_meet(const striding *in, const ht_kernel_model *km) {
    bool meet = km->effect_count > 0 || in->model->feature[HT_FEATURE_VOLATILE];
    for (size_t i = 0; i < km->array_count && !meet; ++i)
        meet = km->arrays[i].atomic;
    return meet;
}

/* Returns why iterations may not be dealt out to a block of another size, as proved for blocks of
 * any size; NULL: they may. */
static const char *deals_out(const striding *in, int *out_line) {
    ht_km_variant variant = {.any_block = true, .axis = in->axis, .ordered = true};
    const ht_syntax **replaced = NULL;
    for (size_t k = 0; k < in->sums->count; ++k)
        for (size_t i = in->sums->items[k].first; i <= in->sums->items[k].last; ++i) {
            HT_GROW(replaced, variant.replaced_count);
            replaced[variant.replaced_count++] = ht_sums_whole_statement(in->sums, i);
        }
    variant.replaced = replaced;
    variant.own_blocks = !in->shares;
    const ht_kernel_model *km = ht_kernel_model_of(in->model, variant);
    if (variant.own_blocks && blocks_meet(in, km)) {
        variant.own_blocks = false;
        km = ht_kernel_model_of(in->model, variant);
    }
    const char *words = obstacle(in, km, out_line);
    free(replaced);
    return words;
}

/* Returns false for kernels whose threads may depend on their block in ways that are not looked
 * for. */
static bool is_followed(const ht_model *model) {
    int line;
    return !model->feature[HT_FEATURE_DYNAMIC_LDS] && !ht_block_pin(model, false, &line) &&
           !model->facts->reached.vote_line;
}

/* Looks for loops that stride by the block along an axis, in a kernel whose block serves them
 * alone; `in->loops` is the caller's. */
static bool strides_along(const ht_model *model, int axis, striding *in) {
    const ht_axis *of = &model->axes[axis];
    static const ht_block_sums none;
    *in = (striding){.model = model,
                     .tree = ht_syntax_of(model),
                     .axis = axis,
                     .sums = &none,
                     .shares = of->uses_global};
    bool whole = of->uses_global ? !of->uses_block && !of->uses_grid_dim && !of->fixed_pitch &&
                                       axis == 0 && alone(model)
                                 : model->facts->flat_uses == 0;
    if (!of->uses_thread || !of->uses_block_dim || !whole || !is_followed(model))
        return false;
    if (axis == 0 && !in->shares)
        in->sums = ht_block_sums_of(model);
    bool lanes = model->feature[HT_FEATURE_WAVEFRONT] && !in->sums->count;
    return !lanes && serves_loops_alone(in);
}

bool ht_block_stride_loops(const ht_model *model, int axis, ht_stride_loop **out_loops,
                           size_t *out_count) {
    striding in;
    int line;
    *out_count = 0;
    *out_loops = NULL;
    bool good = strides_along(model, axis, &in) && !deals_out(&in, &line);
    if (good)
        *out_loops = ht_alloc(in.loop_count, sizeof **out_loops);
    for (; good && *out_count < in.loop_count; ++*out_count) {
        ht_stride_loop *of = &(*out_loops)[*out_count];
        (void)ht_stride_loop_read(in.loops[*out_count], axis, of);
        for (size_t i = 0; i < in.sums->accumulator_count; ++i)
            of->rounds |= in.sums->accumulators[i].real &&
                          in.tree->body->children[in.sums->accumulators[i].loop] == of->loop;
    }
    free(in.loops);
    return good;
}

/* Makes a parameter of how the block combines its threads' values. */
static void offer_sums(const striding *in, ht_plan *plan) {
    const char *block = plan->axes[0].block, *reduce = ht_plan_name(plan, "REDUCE");
    int64_t own = in->model->axes[0].block;
    bool real = false;
    ht_text held = {0};
    size_t count = 0;
    for (size_t i = 0; i < BLOCK_LINE; ++i) {
        bool holds = block_line[i] == own || ht_block_sums_hold(in->sums, (size_t)block_line[i]);
        count += holds;
        if (holds && block_line[i] != own) /* which is named first */
            ht_text_printf(&held, " || %s == %lld", block, (long long)block_line[i]);
    }
    ht_plan_param(plan, reduce, "0, 1, 2", "0");
    if (count < BLOCK_LINE)
        ht_plan_require(plan, "%s != %d || %s == %lld%s", reduce, HT_REDUCE_OWN, block,
                        (long long)own, held.data ? held.data : "");
    if (own % 32 != 0)
        ht_plan_require(plan, "%s != %d || %s %% 32 == 0", reduce, HT_REDUCE_LANES, block);
    if ((own & (own - 1)) != 0)
        ht_plan_require(plan, "%s != %d || %s != %lld", reduce, HT_REDUCE_SHARED, block,
                        (long long)own);
    for (size_t i = 0; i < in->sums->accumulator_count; ++i)
        real |= in->sums->accumulators[i].real;
    for (size_t i = 0; i < plan->params.count; ++i)
        if (strcmp(plan->params.items[i].name, reduce) == 0 ||
            strcmp(plan->params.items[i].name, block) == 0)
            plan->params.items[i].rounds = real;
    ht_text_free(&held);
    if (!ht_sums_write(plan, in->sums, reduce, block))
        plan->running.failed = true;
    ht_plan_remark_place(plan, HT_REMARK_APPLIED,
                         in->tree->body->children[in->sums->items[0].first]->at,
                         "%s: the block's threads combine their values as written (0), by shuffles "
                         "of 32 lanes (1), or by a tree in shared memory (2)",
                         reduce);
    ht_block_rows_offer(in->model, plan, reduce);
}

bool ht_block_stride_apply(const ht_model *model, ht_plan *plan) {
    bool any = false;
    for (int axis = 0; axis < 3; ++axis) {
        striding in;
        int line = 0;
        bool good = strides_along(model, axis, &in);
        const char *words = good ? deals_out(&in, &line) : NULL;
        if (!good && in.sums->why)
            ht_plan_remark_place(plan, HT_REMARK_MISSED, in.sums->at,
                                 "the block along %c stays: %s", 'x' + axis, in.sums->why);
        if (words)
            ht_plan_remark_at(plan, HT_REMARK_MISSED, line ? line : model->definition.line,
                              "the block along %c stays: %s", 'x' + axis, words);
        if (good && !words) {
            add_parameter(plan, axis, in.shares);
            if (in.sums->count)
                offer_sums(&in, plan);
            any = true;
        }
        free(in.loops);
    }
    if (!any)
        return false;
    if (!ht_launch_bounds_follow(plan)) {
        plan->running.abandoned = true;
        return true;
    }
    ht_block_require_threads(plan);
    ht_plan_remark_place(
        plan, HT_REMARK_APPLIED, HT_AT_KERNEL,
        "the block became %s, %s, %s: threads only deal out the iterations of loops that "
        "stride by the block",
        plan->axes[0].block, plan->axes[1].block, plan->axes[2].block);
    return true;
}
