#include "refactor/kernel/indexing.h"
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/launch/extent.h"

#include <stdlib.h>
#include <string.h>

/* Returns true if the launch gives a template's type parameter a type of whole numbers. */
static bool is_whole_number(const ht_model *model, CXCursor type) {
    static const char *const names[] = {
        "int",          "long",          "long long",          "unsigned",
        "unsigned int", "unsigned long", "unsigned long long", "size_t",
        "std::size_t",  "int32_t",       "uint32_t",           "int64_t",
        "uint64_t"};
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->template_parameters.count; ++i) {
        const ht_template_parameter *parameter = &facts->template_parameters.items[i];
        if (!parameter->argument || !clang_equalCursors(parameter->cursor, type))
            continue;
        for (size_t j = 0; j < sizeof names / sizeof *names; ++j)
            if (strcmp(parameter->argument, names[j]) == 0)
                return true;
    }
    return false;
}

/* Returns the expression without parentheses and conversions to whole numbers, those to a
 * template's type included. */
static CXCursor strip(const ht_model *model, CXCursor expression) {
    CXCursor cursor = ht_ast_strip(expression, true);
    for (int depth = 0; depth < 16; ++depth) {
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind != CXCursor_CStyleCastExpr && kind != CXCursor_CXXStaticCastExpr &&
            kind != CXCursor_CXXFunctionalCastExpr)
            break;
        ht_cursors list = ht_ast_children(cursor);
        bool whole = list.count == 2 && clang_getCursorKind(list.items[0]) == CXCursor_TypeRef &&
                     is_whole_number(model, clang_getCursorReferenced(list.items[0]));
        CXCursor inner = whole ? list.items[1] : clang_getNullCursor();
        free(list.items);
        if (clang_Cursor_isNull(inner))
            break;
        cursor = ht_ast_strip(inner, true);
    }
    return cursor;
}

ht_index_kind ht_index_named(const char *name) {
    static const struct {
        const char *name;
        ht_index_kind kind;
    } builtins[] = {{"threadIdx", HT_INDEX_THREAD},
                    {"blockIdx", HT_INDEX_BLOCK},
                    {"blockDim", HT_INDEX_BLOCK_DIM},
                    {"gridDim", HT_INDEX_GRID_DIM}};
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; ++i)
        if (strcmp(name, builtins[i].name) == 0)
            return builtins[i].kind;
    return HT_INDEX_NONE;
}

static ht_index_kind builtin_member(CXCursor cursor, int *out_axis) {
    CXCursor base = ht_ast_strip(ht_ast_child(cursor, 0), false);
    *out_axis = ht_cursor_axis(cursor);
    if (*out_axis < 0 || clang_getCursorKind(base) != CXCursor_DeclRefExpr)
        return HT_INDEX_NONE;
    char *name = ht_cursor_name(base);
    ht_index_kind kind = ht_index_named(name);
    free(name);
    return kind;
}

/* Recognizes the device library's functions, to which hipThreadIdx_x and its kind expand. */
static ht_index_kind builtin_call(CXCursor cursor, int *out_axis) {
    static const struct {
        const char *name;
        ht_index_kind kind;
    } builtins[] = {{"__ockl_get_local_id", HT_INDEX_THREAD},
                    {"__ockl_get_group_id", HT_INDEX_BLOCK},
                    {"__ockl_get_local_size", HT_INDEX_BLOCK_DIM},
                    {"__ockl_get_num_groups", HT_INDEX_GRID_DIM}};
    int64_t axis;
    if (clang_Cursor_getNumArguments(cursor) != 1 ||
        !ht_ast_constant(clang_Cursor_getArgument(cursor, 0), &axis) || axis < 0 || axis > 2)
        return HT_INDEX_NONE;
    *out_axis = (int)axis;
    for (size_t i = 0; i < 4; ++i)
        if (ht_cursor_named(cursor, builtins[i].name))
            return builtins[i].kind;
    return HT_INDEX_NONE;
}

/* Returns the first value of the local variable that a cursor names or declares, if nothing writes
 * it again; null: there is none. */
static CXCursor kept(const ht_model *model, CXCursor variable) {
    const ht_local *local = ht_model_local(model, variable);
    return local && local->writes == 0 ? local->initializer : clang_getNullCursor();
}

