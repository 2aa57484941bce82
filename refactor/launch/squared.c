#include "refactor/launch/squared.h"
#include "refactor/source/ast.h"
#include "refactor/source/variable.h"
#include "refactor/source/variable_reach.h"

#include <stdlib.h>

typedef struct square_search {
    CXCursor variable;
    bool found;
} square_search;

static bool is_named(CXCursor expression, CXCursor variable) {
    expression = ht_ast_strip(expression, false);
    return clang_getCursorKind(expression) == CXCursor_DeclRefExpr &&
           clang_equalCursors(clang_getCursorReferenced(expression), variable);
}

/* Returns true for what does not run each time its statement does, or not at all. */
static bool is_apart(CXCursor cursor) {
    enum CXBinaryOperatorKind op;
    CXCursor left, right;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_IfStmt:
    case CXCursor_ForStmt:
    case CXCursor_CXXForRangeStmt:
    case CXCursor_WhileStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_CXXTryStmt:
    case CXCursor_LabelStmt:
    case CXCursor_ConditionalOperator:
    case CXCursor_UnaryExpr: /* sizeof and its like */
    case CXCursor_LambdaExpr:
        return true;
    default:
        return ht_ast_binary(cursor, &op, &left, &right) &&
               (op == CXBinaryOperator_LAnd || op == CXBinaryOperator_LOr);
    }
}

static bool on_product(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    square_search *in = context;
    enum CXBinaryOperatorKind op;
    CXCursor left, right;
    if (in->found || is_apart(cursor))
        return false;
    in->found = ht_ast_binary(cursor, &op, &left, &right) && op == CXBinaryOperator_Mul &&
                clang_getCanonicalType(clang_getCursorType(cursor)).kind == CXType_Int &&
                is_named(left, in->variable) && is_named(right, in->variable);
    return !in->found;
}

static bool on_jump(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    bool *found = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    *found = *found || kind == CXCursor_GotoStmt || kind == CXCursor_IndirectGotoStmt;
    return !*found;
}

static unsigned end_of(CXCursor cursor) {
    unsigned offset;
    clang_getExpansionLocation(clang_getRangeEnd(clang_getCursorExtent(cursor)), NULL, NULL, NULL,
                               &offset);
    return offset;
}

bool ht_launch_squares(const ht_launch_site *site, const ht_symbol *variable) {
    square_search in = {variable->declaration, false};
    bool jumps = false;
    if (variable->kind != HT_SYMBOL_VARIABLE || clang_Cursor_isNull(site->function) ||
        clang_getCanonicalType(clang_getCursorType(in.variable)).kind != CXType_Int ||
        !clang_equalCursors(clang_getCursorSemanticParent(in.variable), site->function) ||
        ht_variable_writes(in.variable) > 0 || ht_variable_escapes(in.variable))
        return false;
    ht_ast_walk(site->function, on_jump, &jumps);
    CXCursor body = ht_ast_body(site->function);
    ht_cursors statements =
        jumps || clang_Cursor_isNull(body) ? (ht_cursors){0} : ht_ast_children(body);
    for (size_t i = 0; i < statements.count && !in.found; ++i) {
        if (end_of(statements.items[i]) > site->range.begin &&
            ht_ast_begin(statements.items[i]) < site->range.end)
            break; /* with the launch in it */
        if (!is_apart(statements.items[i])) {
            (void)on_product(statements.items[i], body, &in);
            ht_ast_walk(statements.items[i], on_product, &in);
        }
    }
    free(statements.items);
    return in.found;
}
