/* Helpers over libclang's cursors. */
#include "refactor/source/ast.h"

#include "base/memory.h"
#include "templates/expr/expr.h"

#include <stdlib.h>
#include <string.h>

/* Takes over the string. */
static char *taken(CXString string) {
    const char *text = clang_getCString(string);
    char *copy = ht_strdup(text ? text : "");
    clang_disposeString(string);
    return copy;
}

char *ht_cursor_name(CXCursor cursor) {
    return taken(clang_getCursorSpelling(cursor));
}

char *ht_type_text(CXType type) {
    return taken(clang_getTypeSpelling(type));
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

int ht_cursor_axis(CXCursor member) {
    char *name = ht_cursor_name(member);
    int axis = name[0] >= 'x' && name[0] <= 'z' && !name[1] ? name[0] - 'x' : -1;
    free(name);
    return axis;
}

bool ht_cursor_in_namespace(CXCursor declaration, const char *name) {
    for (CXCursor scope = clang_getCursorSemanticParent(declaration);
         clang_isDeclaration(clang_getCursorKind(scope));
         scope = clang_getCursorSemanticParent(scope))
        if (clang_getCursorKind(scope) == CXCursor_Namespace && ht_cursor_named(scope, name))
            return true;
    return false;
}

/* ---- children ---- */

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

bool ht_ast_outwards(CXCursor root, CXCursor target,
                     void (*visit)(CXCursor, const ht_cursors *, size_t, void *), void *context) {
    if (clang_equalCursors(root, target))
        return true;
    ht_cursors parts = ht_ast_children(root);
    size_t at = 0;
    while (at < parts.count && !ht_ast_outwards(parts.items[at], target, visit, context))
        ++at;
    bool found = at < parts.count;
    if (found)
        visit(root, &parts, at, context);
    free(parts.items);
    return found;
}

CXCursor ht_ast_body(CXCursor function) {
    ht_cursors parts = ht_ast_children(function);
    CXCursor body = clang_getNullCursor();
    for (size_t i = 0; i < parts.count; ++i)
        if (clang_getCursorKind(parts.items[i]) == CXCursor_CompoundStmt)
            body = parts.items[i];
    free(parts.items);
    return body;
}

CXCursor ht_ast_initializer(CXCursor declaration) {
    return clang_getCursorKind(declaration) == CXCursor_VarDecl
               ? clang_Cursor_getVarDeclInitializer(declaration)
               : clang_getNullCursor();
}

bool ht_ast_declared_constant(CXCursor variable, int64_t *out_value) {
    CXCursor initializer = ht_ast_initializer(variable);
    return !clang_Cursor_isNull(initializer) &&
           clang_isConstQualifiedType(clang_getCursorType(variable)) &&
           ht_ast_constant(initializer, out_value);
}

typedef struct walk_state {
    bool (*visit)(CXCursor cursor, CXCursor parent, void *context);
    void *context;
} walk_state;

CXCursor ht_ast_primary(CXCursor declaration) {
    CXCursor primary = clang_getSpecializedCursorTemplate(declaration);
    return clang_Cursor_isNull(primary) ? declaration : primary;
}

CXCursor ht_ast_canonical(CXCursor declaration) {
    return clang_getCanonicalCursor(ht_ast_primary(declaration));
}

/* Without the parsed header, clang also lists functions that it instantiated from templates, at the
 * place of the template. */
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

bool ht_ast_mentions(CXCursor expression, CXCursor variable) {
    mention in = {variable, false};
    on_mention(expression, expression, &in);
    ht_ast_walk(expression, on_mention, &in);
    return in.found;
}

/* ---- expressions ---- */

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

/* Skips the calls of member functions by which the index types of HIP's headers convert to
 * integers. */
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

/* Returns the kind of an overloaded operator: operator+ of HIP's index types, or one that is
 * resolved only with a template's types. */
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

/* ---- places ---- */

int ht_ast_line(CXCursor cursor) {
    unsigned line = 0;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), NULL, &line, NULL, NULL);
    return (int)line;
}

size_t ht_ast_offset(CXCursor cursor) {
    unsigned offset = 0;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), NULL, NULL, NULL, &offset);
    return offset;
}

size_t ht_ast_begin(CXCursor cursor) {
    unsigned offset = 0;
    clang_getExpansionLocation(clang_getRangeStart(clang_getCursorExtent(cursor)), NULL, NULL, NULL,
                               &offset);
    return offset;
}

bool ht_ast_extent(CXCursor cursor, CXFile *out_file, ht_range *out_range) {
    CXSourceRange extent = clang_getCursorExtent(cursor);
    CXFile first = NULL, last = NULL;
    unsigned begin, end;
    clang_getExpansionLocation(clang_getRangeStart(extent), &first, NULL, NULL, &begin);
    clang_getExpansionLocation(clang_getRangeEnd(extent), &last, NULL, NULL, &end);
    *out_file = first;
    *out_range = (ht_range){begin, end};
    return first && last && begin <= end && clang_File_isEqual(first, last);
}

bool ht_ast_is_local(CXCursor declaration) {
    enum CXCursorKind kind = clang_getCursorKind(clang_getCursorSemanticParent(declaration));
    return kind != CXCursor_TranslationUnit && kind != CXCursor_Namespace &&
           kind != CXCursor_EnumDecl;
}

