#include "refactor/launch/returned.h"
#include "refactor/source/ast.h"

#include <stdlib.h>

typedef ht_symbol_frame frame;

/* Returns true for declarations of variables that nothing else sets. */
static bool only_declares(CXCursor statement) {
    bool plain = clang_getCursorKind(statement) == CXCursor_DeclStmt;
    ht_cursors variables = ht_ast_children(statement);
    for (size_t j = 0; plain && j < variables.count; ++j)
        plain = clang_getCursorKind(variables.items[j]) == CXCursor_VarDecl &&
                clang_Cursor_getStorageClass(variables.items[j]) != CX_SC_Static &&
                ht_variable_writes(variables.items[j]) == 0;
    free(variables.items);
    return plain;
}

/* Returns the value of a body that at most declares variables, which nothing else sets, and
 * returns. */
static CXCursor returned_value(CXCursor body) {
    CXCursor value = clang_getNullCursor();
    ht_cursors list = ht_ast_children(body);
    bool plain = list.count > 0 && list.count < 16;
    for (size_t i = 0; i + 1 < list.count && plain; ++i)
        plain = only_declares(list.items[i]);
    if (plain && clang_getCursorKind(list.items[list.count - 1]) == CXCursor_ReturnStmt)
        value = ht_ast_child(list.items[list.count - 1], 0);
    free(list.items);
    return value;
}

/* Returns the body of a function that does not set its parameters. */
static CXCursor body_of(CXCursor function) {
    bool sets = false;
    ht_cursors list = ht_ast_children(function);
    for (size_t i = 0; i < list.count; ++i)
        sets = sets || (clang_getCursorKind(list.items[i]) == CXCursor_ParmDecl &&
                        ht_variable_writes(list.items[i]) > 0); /* k = k / 2; */
    free(list.items);
    return sets ? clang_getNullCursor() : ht_ast_body(function);
}

static CXCursor only_return(CXCursor function) {
    CXCursor body = body_of(function);
    return clang_Cursor_isNull(body) ? body : returned_value(body);
}

/* Returns true if a call's arguments and result are whole numbers. In a function template / may be
 * a floating division. */
static bool takes_integers(CXCursor call) {
    bool all = true;
    for (int i = -1; i < clang_Cursor_getNumArguments(call); ++i) {
        CXCursor of = i < 0 ? call : clang_Cursor_getArgument(call, (unsigned)i);
        all = all && ht_type_is_integer(ht_type_referred(clang_getCursorType(of)));
    }
    return all;
}

CXCursor ht_symbol_returned(const frame *in, CXCursor call, ht_symbol_frame *out_frame) {
    CXCursor function = clang_getCursorReferenced(call);
    function = clang_getCursorDefinition(ht_ast_primary(function));
    *out_frame = (frame){in->source, in, function, call, in->depth + 1, in->budget};
    return clang_Cursor_isNull(function) ? function : only_return(function);
}

static ht_symbol *read_statements(const frame *in, const ht_cursors *list, size_t from);

static ht_symbol *read_branch(const frame *in, CXCursor statement) {
    ht_cursors list = {&statement, 1};
    if (clang_getCursorKind(statement) != CXCursor_CompoundStmt)
        return read_statements(in, &list, 0);
    list = ht_ast_children(statement);
    ht_symbol *symbol = read_statements(in, &list, 0);
    free(list.items);
    return symbol;
}

/* Reads `if (condition) return a; return b;`, or with an else. */
static ht_symbol *read_if(const frame *in, const ht_cursors *list, size_t at) {
    frame deeper = *in;
    ++deeper.depth;
    ht_cursors parts = ht_ast_children(list->items[at]);
    bool good = (parts.count == 2 || parts.count == 3) && deeper.depth < HT_SYMBOL_DEPTH_MAX &&
                clang_isExpression(clang_getCursorKind(parts.items[0]));
    ht_symbol *first = good ? read_branch(&deeper, parts.items[1]) : NULL, *second = NULL;
    if (first)
        second = parts.count == 3 ? read_branch(&deeper, parts.items[2])
                                  : read_statements(&deeper, list, at + 1);
    ht_symbol *choice = NULL;
    if (second) {
        choice = ht_symbol_new(HT_SYMBOL_CHOICE);
        choice->line = ht_ast_line(list->items[at]);
        choice->arguments[0] = ht_symbol_read_in(&deeper, parts.items[0]);
        choice->arguments[1] = first;
        choice->arguments[2] = second;
    } else
        ht_symbol_free(first);
    free(parts.items);
    return choice;
}

static ht_symbol *read_statements(const frame *in, const ht_cursors *list, size_t from) {
    while (from < list->count && only_declares(list->items[from]))
        ++from;
    if (from == list->count)
        return NULL;
    CXCursor statement = list->items[from], value = ht_ast_child(statement, 0);
    if (clang_getCursorKind(statement) == CXCursor_IfStmt)
        return read_if(in, list, from);
    bool returns = clang_getCursorKind(statement) == CXCursor_ReturnStmt;
    return returns && !clang_Cursor_isNull(value) ? ht_symbol_read_in(in, value) : NULL;
}

ht_symbol *ht_symbol_called(const frame *in, CXCursor call) {
    frame inner;
    CXCursor value = ht_symbol_returned(in, call, &inner);
    CXCursor primary = clang_getSpecializedCursorTemplate(clang_getCursorReferenced(call));
    if (!clang_Cursor_isNull(primary) && !takes_integers(call))
        return NULL;
    if (!clang_Cursor_isNull(value))
        return ht_symbol_read_in(&inner, value);
    CXCursor body = clang_Cursor_isNull(inner.function) ? inner.function : body_of(inner.function);
    return clang_Cursor_isNull(body) ? NULL : read_branch(&inner, body);
}
