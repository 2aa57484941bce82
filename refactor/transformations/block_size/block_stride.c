/* block-size for kernels in which threads stride over a range by the block:
 *
 *     for (int i = threadIdx.x; i < n; i += blockDim.x) ...
 *
 * Which thread runs an iteration follows from the block, what is run does not. Where the index of
 * the thread serves nothing else, no value goes from one iteration into the next, and no two
 * iterations meet in memory (the kernel model proves it for blocks of any size), the block may have
 * any size. The grid stays as it was, so that blockIdx may serve anything; unless threads also work
 * on their global index (block_share.c): then the number of threads stays. */
#include "refactor/transformations/block_size/block_size.h"

#include "base/memory.h"
#include "refactor/kernel_model/kernel_model.h"
#include "refactor/plan/values.h"
#include "refactor/transformations/launch_bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct striding {
    const ht_model *model;
    int axis;
    CXCursor *loops; /* outermost ones */
    size_t loop_count;
    size_t thread_uses, block_uses;
    bool shares;    /* threads work on their global index too, on what the loops shared */
    bool elsewhere; /* a device function uses the thread's index or the block */
} striding;

/* ---- one loop
 * -------------------------------------------------------------------------------------------- */

/* `kind` of the axis, or that times a constant. */
static bool is_multiple(const striding *in, CXCursor expression, ht_index_kind kind,
                        int64_t *out_factor) {
    int axis;
    CXCursor left, right;
    enum CXBinaryOperatorKind op;
    *out_factor = 1;
    if (ht_index_plain(in->model, expression, true, &axis) == kind)
        return axis == in->axis;
    if (!ht_ast_binary(ht_ast_strip(expression, true), &op, &left, &right) ||
        op != CXBinaryOperator_Mul)
        return false;
    if (ht_model_constant(in->model, left, out_factor)) {
        CXCursor held = left;
        left = right;
        right = held;
    }
    return ht_model_constant(in->model, right, out_factor) && *out_factor > 0 &&
           ht_index_plain(in->model, left, true, &axis) == kind && axis == in->axis;
}

static bool names(CXCursor expression, CXCursor variable) {
    return clang_equalCursors(ht_ast_variable(expression), variable);
}

/* i += STEP, i = i + STEP */
static bool steps_by_block(const striding *in, CXCursor increment, CXCursor variable,
                           int64_t *out_factor) {
    CXCursor left, right, a, b;
    enum CXBinaryOperatorKind op;
    if (!ht_ast_binary(ht_ast_strip(increment, false), &op, &left, &right) ||
        !names(left, variable))
        return false;
    if (op == CXBinaryOperator_AddAssign)
        return is_multiple(in, right, HT_INDEX_BLOCK_DIM, out_factor);
    return op == CXBinaryOperator_Assign && ht_ast_binary(ht_ast_strip(right, true), &op, &a, &b) &&
           op == CXBinaryOperator_Add && names(a, variable) &&
           is_multiple(in, b, HT_INDEX_BLOCK_DIM, out_factor);
}

static unsigned uses_of(CXCursor scope, CXCursor variable);

/* The parts of `for (int i = threadIdx.x; ...; ...)`, or of `for (; ...; ...)` over a variable that
 * serves this loop alone. */
static bool parts_of(const striding *in, CXCursor statement, CXCursor *out_variable,
                     CXCursor *out_condition, CXCursor *out_increment, CXCursor *out_body) {
    CXCursor init;
    enum CXBinaryOperatorKind op;
    CXCursor left, right;
    if (ht_ast_for(statement, &init, out_condition, out_increment, out_body)) {
        if (clang_getCursorKind(init) != CXCursor_DeclStmt)
            return false;
        ht_cursors list = ht_ast_children(init);
        bool one = list.count == 1 && clang_getCursorKind(list.items[0]) == CXCursor_VarDecl;
        if (one)
            *out_variable = list.items[0];
        free(list.items);
        return one;
    }
    ht_cursors list = ht_ast_children(statement);
    bool three = list.count == 3;
    if (three) {
        *out_condition = list.items[0];
        *out_increment = list.items[1];
        *out_body = list.items[2];
        three = ht_ast_binary(ht_ast_strip(*out_condition, false), &op, &left, &right);
    }
    free(list.items);
    if (!three)
        return false;
    *out_variable = ht_ast_variable(left);
    const ht_local *local = ht_model_local(in->model, *out_variable);
    return local && local->writes == 1 &&
           uses_of(in->model->body, *out_variable) == uses_of(statement, *out_variable);
}

