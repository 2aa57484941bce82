/* Which accesses to global memory stand behind upper bounds. */
#include "base/memory.h"
#include "refactor/transformations/tile_constant/tile.h"

#include <stdlib.h>
#include <string.h>

enum { CONDITIONS_MAX = 64, DEPTH_MAX = 24 };

/* A condition that holds (or, with `negated`, does not hold) where an access stands. */
typedef struct condition {
    CXCursor cursor;
    bool negated;
} condition;

typedef struct scanning {
    const ht_tiles *tiles;
    ht_access_facts *facts;
    condition conditions[CONDITIONS_MAX];
    size_t count;
    bool lost; /* too deep or too odd: nothing is proved */
    int budget;
} scanning;

/* ---- does an expression depend on an axis?
 * -------------------------------------------------------------------------- */

typedef struct dependence {
    scanning *in;
    int axis;
    bool found;
    int depth;
} dependence;

static bool on_dependence(CXCursor cursor, CXCursor parent, void *context);

static bool depends(scanning *in, CXCursor expression, int axis, int depth);

typedef struct assigned {
    scanning *in;
    CXCursor variable;
    int axis, depth;
    bool found;
} assigned;

static bool on_assigned(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    assigned *search = context;
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    if (ht_ast_binary(cursor, &kind, &left, &right) && kind >= CXBinaryOperator_Assign &&
        kind <= CXBinaryOperator_OrAssign &&
        clang_equalCursors(ht_ast_variable(left), search->variable))
        search->found =
            search->found || depends(search->in, right, search->axis, search->depth + 1);
    return !search->found;
}

static bool variable_depends(scanning *in, CXCursor variable, int axis, int depth) {
    const ht_local *local = ht_model_local(in->tiles->model, variable);
    if (!local)
        return false;
    if (!clang_Cursor_isNull(local->initializer) &&
        depends(in, local->initializer, axis, depth + 1))
        return true;
    assigned search = {in, variable, axis, depth, false};
    if (local->writes > 0)
        ht_ast_walk(in->tiles->model->body, on_assigned, &search);
    return search.found;
}

static bool on_dependence(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    dependence *search = context;
    int axis;
    if (--search->in->budget < 0 || search->depth > DEPTH_MAX) {
        search->found = true;
        return false;
    }
    if (!clang_isExpression(clang_getCursorKind(cursor)))
        return !search->found;
    ht_index_kind kind = ht_index_plain(search->in->tiles->model, cursor, false, &axis);
    if (kind == HT_INDEX_THREAD || kind == HT_INDEX_BLOCK)
        search->found = search->found || axis == search->axis;
    else if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr)
        search->found =
            search->found || variable_depends(search->in, clang_getCursorReferenced(cursor),
                                              search->axis, search->depth);
    return !search->found;
}

static bool depends(scanning *in, CXCursor expression, int axis, int depth) {
    dependence search = {in, axis, false, depth};
    on_dependence(expression, expression, &search);
    if (!search.found)
        ht_ast_walk(expression, on_dependence, &search);
    return search.found;
}

/* ---- bounds in conditions
 * ------------------------------------------------------------------------------------------------
 */

typedef struct bound_search {
    scanning *in;
    int axis;
    bool bounded; /* some value that depends on the axis is bounded from above */
    char *global; /* the bound of the global index itself; owned */
} bound_search;

static void note_bound(bound_search *search, CXCursor value, CXCursor bound, bool inclusive) {
    const ht_model *model = search->in->tiles->model;
    int axis;
    if (!depends(search->in, value, search->axis, 0) || depends(search->in, bound, search->axis, 0))
        return;
    search->bounded = true;
    if (search->global || ht_ast_index(model, value, &axis) != HT_INDEX_GLOBAL ||
        axis != search->axis)
        return;
    char *text = ht_ast_expression(model, bound);
    if (text)
        search->global = inclusive ? ht_format("%s + 1", text) : ht_strdup(text);
    free(text);
}

static void read_condition(bound_search *search, CXCursor expression, bool negated) {
    CXCursor cursor = ht_ast_strip(expression, true), left, right;
    enum CXBinaryOperatorKind kind;
    enum CXUnaryOperatorKind unary;
    if (ht_ast_unary(cursor, &unary, &left) && unary == CXUnaryOperator_LNot) {
        read_condition(search, left, !negated);
        return;
    }
    if (!ht_ast_binary(cursor, &kind, &left, &right))
        return;
    if (kind == (negated ? CXBinaryOperator_LOr : CXBinaryOperator_LAnd)) {
        read_condition(search, left, negated);
        read_condition(search, right, negated);
    } else if (kind == (negated ? CXBinaryOperator_GE : CXBinaryOperator_LT))
        note_bound(search, left, right, false);
    else if (kind == (negated ? CXBinaryOperator_GT : CXBinaryOperator_LE))
        note_bound(search, left, right, true);
    else if (kind == (negated ? CXBinaryOperator_LE : CXBinaryOperator_GT))
        note_bound(search, right, left, false);
    else if (kind == (negated ? CXBinaryOperator_LT : CXBinaryOperator_GE))
        note_bound(search, right, left, true);
}