/* `resolve`: see through local variables that are never written again. */
ht_index_kind ht_index_plain(const ht_model *model, CXCursor expression, bool resolve,
                             int *out_axis) {
    CXCursor cursor = strip(model, expression);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_MemberRefExpr)
        return builtin_member(cursor, out_axis);
    if (kind == CXCursor_CallExpr)
        return builtin_call(cursor, out_axis);
    const ht_local *local = resolve ? ht_model_local(model, ht_ast_variable(cursor)) : NULL;
    if (local && local->writes == 0 && !local->is_shared &&
        !clang_Cursor_isNull(local->initializer))
        return ht_index_plain(model, local->initializer, true, out_axis);
    return HT_INDEX_NONE;
}

/* Returns true if it is a product. The 24-bit functions count: an index always fits 24 bits. */
static bool product_of(CXCursor cursor, CXCursor *out_left, CXCursor *out_right) {
    static const char *const names[] = {"__mul24", "__umul24", "mul24", "umul24"};
    enum CXBinaryOperatorKind kind;
    if (ht_ast_binary(cursor, &kind, out_left, out_right))
        return kind == CXBinaryOperator_Mul;
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr ||
        clang_Cursor_getNumArguments(cursor) != 2)
        return false;
    *out_left = clang_Cursor_getArgument(cursor, 0);
    *out_right = clang_Cursor_getArgument(cursor, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (ht_cursor_named(cursor, names[i]))
            return true;
    return false;
}

/* Returns true for blockIdx.a * PITCH, with the factors in either order. */
static bool block_origin(const ht_model *model, CXCursor expression, int *out_axis,
                         CXCursor *out_pitch) {
    CXCursor cursor = strip(model, expression), left, right;
    if (!product_of(cursor, &left, &right)) {
        CXCursor value = kept(model, ht_ast_variable(cursor));
        return !clang_Cursor_isNull(value) && block_origin(model, value, out_axis, out_pitch);
    }
    if (ht_index_plain(model, left, true, out_axis) == HT_INDEX_BLOCK)
        *out_pitch = right;
    else if (ht_index_plain(model, right, true, out_axis) == HT_INDEX_BLOCK)
        *out_pitch = left;
    else
        return false;
    return true;
}

static bool is_plain(const ht_model *model, CXCursor expression, ht_index_kind kind, int axis) {
    int of;
    return ht_index_plain(model, expression, true, &of) == kind && of == axis;
}

static CXCursor resolved(const ht_model *model, CXCursor expression) {
    CXCursor cursor = strip(model, expression);
    for (int i = 0; i < 8; ++i) {
        const ht_local *local = ht_model_local(model, ht_ast_variable(cursor));
        if (!local || local->writes > 0 || local->is_shared ||
            clang_Cursor_isNull(local->initializer))
            break;
        cursor = strip(model, local->initializer);
    }
    return cursor;
}

/* Returns true for blockIdx.y * gridDim.x + blockIdx.x, with operands in any order: the block's
 * number in a grid that has two axes because one is not long enough. */
static bool flat_block(const ht_model *model, CXCursor expression) {
    CXCursor left, right, a, b;
    enum CXBinaryOperatorKind kind;
    if (!ht_ast_binary(resolved(model, expression), &kind, &left, &right) ||
        kind != CXBinaryOperator_Add)
        return false;
    if (!is_plain(model, left, HT_INDEX_BLOCK, 0)) {
        CXCursor held = left;
        left = right;
        right = held;
    }
    return is_plain(model, left, HT_INDEX_BLOCK, 0) &&
           ht_ast_binary(resolved(model, right), &kind, &a, &b) && kind == CXBinaryOperator_Mul &&
           ((is_plain(model, a, HT_INDEX_BLOCK, 1) && is_plain(model, b, HT_INDEX_GRID_DIM, 0)) ||
            (is_plain(model, b, HT_INDEX_BLOCK, 1) && is_plain(model, a, HT_INDEX_GRID_DIM, 0)));
}

/* Returns true for that number times the block's extent. blockDim.y may be a factor as well if
 * blocks are one thread high. */