typedef struct use_count {
    CXCursor variable;
    unsigned count;
} use_count;

static bool on_use(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    use_count *in = context;
    in->count += clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
                 clang_equalCursors(clang_getCursorReferenced(cursor), in->variable);
    return true;
}

static unsigned uses_of(CXCursor scope, CXCursor variable) {
    use_count in = {variable, 0};
    ht_ast_walk(scope, on_use, &in);
    return in.count;
}

/* ---- what goes from one iteration into the next
 * ------------------------------------------------------------------------------- */

typedef struct carrying {
    const ht_model *model;
    CXCursor loop, body;
    CXCursor counter;
    bool found;
} carrying;

/* The variable whose own value an expression writes: v, v.x, v[i] of an array. */
static CXCursor written(CXCursor expression) {
    for (int depth = 0; depth < 32; ++depth) {
        expression = ht_ast_strip(expression, true);
        enum CXCursorKind kind = clang_getCursorKind(expression);
        if (kind != CXCursor_MemberRefExpr && kind != CXCursor_ArraySubscriptExpr)
            return ht_ast_variable(expression);
        expression = ht_ast_strip(ht_ast_child(expression, 0), true);
        if (clang_Cursor_isNull(expression) ||
            clang_getCanonicalType(clang_getCursorType(expression)).kind == CXType_Pointer)
            return clang_getNullCursor();
    }
    return clang_getNullCursor();
}

/* `variable = value` as a statement, of a class type too. */
static bool is_set(CXCursor statement, CXCursor variable) {
    CXCursor left = clang_getNullCursor(), right = left;
    enum CXBinaryOperatorKind op;
    CXCursor cursor = ht_ast_strip(statement, false);
    if (ht_ast_binary(cursor, &op, &left, &right)) {
        if (op != CXBinaryOperator_Assign)
            return false;
    } else if (clang_getCursorKind(cursor) == CXCursor_CallExpr &&
               ht_cursor_named(cursor, "operator=") && clang_Cursor_getNumArguments(cursor) == 2) {
        left = clang_Cursor_getArgument(cursor, 0);
        right = clang_Cursor_getArgument(cursor, 1);
    } else
        return false;
    return names(left, variable) && uses_of(right, variable) == 0 && !names(right, variable);
}

/* Declared outside, and set anew by each iteration before anything else is done with it. */
static bool is_set_first(const carrying *in, CXCursor variable) {
    if (uses_of(in->model->body, variable) != uses_of(in->body, variable))
        return false;
    ht_cursors list = ht_ast_children(in->body);
    bool first = false;
    for (size_t i = 0; i < list.count; ++i)
        if (uses_of(list.items[i], variable) > 0 || names(list.items[i], variable)) {
            first = is_set(list.items[i], variable);
            break;
        }
    free(list.items);
    return first && clang_getCursorKind(in->body) == CXCursor_CompoundStmt;
}

static void note(carrying *in, CXCursor variable) {
    const ht_local *local = ht_model_local(in->model, variable);
    if (clang_equalCursors(variable, in->counter) || (local && local->is_shared) ||
        (local && !local->is_array && is_set_first(in, variable)))
        return;
    in->found = in->found || ht_model_parameter(in->model, variable) ||
                (local && !ht_ast_inside(variable, in->loop));
}