static bound_search bounds(scanning *in, int axis) {
    bound_search search = {in, axis, false, NULL};
    for (size_t i = 0; i < in->count; ++i)
        read_condition(&search, in->conditions[i].cursor, in->conditions[i].negated);
    return search;
}

/* ---- accesses
 * -------------------------------------------------------------------------------------------------------------
 */

static void note_store(scanning *in) {
    for (int axis = 0; axis < 3; ++axis) {
        bound_search found = bounds(in, axis);
        char **bound = &in->facts->store_bound[axis];
        if (!found.global || (*bound && strcmp(*bound, found.global) != 0)) {
            free(*bound);
            *bound = ht_strdup("?"); /* never matches again */
            free(found.global);
        } else if (!*bound)
            *bound = found.global;
        else
            free(found.global);
    }
}

static void note_load(scanning *in, CXCursor access) {
    for (int axis = 0; axis < 3; ++axis) {
        if (!depends(in, access, axis, 0))
            continue;
        bound_search found = bounds(in, axis);
        in->facts->loads_bounded[axis] = in->facts->loads_bounded[axis] && found.bounded;
        free(found.global);
    }
}

/* Arrays of the kernel (shared, local) are no global memory. */
static bool is_global_access(CXCursor cursor) {
    enum CXUnaryOperatorKind unary;
    CXCursor base;
    if (clang_getCursorKind(cursor) == CXCursor_ArraySubscriptExpr)
        base = ht_ast_strip(ht_ast_child(cursor, 0), true);
    else if (!ht_ast_unary(cursor, &unary, &base) || unary != CXUnaryOperator_Deref)
        return false;
    else
        return true;
    while (clang_getCursorKind(base) == CXCursor_ArraySubscriptExpr)
        base = ht_ast_strip(ht_ast_child(base, 0), true);
    CXType type = clang_getCanonicalType(clang_getCursorType(base));
    return !(type.kind >= CXType_ConstantArray && type.kind <= CXType_DependentSizedArray);
}

static void scan(scanning *in, CXCursor cursor, bool stored, int depth);

static void push(scanning *in, CXCursor cursor, bool negated) {
    if (in->count < CONDITIONS_MAX)
        in->conditions[in->count++] = (condition){cursor, negated};
}

static bool leaves(CXCursor statement) {
    enum CXCursorKind kind = clang_getCursorKind(statement);
    if (kind == CXCursor_ReturnStmt || kind == CXCursor_ContinueStmt || kind == CXCursor_BreakStmt)
        return true;
    if (kind != CXCursor_CompoundStmt)
        return false;
    ht_cursors list = ht_ast_children(statement);
    bool last = list.count && leaves(list.items[list.count - 1]);
    free(list.items);
    return last;
}

static void scan_branches(scanning *in, const ht_cursors *parts, int depth) {
    size_t count = in->count;
    scan(in, parts->items[0], false, depth);
    push(in, parts->items[0], false);
    scan(in, parts->items[1], false, depth);
    in->count = count;
    if (parts->count == 3) {
        push(in, parts->items[0], true);
        scan(in, parts->items[2], false, depth);
        in->count = count;
    }
}

static void scan_compound(scanning *in, const ht_cursors *list, int depth) {
    size_t count = in->count;
    for (size_t i = 0; i < list->count; ++i) {
        scan(in, list->items[i], false, depth);
        if (clang_getCursorKind(list->items[i]) != CXCursor_IfStmt)
            continue;
        ht_cursors parts = ht_ast_children(list->items[i]);
        if (parts.count == 2 && leaves(parts.items[1]))
            push(in, parts.items[0], true);
        free(parts.items);
    }
    in->count = count;
}

/* An array of the kernel's own, or a part of one. */
static bool is_own_array(CXCursor expression) {
    CXCursor cursor = ht_ast_strip(expression, true);
    while (clang_getCursorKind(cursor) == CXCursor_ArraySubscriptExpr)
        cursor = ht_ast_strip(ht_ast_child(cursor, 0), true);
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    return clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
           type.kind >= CXType_ConstantArray && type.kind <= CXType_DependentSizedArray;
}

static bool passes_pointer(CXCursor call) {
    int count = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < count; ++i) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        CXType type = clang_getCanonicalType(clang_getCursorType(argument));
        if ((type.kind == CXType_Pointer || type.kind == CXType_LValueReference) &&
            !is_own_array(argument))
            return true;
    }
    return false;
}