static bool flat_origin(const ht_model *model, CXCursor expression, CXCursor *out_pitch) {
    CXCursor left, right;
    enum CXBinaryOperatorKind kind;
    if (model->axes[1].block != 1 || model->axes[2].block != 1 ||
        !ht_ast_binary(resolved(model, expression), &kind, &left, &right) ||
        kind != CXBinaryOperator_Mul)
        return false;
    for (int swap = 0; swap < 2; ++swap) {
        bool high = is_plain(model, right, HT_INDEX_BLOCK_DIM, 1);
        if (high && flat_origin(model, left, out_pitch))
            return true;
        if (is_plain(model, right, HT_INDEX_BLOCK_DIM, 0) && flat_block(model, left)) {
            *out_pitch = right;
            return true;
        }
        CXCursor held = left;
        left = right;
        right = held;
    }
    return false;
}

/* Returns true if the pitch equals the launch's block along this axis. */
static bool pitch_fits(const ht_model *model, CXCursor pitch, int axis) {
    int pitch_axis;
    int64_t value;
    if (ht_index_plain(model, pitch, true, &pitch_axis) == HT_INDEX_BLOCK_DIM)
        return pitch_axis == axis;
    return model->axes[axis].block > 0 && ht_model_constant(model, pitch, &value) &&
           value == model->axes[axis].block;
}

bool ht_index_origin(const ht_model *model, CXCursor expression, int *out_axis) {
    CXCursor pitch;
    return block_origin(model, expression, out_axis, &pitch) && pitch_fits(model, pitch, *out_axis);
}

bool ht_index_global(const ht_model *model, CXCursor expression, int *out_axis,
                     CXCursor *out_pitch) {
    CXCursor cursor = strip(model, expression), left, right;
    enum CXBinaryOperatorKind kind;
    int origin, thread;
    if (!ht_ast_binary(cursor, &kind, &left, &right) || kind != CXBinaryOperator_Add)
        return false;
    for (int swap = 0; swap < 2; ++swap) {
        if (block_origin(model, left, &origin, out_pitch) &&
            ht_index_plain(model, right, true, &thread) == HT_INDEX_THREAD && origin == thread &&
            pitch_fits(model, *out_pitch, origin)) {
            *out_axis = origin;
            return true;
        }
        if (is_plain(model, right, HT_INDEX_THREAD, 0) && flat_origin(model, left, out_pitch)) {
            *out_axis = 0;
            return true;
        }
        CXCursor held = left;
        left = right;
        right = held;
    }
    return false;
}

ht_index_kind ht_ast_index(const ht_model *model, CXCursor expression, int *out_axis) {
    CXCursor pitch;
    ht_index_kind kind = ht_index_plain(model, expression, true, out_axis);
    if (kind != HT_INDEX_NONE)
        return kind;
    if (ht_index_global(model, expression, out_axis, &pitch))
        return HT_INDEX_GLOBAL;
    CXCursor value = kept(model, ht_ast_variable(expression));
    return clang_Cursor_isNull(value) ? HT_INDEX_NONE : ht_ast_index(model, value, out_axis);
}

/* Returns true for blockDim.a * gridDim.a, the number of threads along the axis. */
static bool total_threads(const ht_model *model, CXCursor expression, int *out_axis,
                          CXCursor *out_pitch) {
    CXCursor cursor = strip(model, expression), left, right;
    if (!product_of(cursor, &left, &right))
        return false;
    int first = 0, second = 0;
    ht_index_kind a = ht_index_plain(model, left, true, &first);
    ht_index_kind b = ht_index_plain(model, right, true, &second);
    if (a == HT_INDEX_GRID_DIM && pitch_fits(model, right, first)) {
        *out_axis = first;
        *out_pitch = right;
        return true;
    }
    if (b == HT_INDEX_GRID_DIM && pitch_fits(model, left, second)) {
        *out_axis = second;
        *out_pitch = left;
        return true;
    }
    return false;
}

bool ht_index_total(const ht_model *model, CXCursor expression, int *out_axis) {
    CXCursor value = kept(model, ht_ast_variable(expression)), pitch;
    return clang_Cursor_isNull(value) ? total_threads(model, expression, out_axis, &pitch)
                                      : ht_index_total(model, value, out_axis);
}

static void note_plain(ht_model *model, ht_index_kind kind, int axis) {
    ht_axis *of = &model->axes[axis];
    of->uses_thread = of->uses_thread || kind == HT_INDEX_THREAD;
    of->uses_block = of->uses_block || kind == HT_INDEX_BLOCK;
    of->uses_block_dim = of->uses_block_dim || kind == HT_INDEX_BLOCK_DIM;
    of->uses_grid_dim = of->uses_grid_dim || kind == HT_INDEX_GRID_DIM;
    ht_kernel_facts *facts = model->facts;
    facts->uses[axis].raw_thread = facts->uses[axis].raw_thread || kind == HT_INDEX_THREAD;
    facts->uses[axis].raw_block = facts->uses[axis].raw_block || kind == HT_INDEX_BLOCK;
    model->facts->uses[axis].raw_grid_dim =
        model->facts->uses[axis].raw_grid_dim || kind == HT_INDEX_GRID_DIM;
}

