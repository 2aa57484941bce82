/* Does the block's size take part in what a kernel computes, not only in where it reads and writes?
 * Results that are divided by the block, sums over halves of halves of it, and tiles read backwards
 * are other results with another block. */
#include "refactor/transformations/tile_constant/tile.h"

#include <stdlib.h>

enum { DEPTH_MAX = 24, BUDGET = 20000 };

typedef struct values {
    const ht_tiles *tiles;
    ht_plan *plan;
    bool good;
    int budget; /* cursors that may still be looked at; none left: nothing is proved */
} values;

static void refuse(values *in, CXCursor cursor, const char *words) {
    if (in->good)
        ht_plan_remark(in->plan, HT_REMARK_MISSED, cursor, "%s", words);
    in->good = false;
}

/* ---- results */

static bool takes_part(values *in, CXCursor expression, int depth);

static bool any_takes_part(values *in, CXCursor cursor, size_t from, int depth) {
    ht_cursors list = ht_ast_children(cursor);
    bool found = false;
    for (size_t i = from; i < list.count && !found; ++i)
        found = clang_isExpression(clang_getCursorKind(list.items[i])) &&
                takes_part(in, list.items[i], depth + 1);
    free(list.items);
    return found;
}

static bool is_reached(const ht_model *model, CXCursor call) {
    CXCursor function = clang_getCursorReferenced(call);
    CXCursor primary = clang_getSpecializedCursorTemplate(function);
    function = clang_getCursorDefinition(clang_Cursor_isNull(primary) ? function : primary);
    for (size_t i = 1; i < model->facts->reached_count; ++i)
        if (clang_equalCursors(model->facts->reached[i], function))
            return true;
    return false;
}

static bool is_integer(CXCursor cursor) {
    return ht_type_is_integer(clang_getCursorType(cursor));
}

/* A function of the kernel's own is looked at by itself, where integers that it is given may be
 * places; others make a value of what they get. */
static bool call_takes_part(values *in, CXCursor call, int depth) {
    bool own = is_reached(in->tiles->model, call), found = false;
    int count = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < count && !found; ++i) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        found = !(own && is_integer(argument)) && takes_part(in, argument, depth + 1);
    }
    return found || (count < 0 && any_takes_part(in, call, 0, depth)); /* T(0) */
}

/* Is the value made of the block, or of a place in it? What is loaded counts as another value, and
 * a global index is the same in any block. */
static bool takes_part(values *in, CXCursor expression, int depth) {
    const ht_model *model = in->tiles->model;
    CXCursor cursor = ht_ast_strip(expression, true), inner;
    enum CXUnaryOperatorKind unary;
    int axis;
    if (depth > DEPTH_MAX || --in->budget < 0)
        return true;
    if (ht_tiles_leaf(in->tiles, cursor))
        return true;
    ht_index_kind index = ht_ast_index(model, cursor, &axis);
    if (index != HT_INDEX_NONE)
        return index != HT_INDEX_GLOBAL;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_ArraySubscriptExpr:
        return false;
    case CXCursor_UnaryOperator:
        if (ht_ast_unary(cursor, &unary, &inner) &&
            (unary == CXUnaryOperator_Deref || unary == CXUnaryOperator_AddrOf))
            return false;
        return any_takes_part(in, cursor, 0, depth);
    case CXCursor_ConditionalOperator:
        return any_takes_part(in, cursor, 1, depth);
    case CXCursor_CallExpr:
        return call_takes_part(in, cursor, depth);
    case CXCursor_DeclRefExpr: {
        CXCursor declaration = clang_getCursorReferenced(cursor);
        if (clang_getCursorKind(declaration) == CXCursor_ParmDecl &&
            !ht_model_parameter(model, declaration) && is_integer(cursor))
            return true; /* of a device function: what it is given is not followed */
        const ht_local *local = ht_model_local(model, declaration);
        CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
        if (!local || local->is_array || type.kind == CXType_Pointer)
            return false;
        return local->writes == 0 && !clang_Cursor_isNull(local->initializer) &&
               takes_part(in, local->initializer, depth + 1);
    }
    default:
        return any_takes_part(in, cursor, 0, depth);
    }
}

