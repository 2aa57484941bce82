/* Helpers over libclang's cursors. */
#include "refactor/source/ast.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

char *ht_cursor_name(CXCursor cursor) {
    CXString spelling = clang_getCursorSpelling(cursor);
    const char *text = clang_getCString(spelling);
    char *name = ht_strdup(text ? text : "");
    clang_disposeString(spelling);
    return name;
}

char *ht_cursor_qualified_name(CXCursor cursor) {
    char *name = ht_cursor_name(cursor);
    CXCursor scope = clang_getCursorSemanticParent(cursor);
    for (;;) {
        enum CXCursorKind kind = clang_getCursorKind(scope);
        if (kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl) {
            scope = clang_getCursorSemanticParent(scope);
            continue;
        }
        if (kind != CXCursor_Namespace)
            break;
        char *part = ht_cursor_name(scope);
        if (part[0] && part[0] != '(' && !clang_Cursor_isInlineNamespace(scope)) {
            char *longer = ht_format("%s::%s", part, name);
            free(name);
            name = longer;
        }
        free(part);
        scope = clang_getCursorSemanticParent(scope);
    }
    return name;
}

bool ht_cursor_named(CXCursor cursor, const char *name) {
    CXString spelling = clang_getCursorSpelling(cursor);
    const char *text = clang_getCString(spelling);
    bool same = text && strcmp(text, name) == 0;
    clang_disposeString(spelling);
    return same;
}

/* ---- children
 * -----------------------------------------------------------------------------------------------
 */

static enum CXChildVisitResult on_child(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    CXFile file;
    CXSourceLocation begin = clang_getRangeStart(clang_getCursorExtent(cursor));
    clang_getExpansionLocation(begin, &file, NULL, NULL, NULL);
    if (!file) /* stands for a defaulted argument */
        return CXChildVisit_Continue;
    ht_cursors *list = data;
    HT_GROW(list->items, list->count);
    list->items[list->count++] = cursor;
    return CXChildVisit_Continue;
}

ht_cursors ht_ast_children(CXCursor cursor) {
    ht_cursors list = {0};
    clang_visitChildren(cursor, on_child, &list);
    return list;
}

CXCursor ht_ast_child(CXCursor cursor, size_t index) {
    ht_cursors list = ht_ast_children(cursor);
    CXCursor child = index < list.count ? list.items[index] : clang_getNullCursor();
    free(list.items);
    return child;
}

typedef struct walk_state {
    bool (*visit)(CXCursor cursor, CXCursor parent, void *context);
    void *context;
} walk_state;

/* Of a translation unit without its parsed header, clang lists functions that it instantiated from
 * templates too, at the place of the template. */
bool ht_ast_is_instantiation(CXCursor cursor, CXCursor parent) {
    if (clang_getCursorKind(parent) != CXCursor_TranslationUnit)
        return false;
    CXCursor primary = clang_getSpecializedCursorTemplate(cursor);
    return !clang_Cursor_isNull(primary) &&
           clang_equalLocations(clang_getCursorLocation(primary), clang_getCursorLocation(cursor));
}

static enum CXChildVisitResult on_walk(CXCursor cursor, CXCursor parent, CXClientData data) {
    walk_state *state = data;
    if (ht_ast_is_instantiation(cursor, parent))
        return CXChildVisit_Continue;
    return state->visit(cursor, parent, state->context) ? CXChildVisit_Recurse
                                                        : CXChildVisit_Continue;
}

void ht_ast_walk(CXCursor root, bool (*visit)(CXCursor, CXCursor, void *), void *context) {
    walk_state state = {visit, context};
    clang_visitChildren(root, on_walk, &state);
}

typedef struct mention {
    CXCursor variable;
    bool found;
} mention;

static bool on_mention(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    mention *in = context;
    in->found = in->found || clang_equalCursors(clang_getCursorReferenced(cursor), in->variable);
    return !in->found;
}

bool ht_ast_inside(CXCursor declaration, CXCursor statement) {
    unsigned at, begin, end;
    CXSourceRange extent = clang_getCursorExtent(statement);
    clang_getExpansionLocation(clang_getCursorLocation(declaration), NULL, NULL, NULL, &at);
    clang_getExpansionLocation(clang_getRangeStart(extent), NULL, NULL, NULL, &begin);
    clang_getExpansionLocation(clang_getRangeEnd(extent), NULL, NULL, NULL, &end);
    return begin <= at && at < end;
}