/* A local that only renames an index is not a use of it; uses of the local are. */
bool ht_index_alias(const ht_model *model, CXCursor declaration) {
    int axis;
    CXCursor pitch;
    CXCursor value = kept(model, declaration);
    return !clang_Cursor_isNull(value) &&
           (ht_index_plain(model, value, true, &axis) != HT_INDEX_NONE ||
            block_origin(model, value, &axis, &pitch) || flat_block(model, value) ||
            flat_origin(model, value, &pitch));
}

static void note_origin(ht_model *model, CXCursor expression) {
    int axis;
    CXCursor pitch;
    if (block_origin(model, expression, &axis, &pitch))
        note_plain(model, HT_INDEX_BLOCK, axis);
    else { /* the block's number in the grid */
        note_plain(model, HT_INDEX_BLOCK, 0);
        note_plain(model, HT_INDEX_BLOCK, 1);
        note_plain(model, HT_INDEX_GRID_DIM, 0);
    }
}

static bool is_flat(const ht_model *model, CXCursor expression) {
    CXCursor left, right, pitch;
    enum CXBinaryOperatorKind kind;
    return ht_ast_binary(strip(model, expression), &kind, &left, &right) &&
           (flat_origin(model, left, &pitch) || flat_origin(model, right, &pitch));
}

static bool on_expression(CXCursor cursor, CXCursor parent, void *context);

enum { CONJUNCTS_MAX = 8 };

static size_t conjuncts_of(CXCursor expression, CXCursor *items, size_t count) {
    CXCursor cursor = ht_ast_strip(expression, true), left, right;
    enum CXBinaryOperatorKind kind;
    if (ht_ast_binary(cursor, &kind, &left, &right) && kind == CXBinaryOperator_LAnd) {
        count = conjuncts_of(left, items, count);
        return conjuncts_of(right, items, count);
    }
    if (count < CONJUNCTS_MAX)
        items[count] = cursor;
    return count + 1;
}

/* Recognizes threadIdx.a == 0 and blockIdx.a == 0. */
static ht_index_kind first_of(const ht_model *model, CXCursor conjunct, int *out_axis) {
    CXCursor left, right;
    enum CXBinaryOperatorKind kind;
    int64_t zero;
    if (!ht_ast_binary(conjunct, &kind, &left, &right) || kind != CXBinaryOperator_EQ ||
        !ht_ast_constant(right, &zero) || zero != 0)
        return HT_INDEX_NONE;
    return ht_index_plain(model, left, true, out_axis);
}

/* Notes a condition such as `threadIdx.x == 0 && blockIdx.x == 0`, which selects the first of all
 * threads in blocks of any size. Returns true if the condition needs no further look. */
static bool note_first(ht_model *model, CXCursor cursor) {
    CXCursor items[CONJUNCTS_MAX];
    size_t count = conjuncts_of(cursor, items, 0);
    unsigned thread = 0, block = 0;
    int axis;
    for (size_t i = 0; i < count && count <= CONJUNCTS_MAX; ++i) {
        ht_index_kind kind = first_of(model, items[i], &axis);
        thread |= kind == HT_INDEX_THREAD ? 1u << axis : 0;
        block |= kind == HT_INDEX_BLOCK ? 1u << axis : 0;
    }
    if (!(thread & block))
        return false;
    for (size_t i = 0; i < count; ++i) {
        ht_index_kind kind = first_of(model, items[i], &axis);
        bool dealt = (kind == HT_INDEX_THREAD || kind == HT_INDEX_BLOCK) &&
                     (thread & block & 1u << axis) && model->axes[axis].block > 1;
        ht_axis *of = &model->axes[axis];
        if (dealt)
            of->uses_global = of->uses_thread = of->uses_block = true;
        else if (on_expression(items[i], cursor, model))
            ht_ast_walk(items[i], on_expression, model);
    }
    return true;
}