static bool is_real(CXCursor cursor) {
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    return (type.kind >= CXType_Float && type.kind <= CXType_LongDouble) ||
           type.kind == CXType_Half;
}

static bool is_memory(CXCursor cursor) {
    enum CXUnaryOperatorKind unary;
    CXCursor inner, place = ht_ast_strip(cursor, true);
    return clang_getCursorKind(place) == CXCursor_ArraySubscriptExpr ||
           (ht_ast_unary(place, &unary, &inner) && unary == CXUnaryOperator_Deref);
}

/* ---- halves of halves */

typedef struct bound_search {
    values *in;
    CXCursor variable;
    bool found;
} bound_search;

static bool on_bound(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    bound_search *search = context;
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    if (clang_isExpression(clang_getCursorKind(cursor)) &&
        ht_ast_binary(cursor, &kind, &left, &right) && kind >= CXBinaryOperator_LT &&
        kind <= CXBinaryOperator_NE) {
        const ht_tiles *tiles = search->in->tiles;
        bool first = clang_equalCursors(ht_ast_variable(left), search->variable);
        bool second = clang_equalCursors(ht_ast_variable(right), search->variable);
        search->found = search->found || (first && ht_tiles_mention(tiles, right)) ||
                        (second && ht_tiles_mention(tiles, left));
    }
    return !search->found;
}

/* A counter that is doubled or halved, from the block or up to it, fits powers of two. */
static void look_at_steps(values *in, CXCursor cursor, CXCursor left) {
    const ht_tiles *tiles = in->tiles;
    const ht_local *local = ht_model_local(tiles->model, ht_ast_variable(left));
    if (!local || is_real(left))
        return;
    bound_search search = {in, local->cursor, false};
    ht_ast_walk(tiles->model->body, on_bound, &search);
    if (search.found ||
        (!clang_Cursor_isNull(local->initializer) && ht_tiles_mention(tiles, local->initializer)))
        refuse(in, cursor, "a counter goes over halves or doubles of the block");
}

/* ---- tiles read backwards */

static void look_at_difference(values *in, CXCursor cursor, CXCursor left, CXCursor right) {
    const ht_model *model = in->tiles->model;
    if (ht_tiles_mention(in->tiles, left) && !ht_tile_mentions_thread(model, left) &&
        ht_tile_mentions_thread(model, right))
        refuse(in, cursor, "threads are counted from the end of the block");
}

static bool on_value(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    values *in = context;
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    if (clang_getCursorKind(cursor) == CXCursor_VarDecl) {
        CXCursor initializer = clang_Cursor_getVarDeclInitializer(cursor);
        if (is_real(cursor) && !clang_Cursor_isNull(initializer) && takes_part(in, initializer, 0))
            refuse(in, cursor, "a value is computed from the block's size or a place in it");
    } else if (clang_isExpression(clang_getCursorKind(cursor)) &&
               ht_ast_binary(cursor, &kind, &left, &right)) {
        bool assigns = kind >= CXBinaryOperator_Assign && kind <= CXBinaryOperator_OrAssign;
        if (assigns && (is_real(left) || is_memory(left)) && takes_part(in, right, 0))
            refuse(in, cursor, "a value is computed from the block's size or a place in it");
        if (kind == CXBinaryOperator_MulAssign || kind == CXBinaryOperator_DivAssign ||
            kind == CXBinaryOperator_ShlAssign || kind == CXBinaryOperator_ShrAssign)
            look_at_steps(in, cursor, left);
        if (kind == CXBinaryOperator_Sub)
            look_at_difference(in, cursor, left, right);
    }
    return in->good;
}

bool ht_tile_values_fit(const ht_tiles *tiles, ht_plan *plan) {
    const ht_kernel_facts *facts = tiles->model->facts;
    values in = {.tiles = tiles, .plan = plan, .good = true, .budget = BUDGET};
    for (size_t i = 0; i < facts->reached_count && in.good; ++i)
        ht_ast_walk(facts->reached[i], on_value, &in);
    return in.good;
}
