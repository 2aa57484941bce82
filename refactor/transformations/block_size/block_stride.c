#include "refactor/transformations/block_size/block_stride.h"
#include "refactor/transformations/block_size/block_size.h"

#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/kernel_model/build.h"
#include "refactor/kernel_model/kernel_model.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/values.h"
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
    bool shares; /* threads also work on their global index, with values that the loops shared */
} striding;

/* ---- one loop ---- */

/* Returns true for the index `kind` of the axis, or a constant multiple of it. */
static bool is_multiple(const striding *in, const ht_syntax *expression, ht_index_kind kind,
                        int64_t *out_factor) {
    const ht_syntax *left, *right;
    int axis, op;
    *out_factor = 1;
    if (ht_syntax_index(expression, &axis) == kind)
        return axis == in->axis;
    if (!ht_syntax_binary(expression, &op, &left, &right) || op != HT_BINARY_MUL)
        return false;
    if (ht_syntax_constant(left, out_factor)) {
        const ht_syntax *held = left;
        left = right;
        right = held;
    }
    return ht_syntax_constant(right, out_factor) && *out_factor > 0 &&
           ht_syntax_index(left, &axis) == kind && axis == in->axis;
}

/* Returns true for i += STEP and i = i + STEP. */
static bool steps_by_block(const striding *in, const ht_syntax *increment,
                           const ht_syntax_variable *variable, int64_t *out_factor) {
    const ht_syntax *left, *right, *a, *b;
    int op;
    if (!ht_syntax_binary(increment, &op, &left, &right) || ht_syntax_named(left) != variable)
        return false;
    if (op == HT_BINARY_ADD_ASSIGN)
        return is_multiple(in, right, HT_INDEX_BLOCK_DIM, out_factor);
    return op == HT_BINARY_ASSIGN && ht_syntax_binary(right, &op, &a, &b) && op == HT_BINARY_ADD &&
           ht_syntax_named(a) == variable && is_multiple(in, b, HT_INDEX_BLOCK_DIM, out_factor);
}

static bool are_all_inside(const ht_syntax_variable *variable, const ht_syntax *scope) {
    for (size_t i = 0; i < variable->tree->count; ++i) {
        const ht_syntax *node = variable->tree->nodes[i];
        if (node->kind == HT_SYNTAX_NAME && node->variable == variable->index &&
            !ht_syntax_within(node, scope))
            return false;
    }
    return true;
}

/* Returns the counter of `for (int i = threadIdx.x; ...; ...)`, or of `for (; ...; ...)` over a
 * variable that only this loop uses. NULL: the loop has another form. */
static const ht_syntax_variable *counter_of(const ht_syntax *loop) {
    const ht_syntax *init = loop->children[0], *left, *right;
    int op;
    if (init)
        return init->kind == HT_SYNTAX_DECLARATION && init->count == 1
                   ? ht_syntax_named(init->children[0])
                   : NULL;
    const ht_syntax_variable *variable =
        ht_syntax_binary(loop->children[1], &op, &left, &right) ? ht_syntax_named(left) : NULL;
    return variable && variable->local && variable->local->writes == 1 &&
                   are_all_inside(variable, loop)
               ? variable
               : NULL;
}

/* ---- values carried between iterations ---- */

typedef struct carrying {
    const ht_syntax *loop, *body;
    const ht_syntax_variable *counter;
    bool found;
} carrying;

/* Returns true for a variable from outside that each iteration sets before any other use. */
static bool is_set_first(const carrying *in, const ht_syntax_variable *variable) {
    const ht_syntax *left, *right;
    int op;
    if (in->body->kind != HT_SYNTAX_COMPOUND || !are_all_inside(variable, in->body))
        return false;
    for (size_t i = 0; i < in->body->count; ++i)
        if (ht_syntax_mentions(in->body->children[i], variable->index))
            return ht_syntax_binary(in->body->children[i], &op, &left, &right) &&
                   op == HT_BINARY_ASSIGN && ht_syntax_named(left) == variable &&
                   !ht_syntax_mentions(right, variable->index);
    return false;
}

static void on_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    (void)change;
    carrying *in = context;
    const ht_syntax_variable *variable = ht_syntax_named(name);
    const ht_local *local = variable->local;
    if (variable == in->counter) /* only its step changes it */
        in->found = true;
    else if (variable->parameter)
        in->found = true;
    else if (local && !local->is_shared && !ht_syntax_within(variable->declaration, in->loop))
        in->found = in->found || local->is_array || !is_set_first(in, variable);
}

static bool on_end(const ht_syntax *node, void *context) {
    *(bool *)context |= node->kind == HT_SYNTAX_RETURN || /* it also ends the later iterations */
                        node->kind == HT_SYNTAX_BREAK || node->kind == HT_SYNTAX_UNKNOWN ||
                        node->kind == HT_SYNTAX_UNKNOWN_STATEMENT;
    return true;
}

static bool carries(const ht_syntax *loop, const ht_syntax_variable *counter) {
    carrying in = {loop, ht_syntax_body(loop), counter, false};
    ht_syntax_walk(in.body, on_end, &in.found);
    ht_syntax_changes(in.body, on_change, &in);
    return in.found;
}

static bool on_impure(const ht_syntax *node, void *context) {
    switch (node->kind) {
    case HT_SYNTAX_BINARY:
    case HT_SYNTAX_CAST:
    case HT_SYNTAX_CONDITIONAL:
    case HT_SYNTAX_CONSTANT:
    case HT_SYNTAX_MEMBER:
    case HT_SYNTAX_NAME:
    case HT_SYNTAX_PAREN:
        return true;
    default:
        return *(bool *)context = true;
    }
}