static bool on_write(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    carrying *in = context;
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_ReturnStmt: /* ends the iterations behind it too */
    case CXCursor_BreakStmt:
    case CXCursor_LambdaExpr:
    case CXCursor_CXXThrowExpr:
        in->found = true;
        return false;
    default:
        break;
    }
    if (ht_ast_binary(cursor, &binary, &left, &right)) {
        if (binary >= CXBinaryOperator_Assign && binary <= CXBinaryOperator_OrAssign)
            note(in, written(left));
    } else if (ht_ast_unary(cursor, &unary, &left)) {
        if (unary <= CXUnaryOperator_AddrOf)
            note(in, written(left));
    } else if (clang_getCursorKind(cursor) == CXCursor_CallExpr) {
        for (int i = 0; i < clang_Cursor_getNumArguments(cursor); ++i) {
            CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
            if (clang_getCursorKind(argument) == CXCursor_DeclRefExpr) /* maybe to a reference */
                note(in, ht_ast_variable(argument));
        }
    } else if (clang_getCursorKind(cursor) == CXCursor_VarDecl &&
               clang_getCursorType(cursor).kind == CXType_LValueReference)
        note(in, written(clang_Cursor_getVarDeclInitializer(cursor)));
    return true;
}

static bool carries(const striding *in, CXCursor loop, CXCursor counter, CXCursor body) {
    carrying search = {in->model, loop, body, counter, false};
    on_write(body, loop, &search);
    ht_ast_walk(body, on_write, &search);
    /* the counter changes by its step alone */
    return search.found || ht_variable_writes_in(body, counter, 0) > 0;
}

static bool on_impure(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    bool *impure = context;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_CallExpr:
    case CXCursor_UnaryOperator:
    case CXCursor_CompoundAssignOperator:
        *impure = true;
        break;
    default:
        break;
    }
    return !*impure;
}

/* i < BOUND with a bound that the loop does not change. */
static bool has_bound(const striding *in, CXCursor condition, CXCursor variable, CXCursor body) {
    CXCursor left, right;
    enum CXBinaryOperatorKind op;
    bool impure = false;
    if (!ht_ast_binary(ht_ast_strip(condition, false), &op, &left, &right) ||
        (op != CXBinaryOperator_LT && op != CXBinaryOperator_LE) || !names(left, variable))
        return false;
    on_impure(right, condition, &impure);
    ht_ast_walk(right, on_impure, &impure);
    for (size_t i = 0; i < in->model->local_count && !impure; ++i) {
        CXCursor local = in->model->locals[i].cursor;
        impure = uses_of(condition, local) > 0 && !clang_equalCursors(local, variable) &&
                 in->model->locals[i].writes > 0 && ht_variable_writes_in(body, local, 0) > 0;
    }
    return !impure;
}

static bool is_stride_loop(const striding *in, CXCursor statement) {
    CXCursor variable, condition, increment, body;
    int64_t start, step;
    if (clang_getCursorKind(statement) != CXCursor_ForStmt ||
        !parts_of(in, statement, &variable, &condition, &increment, &body))
        return false;
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(variable);
    return !clang_Cursor_isNull(initializer) &&
           is_multiple(in, initializer, HT_INDEX_THREAD, &start) &&
           steps_by_block(in, increment, variable, &step) && start == step &&
           has_bound(in, condition, variable, body) && !carries(in, statement, variable, body) &&
           (!in->shares || (ht_block_loop_is_uniform(in->model, statement, body) &&
                            ht_block_loop_is_uniform(in->model, statement, condition)));
}

/* ---- the kernel
 * ------------------------------------------------------------------------------------------ */

static bool on_statement(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    striding *in = context;
    if (!is_stride_loop(in, cursor))
        return true;
    HT_GROW(in->loops, in->loop_count);
    in->loops[in->loop_count++] = cursor;
    return false; /* a loop inside would count its indices twice */
}