/* Returns true if a number is never read nor written after its declaration, so that an index in its
 * initialiser does not matter. */
static bool is_idle(const ht_model *model, CXCursor declaration) {
    const ht_local *local = ht_model_local(model, declaration);
    return local && local->reads == 0 && local->writes == 0 &&
           ht_type_is_integer(clang_getCursorType(declaration));
}

/* Notes a pitch that is a constant. Returns false for blockDim, which follows the block's size. */
static bool note_pitch(ht_model *model, CXCursor whole, CXCursor pitch, int axis) {
    int of;
    if (ht_index_plain(model, pitch, true, &of) == HT_INDEX_BLOCK_DIM)
        return false;
    ht_kernel_facts *facts = model->facts;
    HT_GROW(facts->pitches.items, facts->pitches.count);
    facts->pitches.items[facts->pitches.count++] = (ht_pitch){axis, whole, pitch};
    return true;
}

static bool on_expression(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    ht_model *model = context;
    CXCursor left, right;
    enum CXBinaryOperatorKind binary;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_VarDecl)
        return !ht_index_alias(model, cursor) && !is_idle(model, cursor);
    if (kind == CXCursor_BinaryOperator && ht_ast_binary(cursor, &binary, &left, &right) &&
        binary == CXBinaryOperator_LAnd && note_first(model, cursor))
        return false;
    if (!clang_isExpression(kind))
        return true;
    int axis;
    CXCursor pitch;
    if (ht_index_global(model, cursor, &axis, &pitch)) {
        model->axes[axis].uses_global = true;
        ++model->facts->uses[axis].global;
        model->facts->flat_uses += is_flat(model, cursor);
        if (note_pitch(model, cursor, pitch, axis))
            model->axes[axis].fixed_pitch = true;
        return false;
    }
    if (total_threads(model, cursor, &axis, &pitch)) {
        model->axes[axis].uses_grid_dim = true;
        ++model->facts->uses[axis].total;
        (void)note_pitch(model, cursor, pitch, axis);
        return false;
    }
    ht_index_kind found = ht_index_plain(model, cursor, false, &axis);
    if (found != HT_INDEX_NONE) {
        note_plain(model, found, axis);
        return false;
    }
    if (kind == CXCursor_DeclRefExpr && ht_index_alias(model, clang_getCursorReferenced(cursor))) {
        found = ht_index_plain(model, cursor, true, &axis);
        if (found != HT_INDEX_NONE)
            note_plain(model, found, axis);
        else
            note_origin(model, cursor);
    }
    return true;
}

static void find_index_variables(ht_model *model) {
    for (size_t i = 0; i < model->locals.count; ++i) {
        const ht_local *local = &model->locals.items[i];
        int axis;
        CXCursor pitch;
        if (local->writes > 0 || clang_Cursor_isNull(local->initializer) ||
            !ht_index_global(model, local->initializer, &axis, &pitch))
            continue;
        if (clang_Cursor_isNull(model->axes[axis].index_variable))
            model->axes[axis].index_variable = local->cursor;
    }
}

/* Finds the original's block: from the first launch, else from the problem file. */
static void original_block(ht_model *model) {
    const ht_launches *launches = &model->facts->launches;
    const ht_problem_entry *entry = model->entry;
    for (int axis = 0; axis < 3; ++axis) {
        ht_axis *of = &model->axes[axis];
        if (launches->count > 0 && launches->items[0].block.known) {
            const ht_symbol *symbol = launches->items[0].block.axis[axis];
            if (!symbol)
                of->block = 1;
            else if (!ht_symbol_value(symbol, &of->block) || of->block < 1 || of->block > 1024)
                of->block = 0;
        }
        if (of->block == 0 && entry && entry->block[0]) {
            ht_scope scope = {0};
            of->block = 1;
            if (entry->block[axis] &&
                ht_expr_evaluate(entry->block[axis], &scope, &of->block, NULL) != HT_OK)
                of->block = 0;
        }
    }
    model->launch_known = model->axes[0].block && model->axes[1].block && model->axes[2].block;
}

void ht_indexing_build(ht_model *model) {
    for (int axis = 0; axis < 3; ++axis)
        model->axes[axis].index_variable = clang_getNullCursor();
    original_block(model);
    find_index_variables(model);
    for (size_t i = 0; i < model->facts->reached.count; ++i)
        ht_ast_walk(model->facts->reached.functions[i], on_expression, model);
}