typedef struct bounding {
    const ht_syntax *condition;
    const ht_syntax_variable *counter;
    bool changes;
} bounding;

static void on_bound_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    (void)change;
    bounding *in = context;
    in->changes = in->changes || (ht_syntax_named(name) != in->counter &&
                                  ht_syntax_mentions(in->condition, name->variable));
}

/* Returns true for i < BOUND with a bound that the loop does not change. */
static bool has_bound(const ht_syntax *loop, const ht_syntax_variable *counter) {
    const ht_syntax *left, *right;
    int op;
    bool impure = false;
    if (!ht_syntax_binary(loop->children[1], &op, &left, &right) ||
        (op != HT_BINARY_LT && op != HT_BINARY_LE) || ht_syntax_named(left) != counter)
        return false;
    ht_syntax_walk(right, on_impure, &impure);
    bounding in = {loop->children[1], counter, false};
    ht_syntax_changes(ht_syntax_body(loop), on_bound_change, &in);
    return !impure && !in.changes;
}

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

enum { DEPTH_MAX = 16 };

typedef struct searching {
    const ht_syntax *loop;
    int depth;
    bool found;
} searching;

static bool on_value(const ht_syntax *node, void *context);

/* Checks that a variable from outside of the loop has the same value in all threads. */
static void look_at_variable(searching *in, const ht_syntax_variable *variable) {
    const ht_local *local = variable->local;
    const ht_syntax *initializer = ht_syntax_initializer(variable);
    if (!local || local->is_shared || ht_syntax_within(variable->declaration, in->loop))
        return;
    if (local->is_array || local->writes > 0 || !initializer || ++in->depth > DEPTH_MAX) {
        in->found = true;
        return;
    }
    ht_syntax_walk(initializer, on_value, in);
    --in->depth;
}

static bool on_value(const ht_syntax *node, void *context) {
    searching *in = context;
    if (node->kind == HT_SYNTAX_GLOBAL ||
        (node->kind == HT_SYNTAX_INDEX &&
         (node->op == HT_INDEX_THREAD || node->op == HT_INDEX_BLOCK)))
        in->found = true;
    else if (node->kind == HT_SYNTAX_NAME && !in->found)
        look_at_variable(in, ht_syntax_named(node));
    return !in->found;
}

/* Returns true if a part of such a loop has the same effect whichever thread of whichever block
 * runs an iteration. */
static bool is_part_uniform(const ht_syntax *loop, const ht_syntax *part) {
    searching in = {.loop = loop};
    ht_syntax_walk(part, on_value, &in);
    return !in.found;
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
    const ht_syntax_variable *counter = loop->kind == HT_SYNTAX_FOR ? counter_of(loop) : NULL;
    const ht_syntax *start = ht_syntax_initializer(counter);
    int64_t from, step;
    return start && is_multiple(in, start, HT_INDEX_THREAD, &from) &&
           steps_by_block(in, loop->children[2], counter, &step) && from == step &&
           has_bound(loop, counter) && !carries(loop, counter) &&
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

static bool on_index(const ht_syntax *node, void *context) {
    striding *in = context;
    int axis;
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
    if (elsewhere->named[HT_INDEX_THREAD] || elsewhere->named[HT_INDEX_BLOCK_DIM] ||
        elsewhere->called > 0)
        return false;
    ht_syntax_walk(in->tree->body, on_node, in);
    if (in->loop_count == 0 || (in->shares && !are_loops_reached(in->loops, in->loop_count)))
        return false;
    ht_syntax_walk(in->tree->body, on_index, in);
    return in->thread_uses == in->loop_count && in->block_uses == in->loop_count;
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
        if (access->write && (shared || !in->shares) && !in_loops(in, km, &access->control))
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

static void add_parameter(ht_plan *plan, int axis, bool shares) {
    static const int64_t line[] = {32, 64, 128, 256, 512, 1024};
    char *values = ht_values_around(line, 6, plan->model->axes[axis].block, 1, 1024);
    ht_block_param(plan, axis, ht_block_name(plan, axis), values);
    plan->axes[axis].keep_grid = !shares;
    plan->axes[axis].exact_cover = shares;
    free(values);
}

static bool deals_out(striding *in, ht_plan *plan) {
    const ht_km_variant variant = {.any_block = true, .axis = in->axis};
    ht_kernel_model *km = ht_kernel_model_of(in->model, variant);
    int line;
    const char *words = obstacle(in, km, &line);
    if (words)
        ht_plan_remark_at(plan, HT_REMARK_MISSED, line ? line : in->model->definition.line,
                          "the block along %c stays: %s", 'x' + in->axis, words);
    return !words;
}

/* Returns true if blocks have one axis: with more, threads that differ along another would run the
 * same iterations. */
static bool alone(const ht_model *model) {
    return model->axes[1].block == 1 && model->axes[2].block == 1 && model->facts->flat_uses == 0;
}

bool ht_block_stride_apply(const ht_model *model, ht_plan *plan) {
    bool any = false;
    if (model->feature[HT_FEATURE_DYNAMIC_LDS])
        return false;
    for (int axis = 0; axis < 3; ++axis) {
        const ht_axis *of = &model->axes[axis];
        striding in = {
            .model = model, .tree = ht_syntax_of(model), .axis = axis, .shares = of->uses_global};
        bool whole = of->uses_global ? !of->uses_block && !of->uses_grid_dim && !of->fixed_pitch &&
                                           axis == 0 && alone(model)
                                     : model->facts->flat_uses == 0;
        bool good = of->uses_thread && of->uses_block_dim && whole && serves_loops_alone(&in) &&
                    deals_out(&in, plan);
        free(in.loops);
        if (!good)
            continue;
        add_parameter(plan, axis, in.shares);
        any = true;
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