static bool on_index(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    striding *in = context;
    int axis;
    if (clang_getCursorKind(cursor) == CXCursor_VarDecl)
        return !ht_index_alias(in->model, cursor);
    if (!clang_isExpression(clang_getCursorKind(cursor)))
        return true;
    CXCursor pitch;
    if (in->shares && ht_index_global(in->model, cursor, &axis, &pitch))
        return false;
    bool name = clang_getCursorKind(cursor) == CXCursor_DeclRefExpr;
    ht_index_kind kind = ht_index_plain(in->model, cursor, name, &axis);
    if (kind == HT_INDEX_NONE)
        return true;
    in->thread_uses += kind == HT_INDEX_THREAD && axis == in->axis;
    in->block_uses += kind == HT_INDEX_BLOCK_DIM && axis == in->axis;
    return false;
}

static bool serves_loops_alone(striding *in) {
    const ht_kernel_facts *facts = in->model->facts;
    ht_ast_walk(in->model->body, on_statement, in);
    if (in->loop_count == 0 ||
        (in->shares && !ht_block_loops_are_reached(in->model, in->loops, in->loop_count)))
        return false;
    for (size_t i = 0; i < facts->reached_count; ++i) {
        size_t before = in->thread_uses + in->block_uses;
        ht_ast_walk(facts->reached[i], on_index, in);
        in->elsewhere = in->elsewhere || (i > 0 && in->thread_uses + in->block_uses > before);
    }
    return !in->elsewhere && in->thread_uses == in->loop_count && in->block_uses == in->loop_count;
}

static bool in_loops(const striding *in, const ht_kernel_model *km, const ht_km_control *control) {
    for (size_t i = 0; i < control->loop_count; ++i) {
        const ht_km_place *place = &km->loops[control->loops[i]].place;
        for (size_t j = 0; j < in->loop_count; ++j) {
            unsigned line, column;
            clang_getExpansionLocation(clang_getCursorLocation(in->loops[j]), NULL, &line, &column,
                                       NULL);
            if (place->line == (int)line && place->column == (int)column)
                return true;
        }
    }
    return false;
}

/* Why iterations may not be dealt out otherwise; NULL when they may. */
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
    const char *name = ht_block_name(plan, axis);
    int64_t block = plan->model->axes[axis].block;
    char number[32], *values = ht_values_around(line, 6, block, 1, 1024);
    snprintf(number, sizeof number, "%lld", (long long)block);
    ht_plan_param(plan, name, values, number);
    ht_plan_set_block(plan, axis, name);
    plan->keep_grid[axis] = !shares;
    plan->exact_cover[axis] = shares;
    free(values);
}

static bool deals_out(striding *in, ht_plan *plan) {
    ht_kernel_model *km = ht_kernel_model_build_any_block(in->model, in->axis);
    int line;
    const char *words = obstacle(in, km, &line);
    if (words)
        ht_plan_remark_at(plan, HT_REMARK_MISSED, line ? line : ht_ast_line(in->model->kernel),
                          "the block along %c stays: %s", 'x' + in->axis, words);
    ht_kernel_model_free(km);
    return !words;
}

/* Blocks of one axis: with more, threads that differ along another would meet in the loops. */
static bool alone(const ht_model *model) {
    return model->axes[1].block == 1 && model->axes[2].block == 1 && model->facts->flat_uses == 0;
}

bool ht_block_stride_apply(const ht_model *model, ht_plan *plan) {
    bool any = false;
    if (model->feature[HT_FEATURE_DYNAMIC_LDS])
        return false;
    for (int axis = 0; axis < 3; ++axis) {
        const ht_axis *of = &model->axes[axis];
        striding in = {.model = model, .axis = axis, .shares = of->uses_global};
        bool whole = !of->uses_global || (!of->uses_block && !of->uses_grid_dim &&
                                          !of->fixed_pitch && axis == 0 && alone(model));
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
        plan->abandoned = true;
        return true;
    }
    char *threads = ht_plan_threads(plan);
    ht_plan_require(plan, "%s <= device.max_threads", threads);
    free(threads);
    ht_plan_remark(
        plan, HT_REMARK_APPLIED, clang_getNullCursor(),
        "the block became %s, %s, %s: threads only deal out the iterations of loops that "
        "stride by the block",
        plan->block[0], plan->block[1], plan->block[2]);
    return true;
}
