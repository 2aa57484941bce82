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