bool ht_ast_mentions(CXCursor expression, CXCursor variable) {
    mention in = {variable, false};
    on_mention(expression, expression, &in);
    ht_ast_walk(expression, on_mention, &in);
    return in.found;
}

/* ---- expressions
 * -------------------------------------------------------------------------------------------- */

static bool is_integer_type(CXType type) {
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return (kind >= CXType_Bool && kind <= CXType_Int128) || kind == CXType_Enum;
}

static CXCursor last_child(CXCursor cursor) {
    ht_cursors list = ht_ast_children(cursor);
    CXCursor child = list.count ? list.items[list.count - 1] : clang_getNullCursor();
    free(list.items);
    return child;
}

/* The index types of HIP's headers convert through member functions; see past those calls. */
static CXCursor strip_conversion(CXCursor cursor) {
    CXString spelling = clang_getCursorSpelling(cursor);
    const char *name = clang_getCString(spelling);
    bool conversion = name && strncmp(name, "operator ", 9) == 0 &&
                      strchr("abcdefghijklmnopqrstuvwxyz", name[9]) != NULL;
    bool wrapper = name && strcmp(name, "__X") == 0;
    clang_disposeString(spelling);
    ht_cursors list = ht_ast_children(cursor);
    CXCursor inner = clang_getNullCursor();
    if (conversion && list.count == 1 &&
        clang_getCursorKind(list.items[0]) == CXCursor_MemberRefExpr)
        inner = ht_ast_child(list.items[0], 0);
    else if (wrapper && list.count == 1)
        inner = list.items[0];
    free(list.items);
    return inner;
}

CXCursor ht_ast_strip(CXCursor cursor, bool casts) {
    for (;;) {
        CXCursor inner = clang_getNullCursor();
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind == CXCursor_UnexposedExpr || kind == CXCursor_ParenExpr) {
            ht_cursors list = ht_ast_children(cursor);
            if (list.count == 1 && clang_isExpression(clang_getCursorKind(list.items[0])))
                inner = list.items[0];
            free(list.items);
        } else if (kind == CXCursor_CallExpr)
            inner = strip_conversion(cursor);
        else if (casts &&
                 (kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXStaticCastExpr ||
                  kind == CXCursor_CXXFunctionalCastExpr) &&
                 is_integer_type(clang_getCursorType(cursor)))
            inner = last_child(cursor);
        if (clang_Cursor_isNull(inner))
            return cursor;
        cursor = inner;
    }
}

static bool on_operator(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    CXCursor *found = context;
    if (clang_getCursorKind(cursor) == CXCursor_OverloadedDeclRef)
        *found = cursor;
    return true;
}

