#include "refactor/launch/asked.h"
#include "refactor/source/ast.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>

/* Returns "_0_1" for the arguments (0, 1); NULL: one is no constant that a name may have. free().
 */
static char *arguments_text(CXCursor call) {
    ht_text text = {0};
    ht_text_append(&text, "");
    for (int i = 0; i < clang_Cursor_getNumArguments(call); ++i) {
        int64_t value;
        if (!ht_ast_constant(clang_Cursor_getArgument(call, (unsigned)i), &value) || value < 0) {
            ht_text_free(&text);
            return NULL;
        }
        ht_text_printf(&text, "_%lld", (long long)value);
    }
    return ht_text_take(&text);
}

ht_symbol *ht_symbol_asked(CXCursor call) {
    CXCursor method = clang_getCursorReferenced(call), callee = ht_ast_child(call, 0);
    if (clang_getCursorKind(method) != CXCursor_CXXMethod || !clang_CXXMethod_isConst(method) ||
        clang_getCursorKind(callee) != CXCursor_MemberRefExpr ||
        !ht_type_is_integer(clang_getCursorType(call)))
        return NULL;
    CXCursor object = ht_ast_variable(ht_ast_strip(ht_ast_child(callee, 0), true));
    char *arguments = clang_Cursor_isNull(object) ? NULL : arguments_text(call);
    if (!arguments)
        return NULL;
    char *name = ht_cursor_name(object), *asked = ht_cursor_name(method);
    ht_symbol *symbol = ht_symbol_new(HT_SYMBOL_VARIABLE);
    symbol->name = ht_format("%s_%s%s", name, asked, arguments);
    symbol->declaration = method;
    symbol->base = object;
    free(asked);
    free(name);
    free(arguments);
    return symbol;
}

/* Goes through copies, and variables that nothing changes, to a call of packed_accessor32 and its
 * like; null cursor: the expression is another one. */
static CXCursor accessor_call(CXCursor expression) {
    for (int depth = 0; depth < 12; ++depth) {
        CXCursor cursor = ht_ast_strip(expression, false), variable = ht_ast_variable(cursor);
        char *name = ht_cursor_name(cursor);
        bool found = clang_getCursorKind(cursor) == CXCursor_CallExpr &&
                     ht_text_begins(name, "packed_accessor");
        free(name);
        if (found)
            return cursor;
        if (clang_getCursorKind(variable) == CXCursor_VarDecl && ht_variable_writes(variable) == 0)
            expression = clang_Cursor_getVarDeclInitializer(variable);
        else
            expression = ht_ast_child(cursor, 0);
        if (clang_Cursor_isNull(expression))
            break;
    }
    return clang_getNullCursor();
}

static enum CXChildVisitResult on_size(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_CXXMethod || !ht_cursor_named(cursor, "size"))
        return CXChildVisit_Continue;
    *(CXCursor *)data = cursor;
    return CXChildVisit_Break;
}

ht_symbol *ht_symbol_accessed(CXCursor expression, size_t axis) {
    CXCursor call = accessor_call(expression), size = clang_getNullCursor();
    CXCursor callee = clang_Cursor_isNull(call) ? call : ht_ast_child(call, 0);
    if (clang_getCursorKind(callee) != CXCursor_MemberRefExpr)
        return NULL;
    CXCursor object = ht_ast_variable(ht_ast_strip(ht_ast_child(callee, 0), true));
    CXCursor method = clang_getCursorReferenced(call);
    if (clang_Cursor_isNull(object) || clang_Cursor_isNull(method))
        return NULL;
    clang_visitChildren(clang_getCursorSemanticParent(method), on_size, &size);
    if (clang_Cursor_isNull(size))
        return NULL;
    char *name = ht_cursor_name(object);
    ht_symbol *symbol = ht_symbol_new(HT_SYMBOL_VARIABLE);
    symbol->name = ht_format("%s_size_%zu", name, axis);
    symbol->declaration = size;
    symbol->base = object;
    free(name);
    return symbol;
}