bool ht_ast_for(CXCursor statement, CXCursor *out_init, CXCursor *out_condition,
                CXCursor *out_increment, CXCursor *out_body) {
    *out_init = *out_condition = *out_increment = *out_body = clang_getNullCursor();
    if (clang_getCursorKind(statement) != CXCursor_ForStmt)
        return false;
    ht_cursors list = ht_ast_children(statement);
    bool whole = list.count == 4;
    if (whole) {
        *out_init = list.items[0];
        *out_condition = list.items[1];
        *out_increment = list.items[2];
        *out_body = list.items[3];
    }
    free(list.items);
    return whole;
}

bool ht_ast_has(CXCursor cursor, enum CXCursorKind attribute) {
    ht_cursors list = ht_ast_children(cursor);
    bool found = false;
    for (size_t i = 0; i < list.count; ++i)
        found = found || clang_getCursorKind(list.items[i]) == attribute;
    free(list.items);
    return found;
}

bool ht_ast_is_shared(CXCursor cursor) {
    return clang_getCursorKind(cursor) == CXCursor_VarDecl &&
           ht_ast_has(cursor, CXCursor_CUDASharedAttr);
}

bool ht_type_is_integer(CXType type) {
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind >= CXType_Bool && kind <= CXType_Int128;
}

CXType ht_type_unqualified(CXType type) {
    return type.kind == CXType_Invalid ? type : clang_getUnqualifiedType(type);
}

CXType ht_type_referred(CXType type) {
    return type.kind == CXType_Invalid ? type : clang_getNonReferenceType(type);
}

bool ht_type_is_volatile(CXType type) {
    type = clang_getCanonicalType(ht_type_referred(type));
    return clang_isVolatileQualifiedType(type) ||
           (type.kind == CXType_Pointer &&
            clang_isVolatileQualifiedType(clang_getPointeeType(type)));
}

/* Returns "uint2" for "HIP_vector_type<unsigned int, 2>"; NULL: it is no such type. free(). */
static char *vector_name(const char *spelling) {
    static const char *const names[][2] = {{"char", "char"},
                                           {"unsigned char", "uchar"},
                                           {"short", "short"},
                                           {"unsigned short", "ushort"},
                                           {"int", "int"},
                                           {"unsigned int", "uint"},
                                           {"long", "long"},
                                           {"unsigned long", "ulong"},
                                           {"long long", "longlong"},
                                           {"unsigned long long", "ulonglong"},
                                           {"float", "float"},
                                           {"double", "double"}};
    static const char prefix[] = "HIP_vector_type<";
    const char *element = spelling + sizeof prefix - 1, *comma = strrchr(spelling, ',');
    if (strncmp(spelling, prefix, sizeof prefix - 1) != 0 || !comma || strlen(comma) < 4 ||
        comma[2] < '1' || comma[2] > '4' || comma[3] != '>')
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strlen(names[i][0]) == (size_t)(comma - element) &&
            strncmp(names[i][0], element, (size_t)(comma - element)) == 0)
            return ht_format("%s%c", names[i][1], comma[2]);
    return NULL;
}

/* Takes out unnamed namespaces: what they declare is named without them. */
static void drop_unnamed(char *name) {
    static const char unnamed[] = "(anonymous namespace)::";
    const size_t length = sizeof unnamed - 1;
    for (char *at = name; (at = strstr(at, unnamed)) != NULL;)
        memmove(at, at + length, strlen(at + length) + 1);
}

char *ht_type_plain(CXType type) {
    char *text = ht_type_text(ht_type_unqualified(clang_getCanonicalType(type)));
    char *vector = vector_name(text);
    if (vector) {
        free(text);
        text = vector;
    }
    drop_unnamed(text);
    return text;
}

static bool holds_pointers(CXType type, int depth);

typedef struct pointer_search {
    int left;
    bool begins; /* a field stands at the first byte */
    bool found;
} pointer_search;

static enum CXVisitorResult on_field(CXCursor field, CXClientData data) {
    pointer_search *in = data;
    in->begins = in->begins || clang_Cursor_getOffsetOfField(field) == 0;
    in->found = holds_pointers(clang_getCursorType(field), in->left);
    return in->found ? CXVisit_Break : CXVisit_Continue;
}

static bool holds_pointers(CXType type, int depth) {
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_Pointer || type.kind == CXType_LValueReference || depth <= 0)
        return true;
    if (clang_getArrayElementType(type).kind != CXType_Invalid)
        return holds_pointers(clang_getArrayElementType(type), depth - 1);
    if (type.kind != CXType_Record)
        return type.kind == CXType_Unexposed || type.kind == CXType_Dependent;
    char *name = ht_type_plain(type);
    bool vector = ht_type_size(name) > 0;
    free(name);
    if (vector)
        return false;
    pointer_search in = {.left = depth - 1};
    clang_Type_visitFields(type, on_field, &in);
    /* fields of bases are not visited: they lie first */
    return in.found || (!in.begins && clang_Type_getSizeOf(type) > 1);
}

bool ht_type_holds_pointers(CXType type) {
    type = clang_getCanonicalType(type);
    return (type.kind == CXType_Pointer || type.kind == CXType_Record) && holds_pointers(type, 6);
}
