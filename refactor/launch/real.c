#include "refactor/launch/real.h"
#include "refactor/source/ast.h"

#include <stdlib.h>

static bool is_one(CXCursor cursor) {
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    bool one = result && clang_EvalResult_getKind(result) == CXEval_Float &&
               clang_EvalResult_getAsDouble(result) == 1.0;
    if (result)
        clang_EvalResult_dispose(result);
    return one;
}

/* Returns the n of 1.0 * n, which makes a real number of it; else the null cursor. */
static CXCursor times_one(CXCursor cursor) {
    CXCursor left, right;
    enum CXBinaryOperatorKind kind;
    if (!ht_ast_binary(cursor, &kind, &left, &right) || kind != CXBinaryOperator_Mul)
        return clang_getNullCursor();
    return is_one(left) ? right : is_one(right) ? left : clang_getNullCursor();
}

CXCursor ht_real_strip(CXCursor cursor) {
    for (;;) {
        cursor = ht_ast_strip(cursor, true);
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        CXCursor plain = times_one(cursor);
        if (!clang_Cursor_isNull(plain)) {
            cursor = plain;
            continue;
        }
        if (kind != CXCursor_CStyleCastExpr && kind != CXCursor_CXXStaticCastExpr &&
            kind != CXCursor_CXXFunctionalCastExpr)
            return cursor;
        ht_cursors list = ht_ast_children(cursor);
        CXCursor inner = list.count ? list.items[list.count - 1] : clang_getNullCursor();
        free(list.items);
        if (clang_Cursor_isNull(inner))
            return cursor;
        cursor = inner;
    }
}

bool ht_real_is(CXCursor cursor) {
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    return type.kind == CXType_Float || type.kind == CXType_Double;
}