static void scan(scanning *in, CXCursor cursor, bool stored, int depth) {
    if (depth > 200) {
        in->lost = true;
        return;
    }
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    enum CXBinaryOperatorKind binary;
    CXCursor left, right;
    ht_cursors list = ht_ast_children(cursor);
    if (kind == CXCursor_IfStmt || kind == CXCursor_ConditionalOperator) {
        if (list.count == 2 || list.count == 3)
            scan_branches(in, &list, depth + 1);
        else
            in->lost = true;
    } else if (kind == CXCursor_CompoundStmt)
        scan_compound(in, &list, depth + 1);
    else if (ht_ast_binary(cursor, &binary, &left, &right) && list.count == 2) {
        bool assigns = binary >= CXBinaryOperator_Assign && binary <= CXBinaryOperator_OrAssign;
        size_t count = in->count;
        scan(in, left, assigns, depth + 1);
        if (binary == CXBinaryOperator_LAnd)
            push(in, left, false);
        else if (binary == CXBinaryOperator_LOr)
            push(in, left, true);
        scan(in, right, false, depth + 1);
        in->count = count;
    } else {
        if (is_global_access(cursor)) {
            if (stored)
                note_store(in);
            note_load(in, cursor);
        }
        if (kind == CXCursor_CallExpr && passes_pointer(cursor)) {
            note_store(in);
            note_load(in, cursor);
        }
        bool through = kind == CXCursor_ParenExpr || kind == CXCursor_UnexposedExpr ||
                       kind == CXCursor_MemberRefExpr;
        for (size_t i = 0; i < list.count; ++i)
            scan(in, list.items[i], stored && through, depth + 1);
    }
    free(list.items);
}

/* ---- functions that the kernel calls
 * -------------------------------------------------------------------------------------------- */

typedef struct function_search {
    const ht_model *model;
    bool finds; /* memory or places in the block that its arguments do not tell of */
    bool stores;
} function_search;

static bool on_function(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    function_search *in = context;
    enum CXBinaryOperatorKind kind;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    int axis;
    if (!clang_isExpression(clang_getCursorKind(cursor)))
        return true;
    if (ht_index_plain(in->model, cursor, false, &axis) != HT_INDEX_NONE)
        in->finds = true;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr) {
        CXCursor declaration = clang_getCursorReferenced(cursor);
        CXType type = clang_getCanonicalType(clang_getCursorType(declaration));
        enum CXCursorKind scope = clang_getCursorKind(clang_getCursorSemanticParent(declaration));
        bool global = clang_getCursorKind(declaration) == CXCursor_VarDecl &&
                      scope != CXCursor_FunctionDecl && scope != CXCursor_FunctionTemplate &&
                      scope != CXCursor_CXXMethod;
        in->finds = in->finds || (global && type.kind > CXType_LongDouble);
    }
    if (ht_ast_binary(cursor, &kind, &left, &right) && kind >= CXBinaryOperator_Assign &&
        kind <= CXBinaryOperator_OrAssign &&
        clang_Cursor_isNull(ht_ast_variable(ht_ast_strip(left, true))))
        in->stores = true;
    if (ht_ast_unary(cursor, &unary, &left) && unary <= CXUnaryOperator_PreDec &&
        clang_Cursor_isNull(ht_ast_variable(ht_ast_strip(left, true))))
        in->stores = true;
    if (clang_getCursorKind(cursor) == CXCursor_CallExpr)
        for (int i = 0; i < clang_Cursor_getNumArguments(cursor); ++i) {
            CXType type = clang_getCanonicalType(
                clang_getCursorType(clang_Cursor_getArgument(cursor, (unsigned)i)));
            in->stores = in->stores || type.kind == CXType_Pointer;
        }
    return true;
}

static function_search look_at_functions(const ht_model *model) {
    function_search in = {model, false, false};
    for (size_t i = 1; i < model->facts->reached_count; ++i)
        ht_ast_walk(model->facts->reached[i], on_function, &in);
    return in;
}

bool ht_tile_functions_store(const ht_tiles *tiles) {
    return look_at_functions(tiles->model).stores;
}

void ht_tile_accesses(const ht_tiles *tiles, ht_access_facts *out_facts) {
    *out_facts = (ht_access_facts){{NULL}, {true, true, true}};
    scanning in = {.tiles = tiles, .facts = out_facts, .budget = 200000};
    scan(&in, tiles->model->body, false, 0);
    bool elsewhere = look_at_functions(tiles->model).finds;
    for (int axis = 0; axis < 3; ++axis) {
        char **bound = &out_facts->store_bound[axis];
        if (*bound && (in.lost || in.budget < 0 || strcmp(*bound, "?") == 0)) {
            free(*bound);
            *bound = NULL;
        }
        if (in.lost || in.budget < 0 || elsewhere)
            out_facts->loads_bounded[axis] = false;
    }
}
