/* Finds writes to a host variable. */
#include "refactor/source/variable.h"

#include "refactor/source/ast.h"
#include "refactor/source/operators.h"

#include <stdlib.h>

typedef struct write_count {
    CXCursor variable;
    unsigned from; /* writes before this offset do not count */
    unsigned count;
} write_count;

/* Returns v for v, v.x and v[i]. */
static CXCursor root(CXCursor expression) {
    expression = ht_ast_strip(expression, true);
    while (clang_getCursorKind(expression) == CXCursor_MemberRefExpr ||
           clang_getCursorKind(expression) == CXCursor_ArraySubscriptExpr) {
        CXCursor base = ht_ast_child(expression, 0);
        if (clang_Cursor_isNull(base))
            return base;
        expression = ht_ast_strip(base, true);
    }
    return ht_ast_variable(expression);
}

static bool on_write(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    write_count *search = context;
    if (ht_ast_offset(cursor) < search->from) /* its children may be after it */
        return true;
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    if (ht_ast_binary(cursor, &binary, &left, &right)) {
        if (ht_operator_assigns((int)binary))
            search->count += clang_equalCursors(root(left), search->variable);
    } else if (ht_ast_unary(cursor, &unary, &left)) {
        if (unary <= CXUnaryOperator_AddrOf)
            search->count += clang_equalCursors(root(left), search->variable);
    } else if (clang_getCursorKind(cursor) == CXCursor_CallExpr) {
        /* operator= and arguments bound to references have no conversion */
        int count = clang_Cursor_getNumArguments(cursor);
        bool assigns = ht_cursor_named(cursor, "operator=");
        for (int i = 0; i < count; ++i) {
            CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
            bool reference = clang_getCursorKind(argument) == CXCursor_DeclRefExpr;
            search->count += (reference || (assigns && i == 0)) &&
                             !ht_cursor_named(cursor, "dim3") &&
                             clang_equalCursors(root(argument), search->variable);
        }
    } else if (clang_getCursorKind(cursor) == CXCursor_VarDecl &&
               clang_getCursorType(cursor).kind == CXType_LValueReference) {
        CXCursor initializer = clang_Cursor_getVarDeclInitializer(cursor);
        search->count += !clang_Cursor_isNull(initializer) &&
                         clang_equalCursors(root(initializer), search->variable);
    }
    return true;
}

unsigned ht_variable_writes_in(CXCursor scope, CXCursor variable, unsigned from) {
    write_count search = {variable, from, 0};
    ht_ast_walk(scope, on_write, &search);
    return search.count;
}

unsigned ht_variable_writes_at(CXCursor at, CXCursor variable) {
    write_count search = {variable, 0, 0};
    on_write(at, at, &search);
    ht_ast_walk(at, on_write, &search);
    return search.count;
}

unsigned ht_variable_writes(CXCursor variable) {
    CXCursor scope = clang_getCursorSemanticParent(variable);
    switch (clang_getCursorKind(scope)) {
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
        break;
    default: /* any function may write to a global */
        return clang_isConstQualifiedType(clang_getCursorType(variable)) ? 0 : 1;
    }
    return ht_variable_writes_in(scope, variable, 0);
}

/* ---- arrays and dim3 that are set in parts ---- */

typedef struct element_search {
    CXCursor variable;
    unsigned uses, elements;
} element_search;

static bool on_element(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    element_search *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_ArraySubscriptExpr)
        in->elements += clang_equalCursors(ht_ast_variable(ht_ast_child(cursor, 0)), in->variable);
    if (kind == CXCursor_DeclRefExpr)
        in->uses += clang_equalCursors(clang_getCursorReferenced(cursor), in->variable);
    return true;
}

bool ht_variable_only_elements(CXCursor variable) {
    element_search in = {variable, 0, 0};
    ht_ast_walk(clang_getCursorSemanticParent(variable), on_element, &in);
    return in.uses == in.elements;
}

typedef struct block_search {
    CXCursor variable;
    CXCursor block;
} block_search;

static bool on_block(CXCursor cursor, CXCursor parent, void *context) {
    block_search *in = context;
    ht_cursors list = {0};
    if (clang_getCursorKind(cursor) == CXCursor_DeclStmt)
        list = ht_ast_children(cursor);
    for (size_t i = 0; i < list.count; ++i)
        if (clang_equalCursors(list.items[i], in->variable))
            in->block = parent;
    free(list.items);
    return true;
}

CXCursor ht_variable_block(CXCursor function, CXCursor variable) {
    block_search in = {variable, clang_getNullCursor()};
    if (!clang_Cursor_isNull(function))
        ht_ast_walk(function, on_block, &in);
    return in.block;
}

/* Returns the axis in `block.x = value;`, or -1. */
static int field_assigned(CXCursor statement, CXCursor variable, CXCursor *out_value) {
    enum CXBinaryOperatorKind kind;
    CXCursor left;
    if (!ht_ast_binary(ht_ast_strip(statement, false), &kind, &left, out_value) ||
        kind != CXBinaryOperator_Assign)
        return -1;
    left = ht_ast_strip(left, false);
    if (clang_getCursorKind(left) != CXCursor_MemberRefExpr ||
        !clang_equalCursors(ht_ast_variable(ht_ast_child(left, 0)), variable))
        return -1;
    return ht_cursor_axis(left);
}

/* Returns the statements of the block that declares a variable. */
static ht_cursors statements_beside(CXCursor variable) {
    CXCursor block = ht_variable_block(clang_getCursorSemanticParent(variable), variable);
    return clang_getCursorKind(block) == CXCursor_CompoundStmt ? ht_ast_children(block)
                                                               : (ht_cursors){0};
}

bool ht_variable_fields(CXCursor variable, CXCursor use, CXCursor out_fields[3]) {
    for (int axis = 0; axis < 3; ++axis)
        out_fields[axis] = clang_getNullCursor();
    ht_cursors list = statements_beside(variable);
    unsigned found = 0;
    bool good = true;
    for (size_t i = 0; i < list.count && good; ++i) {
        CXCursor value;
        int axis = field_assigned(list.items[i], variable, &value);
        if (axis < 0)
            continue;
        good = clang_Cursor_isNull(out_fields[axis]) &&
               ht_ast_offset(list.items[i]) < ht_ast_offset(use);
        out_fields[axis] = value;
        ++found;
    }
    free(list.items);
    return good && found == ht_variable_writes(variable);
}
