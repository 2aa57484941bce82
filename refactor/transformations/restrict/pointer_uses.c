/* What a kernel does through a pointer parameter: read, write, or something that is not understood,
 * which counts as both. Expressions are looked at from the outside in, with what is done with their
 * value. */
#include "refactor/transformations/restrict/pointers.h"

#include <stdlib.h>

typedef enum mode { MODE_READ = 1, MODE_WRITE = 2, MODE_UPDATE = 3, MODE_ESCAPE = 7 } mode;

typedef struct search {
    CXCursor parameter;
    int found;
} search;

static void scan(search *in, CXCursor cursor, mode how);

static void scan_children(search *in, CXCursor cursor, mode how) {
    ht_cursors list = ht_ast_children(cursor);
    for (size_t i = 0; i < list.count; ++i)
        scan(in, list.items[i], how);
    free(list.items);
}

/* What can become of a value that something of this type takes over. */
static mode taken_as(CXType type) {
    type = clang_getCanonicalType(type);
    bool reference = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
    if (type.kind == CXType_Pointer || reference)
        return clang_isConstQualifiedType(clang_getPointeeType(type)) ? MODE_READ : MODE_ESCAPE;
    bool number = type.kind >= CXType_Bool && type.kind <= CXType_LongDouble;
    return number || type.kind == CXType_Half || type.kind == CXType_Enum ? MODE_READ : MODE_ESCAPE;
}

static void scan_call(search *in, CXCursor call) {
    CXType callee = clang_getCursorType(clang_getCursorReferenced(call));
    int count = clang_Cursor_getNumArguments(call), known = clang_getNumArgTypes(callee);
    if (count < 0) { /* of a dependent callee */
        scan_children(in, call, MODE_ESCAPE);
        return;
    }
    for (int i = 0; i < count; ++i)
        scan(in, clang_Cursor_getArgument(call, (unsigned)i),
             i < known ? taken_as(clang_getArgType(callee, (unsigned)i)) : MODE_ESCAPE);
    CXCursor object = ht_ast_child(call, 0);
    if (clang_getCursorKind(object) == CXCursor_MemberRefExpr)
        scan_children(in, object, MODE_ESCAPE);
}

static void scan_binary(search *in, CXCursor cursor, mode how) {
    CXCursor left, right;
    enum CXBinaryOperatorKind kind;
    if (!ht_ast_binary(cursor, &kind, &left, &right)) {
        scan_children(in, cursor, MODE_ESCAPE);
        return;
    }
    bool pointer = clang_getCanonicalType(clang_getCursorType(cursor)).kind == CXType_Pointer;
    if (kind == CXBinaryOperator_Assign) {
        scan(in, left, MODE_WRITE);
        scan(in, right, taken_as(clang_getCursorType(cursor)));
    } else if (kind >= CXBinaryOperator_MulAssign && kind <= CXBinaryOperator_OrAssign) {
        scan(in, left, MODE_UPDATE);
        scan(in, right, MODE_READ);
    } else {
        bool dependent = clang_getCursorType(cursor).kind == CXType_Unexposed ||
                         clang_getCursorType(cursor).kind == CXType_Dependent;
        scan(in, left, pointer || dependent || kind == CXBinaryOperator_Comma ? how : MODE_READ);
        scan(in, right, pointer || dependent || kind == CXBinaryOperator_Comma ? how : MODE_READ);
    }
}

static void scan_unary(search *in, CXCursor cursor, mode how) {
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
    bool steps = kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec ||
                 kind == CXUnaryOperator_PreInc || kind == CXUnaryOperator_PreDec;
    if (kind == CXUnaryOperator_AddrOf || kind == CXUnaryOperator_Deref)
        scan_children(in, cursor, how); /* &p[i] is what becomes of the address */
    else
        scan_children(in, cursor, steps ? (mode)(MODE_UPDATE | how) : MODE_READ);
}

static void scan(search *in, CXCursor cursor, mode how) {
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    switch (kind) {
    case CXCursor_DeclRefExpr:
        if (clang_equalCursors(clang_getCursorReferenced(cursor), in->parameter))
            in->found |= how;
        return;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        scan_binary(in, cursor, how);
        return;
    case CXCursor_UnaryOperator:
        scan_unary(in, cursor, how);
        return;
    case CXCursor_CallExpr:
        scan_call(in, cursor);
        return;
    case CXCursor_VarDecl:
        scan_children(in, cursor, taken_as(clang_getCursorType(cursor)));
        return;
    case CXCursor_ArraySubscriptExpr:
        scan(in, ht_ast_child(cursor, 0), how);
        scan(in, ht_ast_child(cursor, 1), MODE_READ);
        return;
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_MemberRefExpr:
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_ConditionalOperator:
        scan_children(in, cursor, how);
        return;
    default:
        scan_children(in, cursor,
                      clang_isExpression(kind) && kind != CXCursor_CXXFunctionalCastExpr
                          ? MODE_ESCAPE
                          : MODE_READ);
    }
}

ht_pointer_use ht_pointer_use_find(const ht_model *model, CXCursor parameter) {
    search in = {parameter, 0};
    scan(&in, model->body, MODE_READ);
    return (ht_pointer_use){in.found & MODE_READ, in.found & MODE_WRITE, in.found == MODE_ESCAPE};
}
