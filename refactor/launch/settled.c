#include "refactor/launch/settled.h"
#include "refactor/source/ast.h"
#include "refactor/source/operators.h"
#include "refactor/source/variable_reach.h"

typedef struct place {
    CXCursor function;
    unsigned offset; /* writes from here on count; 0: all */
} place;

/* ---- fields of the object whose method the function is ---- */

typedef struct field_search {
    CXCursor field;
    bool changes;
} field_search;

static bool is_field(CXCursor expression, CXCursor field) {
    expression = ht_ast_strip(expression, false);
    return clang_getCursorKind(expression) == CXCursor_MemberRefExpr &&
           clang_equalCursors(clang_getCursorReferenced(expression), field);
}

/* Returns true for a call that may change the field: of a method of its class that is not const, or
 * of a function that takes a reference to it. */
static bool call_changes(CXCursor call, CXCursor field) {
    CXCursor called = clang_getCursorReferenced(call);
    bool changes = clang_getCursorKind(called) == CXCursor_CXXMethod &&
                   !clang_CXXMethod_isConst(called) && !clang_CXXMethod_isStatic(called) &&
                   clang_equalCursors(clang_getCursorSemanticParent(called),
                                      clang_getCursorSemanticParent(field));
    for (int i = 0; i < clang_Cursor_getNumArguments(call) && !changes; ++i) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        changes = clang_getCursorKind(argument) == CXCursor_MemberRefExpr &&
                  clang_equalCursors(clang_getCursorReferenced(argument), field);
    }
    return changes;
}

static bool on_field_change(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    field_search *in = context;
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    if (ht_ast_binary(cursor, &binary, &left, &right))
        in->changes =
            in->changes || (ht_operator_assigns((int)binary) && is_field(left, in->field));
    else if (ht_ast_unary(cursor, &unary, &left))
        in->changes = in->changes || (unary <= CXUnaryOperator_AddrOf && is_field(left, in->field));
    else if (clang_getCursorKind(cursor) == CXCursor_CallExpr)
        in->changes = in->changes || call_changes(cursor, in->field);
    else if (clang_getCursorKind(cursor) == CXCursor_LambdaExpr)
        in->changes = true;
    return !in->changes;
}

static bool field_stays(CXCursor function, CXCursor field) {
    field_search in = {field, false};
    if (clang_Cursor_isNull(function))
        return false;
    ht_ast_walk(function, on_field_change, &in);
    return !in.changes;
}

/* ---- symbols ---- */

static bool variable_stays(const ht_symbol *symbol, const place *at) {
    CXCursor variable = symbol->declaration;
    if (clang_getCursorKind(variable) == CXCursor_FieldDecl && clang_Cursor_isNull(symbol->base))
        return field_stays(at->function, variable);
    if (ht_variable_writes(variable) == 0)
        return true;
    return at->offset && !clang_Cursor_isNull(at->function) &&
           clang_equalCursors(clang_getCursorSemanticParent(variable), at->function) &&
           !ht_variable_escapes(variable) &&
           ht_variable_writes_in(at->function, variable, at->offset) == 0;
}

bool ht_symbol_is_open(const ht_symbol *symbol) {
    if (!symbol)
        return false;
    if (symbol->kind == HT_SYMBOL_UNKNOWN)
        return true;
    if (symbol->kind == HT_SYMBOL_VARIABLE)
        return false;
    return ht_symbol_is_open(symbol->arguments[0]) || ht_symbol_is_open(symbol->arguments[1]) ||
           ht_symbol_is_open(symbol->arguments[2]);
}

static bool is_settled(const ht_symbol *symbol, place at) {
    if (!symbol)
        return true;
    if (symbol->kind == HT_SYMBOL_UNKNOWN)
        return false;
    bool stands = symbol->kind == HT_SYMBOL_VARIABLE &&
                  (!symbol->value_of || ht_symbol_is_open(symbol->value_of));
    if (stands)
        return variable_stays(symbol, &at);
    for (int i = 0; i < 3; ++i)
        if (!is_settled(symbol->arguments[i], at))
            return false;
    if (symbol->value_of) { /* read earlier: where it is declared, or at an unknown place */
        bool declared = clang_getCursorKind(symbol->declaration) == CXCursor_VarDecl &&
                        ht_variable_writes(symbol->declaration) == 0;
        unsigned earlier = declared ? ht_ast_begin(symbol->declaration) : 0;
        at.offset = earlier < at.offset ? earlier : at.offset;
    }
    return is_settled(symbol->value_of, at);
}

bool ht_symbol_is_settled(const ht_symbol *symbol, CXCursor function, CXCursor value) {
    return is_settled(symbol, (place){function, ht_ast_begin(value)});
}
