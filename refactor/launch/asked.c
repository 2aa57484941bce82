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

/* ---- members of members ---- */

enum { STEPS_MAX = 8 };

/* The way from a variable to a number. */
typedef struct way {
    ht_text name;
    CXCursor root; /* the variable; null: the object whose method this is */
    CXCursor last; /* the last member, or array of it */
    int steps;
} way;

static bool way_read(CXCursor expression, way *out);

/* Adds "_2" or "_i" for a subscript. */
static bool subscript_add(CXCursor subscript, way *out) {
    int64_t value;
    CXCursor variable = ht_ast_variable(subscript);
    if (ht_ast_constant(subscript, &value) && value >= 0) {
        ht_text_printf(&out->name, "_%lld", (long long)value);
        return true;
    }
    char *name = ht_cursor_name(variable);
    ht_text_printf(&out->name, "_%s", name);
    free(name);
    return !clang_Cursor_isNull(variable);
}

static bool member_add(CXCursor expression, way *out) {
    CXCursor field = clang_getCursorReferenced(expression);
    CXCursor object = ht_ast_strip(ht_ast_child(expression, 0), true);
    bool own = clang_Cursor_isNull(object) || clang_getCursorKind(object) == CXCursor_CXXThisExpr;
    if (clang_getCursorKind(field) != CXCursor_FieldDecl || (!own && !way_read(object, out)))
        return false;
    char *name = ht_cursor_name(field);
    ht_text_printf(&out->name, "%s%s", out->name.length ? "_" : "", name);
    free(name);
    out->last = field;
    return true;
}

/* Reads v[i] and p->x of classes that are like arrays and pointers. */
static bool overloaded_add(CXCursor call, way *out) {
    CXCursor method = clang_getCursorReferenced(call);
    int count = clang_Cursor_getNumArguments(call);
    if (clang_getCursorKind(method) != CXCursor_CXXMethod || count < 1)
        return false;
    CXCursor object = clang_Cursor_getArgument(call, 0);
    if (count == 1 && ht_cursor_named(method, "operator->"))
        return way_read(object, out);
    return count == 2 && ht_cursor_named(method, "operator[]") && way_read(object, out) &&
           subscript_add(clang_Cursor_getArgument(call, 1), out);
}

static bool way_read(CXCursor expression, way *out) {
    expression = ht_ast_strip(expression, true);
    CXCursor variable = ht_ast_variable(expression);
    if (++out->steps > STEPS_MAX || clang_Cursor_isNull(expression))
        return false;
    if (!clang_Cursor_isNull(variable)) {
        char *name = ht_cursor_name(variable);
        ht_text_append(&out->name, name);
        free(name);
        out->root = out->last = variable;
        return true;
    }
    switch (clang_getCursorKind(expression)) {
    case CXCursor_MemberRefExpr:
        return member_add(expression, out);
    case CXCursor_ArraySubscriptExpr:
        return way_read(ht_ast_child(expression, 0), out) &&
               subscript_add(ht_ast_child(expression, 1), out);
    case CXCursor_CallExpr:
        return overloaded_add(expression, out);
    default:
        return false;
    }
}

ht_symbol *ht_symbol_led_to(CXCursor expression) {
    way in = {.root = clang_getNullCursor(), .last = clang_getNullCursor()};
    CXType type = ht_type_referred(clang_getCanonicalType(clang_getCursorType(expression)));
    if (!ht_type_is_integer(type) || !way_read(expression, &in) || in.steps < 2) {
        ht_text_free(&in.name);
        return NULL;
    }
    ht_symbol *symbol = ht_symbol_new(HT_SYMBOL_VARIABLE);
    symbol->name = ht_text_take(&in.name);
    symbol->declaration = in.last;
    symbol->base = in.root;
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