/* operator+ of HIP's index types, or one that waits for a template's types. */
static enum CXBinaryOperatorKind overloaded_kind(CXCursor call, const ht_cursors *children) {
    static const struct {
        const char *name;
        enum CXBinaryOperatorKind kind;
    } names[] = {{"operator*", CXBinaryOperator_Mul},       {"operator+", CXBinaryOperator_Add},
                 {"operator-", CXBinaryOperator_Sub},       {"operator/", CXBinaryOperator_Div},
                 {"operator%", CXBinaryOperator_Rem},       {"operator<", CXBinaryOperator_LT},
                 {"operator>", CXBinaryOperator_GT},        {"operator<=", CXBinaryOperator_LE},
                 {"operator>=", CXBinaryOperator_GE},       {"operator=", CXBinaryOperator_Assign},
                 {"operator+=", CXBinaryOperator_AddAssign}};
    CXCursor named = call;
    bool resolved = is_integer_type(clang_getCursorType(call));
    if (children->count != 3)
        return CXBinaryOperator_Invalid;
    if (!resolved) {
        named = clang_getNullCursor();
        ht_ast_walk(children->items[1], on_operator, &named);
        if (clang_Cursor_isNull(named))
            return CXBinaryOperator_Invalid;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (ht_cursor_named(named, names[i].name))
            return names[i].kind;
    return CXBinaryOperator_Invalid;
}

const char *ht_ast_operator(enum CXBinaryOperatorKind kind) {
    static const char *const texts[] = {
        [CXBinaryOperator_Mul] = "*",   [CXBinaryOperator_Div] = "/",
        [CXBinaryOperator_Rem] = "%",   [CXBinaryOperator_Add] = "+",
        [CXBinaryOperator_Sub] = "-",   [CXBinaryOperator_Shl] = "<<",
        [CXBinaryOperator_Shr] = ">>",  [CXBinaryOperator_LT] = "<",
        [CXBinaryOperator_GT] = ">",    [CXBinaryOperator_LE] = "<=",
        [CXBinaryOperator_GE] = ">=",   [CXBinaryOperator_EQ] = "==",
        [CXBinaryOperator_NE] = "!=",   [CXBinaryOperator_And] = "&",
        [CXBinaryOperator_Xor] = "^",   [CXBinaryOperator_Or] = "|",
        [CXBinaryOperator_LAnd] = "&&", [CXBinaryOperator_LOr] = "||"};
    return (size_t)kind < sizeof texts / sizeof *texts ? texts[kind] : NULL;
}

enum CXBinaryOperatorKind ht_ast_mirrored(enum CXBinaryOperatorKind kind) {
    switch (kind) {
    case CXBinaryOperator_LT:
        return CXBinaryOperator_GT;
    case CXBinaryOperator_GT:
        return CXBinaryOperator_LT;
    case CXBinaryOperator_LE:
        return CXBinaryOperator_GE;
    case CXBinaryOperator_GE:
        return CXBinaryOperator_LE;
    default:
        return CXBinaryOperator_Invalid;
    }
}

enum CXBinaryOperatorKind ht_ast_negated(enum CXBinaryOperatorKind kind) {
    switch (kind) {
    case CXBinaryOperator_LT:
        return CXBinaryOperator_GE;
    case CXBinaryOperator_GT:
        return CXBinaryOperator_LE;
    case CXBinaryOperator_LE:
        return CXBinaryOperator_GT;
    case CXBinaryOperator_GE:
        return CXBinaryOperator_LT;
    default:
        return CXBinaryOperator_Invalid;
    }
}

bool ht_ast_binary(CXCursor cursor, enum CXBinaryOperatorKind *out_kind, CXCursor *out_left,
                   CXCursor *out_right) {
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    ht_cursors list = {0};
    bool found = false;
    if (kind == CXCursor_BinaryOperator || kind == CXCursor_CompoundAssignOperator) {
        *out_kind = clang_getCursorBinaryOperatorKind(cursor);
        list = ht_ast_children(cursor);
        found = list.count == 2;
        if (found) {
            *out_left = list.items[0];
            *out_right = list.items[1];
        }
    } else if (kind == CXCursor_CallExpr) {
        list = ht_ast_children(cursor);
        *out_kind = overloaded_kind(cursor, &list);
        found = *out_kind != CXBinaryOperator_Invalid;
        if (found) {
            *out_left = list.items[0];
            *out_right = list.items[2];
        }
    }
    free(list.items);
    return found;
}

bool ht_ast_unary(CXCursor cursor, enum CXUnaryOperatorKind *out_kind, CXCursor *out_operand) {
    if (clang_getCursorKind(cursor) != CXCursor_UnaryOperator)
        return false;
    *out_kind = clang_getCursorUnaryOperatorKind(cursor);
    *out_operand = ht_ast_child(cursor, 0);
    return !clang_Cursor_isNull(*out_operand);
}

CXCursor ht_ast_variable(CXCursor expression) {
    expression = ht_ast_strip(expression, true);
    if (clang_getCursorKind(expression) != CXCursor_DeclRefExpr)
        return clang_getNullCursor();
    CXCursor declaration = clang_getCursorReferenced(expression);
    switch (clang_getCursorKind(declaration)) {
    case CXCursor_VarDecl:
    case CXCursor_ParmDecl:
    case CXCursor_NonTypeTemplateParameter:
    case CXCursor_EnumConstantDecl:
        return declaration;
    default:
        return clang_getNullCursor();
    }
}

bool ht_ast_constant(CXCursor expression, int64_t *out_value) {
    if (!clang_isExpression(clang_getCursorKind(expression)))
        return false;
    CXCursor stripped = ht_ast_strip(expression, true);
    if (!is_integer_type(clang_getCursorType(stripped)))
        return false;
    CXEvalResult result = clang_Cursor_Evaluate(stripped);
    if (!result)
        return false;
    bool found = clang_EvalResult_getKind(result) == CXEval_Int;
    if (found)
        *out_value = clang_EvalResult_getAsLongLong(result);
    clang_EvalResult_dispose(result);
    return found;
}

/* ---- places
 * -------------------------------------------------------------------------------------------------
 */

int ht_ast_line(CXCursor cursor) {
    unsigned line = 0;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), NULL, &line, NULL, NULL);
    return (int)line;
}
