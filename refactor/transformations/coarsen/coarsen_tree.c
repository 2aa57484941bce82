/* Builds the typed tree of a kernel's body. Only constructs on this list get in: what is not on it
 * is refused, so that everything behind may rely on knowing every effect and every jump. */
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/transformations/coarsen/coarsen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ht_coarsen_refuse(ht_coarsen *c, CXCursor place, const char *format, ...) {
    if (c->refused)
        return;
    c->refused = true;
    va_list arguments;
    va_start(arguments, format);
    char message[512];
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ht_plan_remark(c->plan, HT_REMARK_MISSED, place, "%s", message);
}

static ht_node *build(ht_coarsen *c, ht_node *parent, CXCursor cursor);

/* ---- places and types ---- */

static bool place_of(const ht_coarsen *c, CXSourceLocation location, size_t *out_offset) {
    CXFile file, spelled;
    unsigned offset, spelling;
    clang_getFileLocation(location, &file, NULL, NULL, &offset);
    clang_getSpellingLocation(location, &spelled, NULL, NULL, &spelling);
    *out_offset = offset;
    return file && spelled && clang_File_isEqual(file, c->model->file) &&
           clang_File_isEqual(file, spelled) && offset == spelling;
}

static void set_type(ht_node *node, CXType type) {
    type = clang_getCanonicalType(ht_type_referred(type));
    node->is_array = type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray ||
                     type.kind == CXType_DependentSizedArray;
    if (type.kind == CXType_Pointer || node->is_array) {
        node->type = HT_TYPE_POINTER;
        return;
    }
    static const enum CXTypeKind integers[] = {CXType_Char_U, CXType_UChar,     CXType_Char_S,
                                               CXType_SChar,  CXType_UShort,    CXType_Short,
                                               CXType_UInt,   CXType_Int,       CXType_ULong,
                                               CXType_Long,   CXType_ULongLong, CXType_LongLong};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; ++i)
        if (type.kind == integers[i]) {
            node->type = HT_TYPE_INTEGER;
            node->bits = (unsigned)(8 * clang_Type_getSizeOf(type));
            node->is_signed = type.kind == CXType_Char_S || type.kind == CXType_SChar ||
                              type.kind == CXType_Short || type.kind == CXType_Int ||
                              type.kind == CXType_Long || type.kind == CXType_LongLong;
        }
}

static ht_node *add_node(ht_coarsen *c, ht_node *parent, CXCursor cursor, ht_node_kind kind) {
    ht_node *node = ht_alloc(1, sizeof *node);
    node->kind = kind;
    node->cursor = cursor;
    node->parent = parent;
    node->variable = SIZE_MAX;
    node->callee = clang_getNullCursor();
    CXSourceRange extent = clang_getCursorExtent(cursor);
    bool begin = place_of(c, clang_getRangeStart(extent), &node->range.begin);
    bool end = place_of(c, clang_getRangeEnd(extent), &node->range.end);
    node->begins = begin;
    node->plain = begin && end;
    if (clang_isExpression(clang_getCursorKind(cursor)) || kind == HT_NODE_VARIABLE)
        set_type(node, clang_getCursorType(cursor));
    HT_GROW(c->nodes, c->node_count);
    c->nodes[c->node_count++] = node;
    return node;
}

static void add_child(ht_node *node, ht_node *child) {
    HT_GROW(node->children, node->count);
    node->children[node->count++] = child;
}

static void build_children(ht_coarsen *c, ht_node *node) {
    ht_cursors list = ht_ast_children(node->cursor);
    for (size_t i = 0; i < list.count && !c->refused; ++i) {
        enum CXCursorKind kind = clang_getCursorKind(list.items[i]);
        if (clang_isExpression(kind) || clang_isStatement(kind))
            add_child(node, build(c, node, list.items[i]));
    }
    free(list.items);
}

/* ---- variables ---- */

static size_t variable_index(ht_coarsen *c, CXCursor declaration) {
    for (size_t i = 0; i < c->variable_count; ++i)
        if (clang_equalCursors(c->variables[i].cursor, declaration))
            return i;
    CXString name = clang_getCursorSpelling(declaration);
    CXType type = clang_getCursorType(declaration);
    CXType canonical = clang_getCanonicalType(type);
    ht_variable variable = {
        .cursor = declaration,
        .name = ht_strdup(clang_getCString(name)),
        .is_parameter = clang_getCursorKind(declaration) == CXCursor_ParmDecl,
        .is_array =
            canonical.kind == CXType_ConstantArray || canonical.kind == CXType_DependentSizedArray,
        .is_reference = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference,
    };
    clang_disposeString(name);
    if (canonical.kind == CXType_Pointer &&
        clang_isVolatileQualifiedType(clang_getPointeeType(canonical)))
        ht_coarsen_refuse(c, declaration, "`%s` points to volatile memory", variable.name);
    HT_GROW(c->variables, c->variable_count);
    c->variables[c->variable_count] = variable;
    return c->variable_count++;
}

static ht_node *build_variable(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    ht_node *node = add_node(c, parent, cursor, HT_NODE_VARIABLE);
    bool shared = c->meets && ht_ast_is_shared(cursor) &&
                  clang_Cursor_getStorageClass(cursor) != CX_SC_Extern;
    if (!shared && clang_Cursor_getStorageClass(cursor) != CX_SC_None &&
        clang_Cursor_getStorageClass(cursor) != CX_SC_Auto &&
        clang_Cursor_getStorageClass(cursor) != CX_SC_Register)
        ht_coarsen_refuse(c, cursor, "a static or shared variable inside the kernel");
    if (clang_isVolatileQualifiedType(clang_getCursorType(cursor)))
        ht_coarsen_refuse(c, cursor, "a volatile variable");
    node->variable = variable_index(c, cursor);
    c->variables[node->variable].declaration = node;
    c->variables[node->variable].is_local = !shared;
    c->variables[node->variable].is_shared = shared;
    CXCursor initialiser = clang_Cursor_getVarDeclInitializer(cursor);
    if (!clang_Cursor_isNull(initialiser))
        add_child(node, build(c, node, initialiser));
    return node;
}

static ht_node *build_declaration(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    ht_node *node = add_node(c, parent, cursor, HT_NODE_DECLARATION);
    ht_cursors list = ht_ast_children(cursor);
    for (size_t i = 0; i < list.count && !c->refused; ++i)
        switch (clang_getCursorKind(list.items[i])) {
        case CXCursor_VarDecl:
            add_child(node, build_variable(c, node, list.items[i]));
            break;
        case CXCursor_TypedefDecl:
        case CXCursor_TypeAliasDecl:
        case CXCursor_StaticAssert:
        case CXCursor_UsingDeclaration:
        case CXCursor_UsingDirective:
        case CXCursor_EnumDecl:
            break;
        default:
            ht_coarsen_refuse(c, list.items[i],
                              "a local declaration of a kind that is not analysed");
        }
    free(list.items);
    return node;
}

/* ---- expressions ---- */

static ht_node *build_name(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    CXCursor declaration = clang_getCursorReferenced(cursor);
    switch (clang_getCursorKind(declaration)) {
    case CXCursor_VarDecl:
    case CXCursor_ParmDecl: {
        ht_node *node = add_node(c, parent, cursor, HT_NODE_NAME);
        node->variable = variable_index(c, declaration);
        return node;
    }
    case CXCursor_NonTypeTemplateParameter:
    case CXCursor_EnumConstantDecl:
        return add_node(c, parent, cursor, HT_NODE_CONSTANT);
    default:
        ht_coarsen_refuse(c, cursor, "a name that is not analysed");
        return add_node(c, parent, cursor, HT_NODE_CONSTANT);
    }
}

/* The function name inside a call, when `child` is what is called and not an argument. */
static bool is_callee(CXCursor child, CXCursor *out_member) {
    *out_member = clang_getNullCursor();
    while (clang_getCursorKind(child) == CXCursor_UnexposedExpr ||
           clang_getCursorKind(child) == CXCursor_ParenExpr) {
        CXCursor inner = ht_ast_child(child, 0);
        if (clang_Cursor_isNull(inner))
            return false;
        child = inner;
    }
    enum CXCursorKind kind = clang_getCursorKind(child);
    CXCursor referenced = clang_getCursorReferenced(child);
    enum CXCursorKind target = clang_getCursorKind(referenced);
    bool function = target == CXCursor_FunctionDecl || target == CXCursor_FunctionTemplate ||
                    target == CXCursor_CXXMethod || target == CXCursor_OverloadedDeclRef ||
                    target == CXCursor_ConversionFunction;
    if (kind == CXCursor_DeclRefExpr) {
        CXCursor first = ht_ast_child(child, 0);
        return function || clang_getCursorKind(first) == CXCursor_OverloadedDeclRef;
    }
    if (kind == CXCursor_MemberRefExpr && function) {
        *out_member = child;
        return true;
    }
    return kind == CXCursor_OverloadedDeclRef;
}

static CXCursor overloaded_name(CXCursor child) {
    while (clang_getCursorKind(child) != CXCursor_OverloadedDeclRef) {
        CXCursor inner = ht_ast_child(child, 0);
        if (clang_Cursor_isNull(inner))
            return child;
        child = inner;
    }
    return child;
}

/* Inside templates, operators on dependent types are calls of `operator+` and its like: taken as
 * what they mean for pointers and numbers. */
typedef struct spelled_operator {
    const char *name;
    ht_node_kind kind;
    int op;
} spelled_operator;

static const spelled_operator binary_operators[] = {
    {"+", HT_NODE_BINARY, CXBinaryOperator_Add},
    {"-", HT_NODE_BINARY, CXBinaryOperator_Sub},
    {"*", HT_NODE_BINARY, CXBinaryOperator_Mul},
    {"/", HT_NODE_BINARY, CXBinaryOperator_Div},
    {"%", HT_NODE_BINARY, CXBinaryOperator_Rem},
    {"<", HT_NODE_BINARY, CXBinaryOperator_LT},
    {">", HT_NODE_BINARY, CXBinaryOperator_GT},
    {"<=", HT_NODE_BINARY, CXBinaryOperator_LE},
    {">=", HT_NODE_BINARY, CXBinaryOperator_GE},
    {"==", HT_NODE_BINARY, CXBinaryOperator_EQ},
    {"!=", HT_NODE_BINARY, CXBinaryOperator_NE},
    {"&", HT_NODE_BINARY, CXBinaryOperator_And},
    {"|", HT_NODE_BINARY, CXBinaryOperator_Or},
    {"^", HT_NODE_BINARY, CXBinaryOperator_Xor},
    {"<<", HT_NODE_BINARY, CXBinaryOperator_Shl},
    {">>", HT_NODE_BINARY, CXBinaryOperator_Shr},
    {"&&", HT_NODE_BINARY, CXBinaryOperator_LAnd},
    {"||", HT_NODE_BINARY, CXBinaryOperator_LOr},
    {"=", HT_NODE_ASSIGN, CXBinaryOperator_Assign},
    {"+=", HT_NODE_ASSIGN, CXBinaryOperator_AddAssign},
    {"-=", HT_NODE_ASSIGN, CXBinaryOperator_SubAssign},
    {"*=", HT_NODE_ASSIGN, CXBinaryOperator_MulAssign},
    {"/=", HT_NODE_ASSIGN, CXBinaryOperator_DivAssign},
    {NULL, HT_NODE_EMPTY, 0}};

static const spelled_operator unary_operators[] = {
    {"-", HT_NODE_UNARY, CXUnaryOperator_Minus},       {"+", HT_NODE_UNARY, CXUnaryOperator_Plus},
    {"!", HT_NODE_UNARY, CXUnaryOperator_LNot},        {"~", HT_NODE_UNARY, CXUnaryOperator_Not},
    {"*", HT_NODE_DEREFERENCE, CXUnaryOperator_Deref}, {"++", HT_NODE_STEP, CXUnaryOperator_PreInc},
    {"--", HT_NODE_STEP, CXUnaryOperator_PreDec},      {NULL, HT_NODE_EMPTY, 0}};

/* Is this an assignment operator that a user wrote, with a body that could do anything? */
static bool is_user_operator(CXCursor callee) {
    return !clang_Location_isInSystemHeader(clang_getCursorLocation(callee)) &&
           !clang_CXXMethod_isDefaulted(callee) &&
           !clang_Cursor_isNull(clang_getCursorDefinition(callee));
}

static void resolve_operator(ht_node *node) {
    enum CXCursorKind kind = clang_getCursorKind(node->callee);
    bool unknown = kind == CXCursor_OverloadedDeclRef;
    bool member = kind == CXCursor_CXXMethod && !is_user_operator(node->callee);
    if ((!unknown && !member) || (node->count != 1 && node->count != 2))
        return;
    CXString spelling = clang_getCursorSpelling(node->callee);
    const char *name = clang_getCString(spelling);
    const spelled_operator *found = node->count == 1 ? unary_operators : binary_operators;
    if (strncmp(name, "operator", 8) == 0) {
        while (found->name && strcmp(found->name, name + 8) != 0)
            ++found;
        if (found->name && (unknown || found->kind == HT_NODE_ASSIGN)) {
            node->kind = found->kind;
            node->op = found->op;
            bool offset = found->op == CXBinaryOperator_Add || found->op == CXBinaryOperator_Sub;
            if (node->count == 2 && offset &&
                (node->children[0]->type == HT_TYPE_POINTER ||
                 node->children[1]->type == HT_TYPE_POINTER))
                node->type = HT_TYPE_POINTER;
        }
    }
    clang_disposeString(spelling);
}

static ht_node *build_call(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    ht_node *node = add_node(c, parent, cursor, HT_NODE_CALL);
    node->callee = clang_getCursorReferenced(cursor);
    ht_cursors list = ht_ast_children(cursor);
    bool found = false;
    for (size_t i = 0; i < list.count && !c->refused; ++i) {
        CXCursor member;
        if (!clang_isExpression(clang_getCursorKind(list.items[i])))
            continue;
        if (!found && is_callee(list.items[i], &member)) {
            found = true;
            if (clang_Cursor_isNull(node->callee))
                node->callee = overloaded_name(list.items[i]);
            node->unresolved = clang_Cursor_isNull(node->callee);
            if (!clang_Cursor_isNull(member)) {
                CXCursor object = ht_ast_child(member, 0);
                if (!clang_Cursor_isNull(object))
                    add_child(node, build(c, node, object));
            }
            continue;
        }
        add_child(node, build(c, node, list.items[i]));
    }
    free(list.items);
    resolve_operator(node);
    return node;
}

static ht_node *build_operator(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    enum CXUnaryOperatorKind unary = clang_getCursorUnaryOperatorKind(cursor);
    enum CXBinaryOperatorKind binary = clang_getCursorBinaryOperatorKind(cursor);
    ht_node_kind kind;
    if (clang_getCursorKind(cursor) == CXCursor_UnaryOperator) {
        kind = unary <= CXUnaryOperator_PreDec && unary != CXUnaryOperator_Invalid ? HT_NODE_STEP
               : unary == CXUnaryOperator_AddrOf                                   ? HT_NODE_ADDRESS
               : unary == CXUnaryOperator_Deref ? HT_NODE_DEREFERENCE
                                                : HT_NODE_UNARY;
        if (unary == CXUnaryOperator_Invalid || unary == CXUnaryOperator_Coawait)
            ht_coarsen_refuse(c, cursor, "an operator that is not analysed");
    } else {
        kind = binary >= CXBinaryOperator_Assign && binary <= CXBinaryOperator_OrAssign
                   ? HT_NODE_ASSIGN
                   : HT_NODE_BINARY;
        if (binary == CXBinaryOperator_Invalid || binary == CXBinaryOperator_PtrMemD ||
            binary == CXBinaryOperator_PtrMemI)
            ht_coarsen_refuse(c, cursor, "an operator that is not analysed");
    }
    ht_node *node = add_node(c, parent, cursor, kind);
    node->op = clang_getCursorKind(cursor) == CXCursor_UnaryOperator ? (int)unary : (int)binary;
    build_children(c, node);
    size_t expected = clang_getCursorKind(cursor) == CXCursor_UnaryOperator ? 1 : 2;
    if (node->count != expected)
        ht_coarsen_refuse(c, cursor, "an operator that is not analysed");
    return node;
}

static ht_node *build_with(ht_coarsen *c, ht_node *parent, CXCursor cursor, ht_node_kind kind,
                           size_t least, size_t most) {
    ht_node *node = add_node(c, parent, cursor, kind);
    build_children(c, node);
    if (node->count < least || node->count > most)
        ht_coarsen_refuse(c, cursor, "an expression of a kind that is not analysed");
    return node;
}

static ht_node *build_member(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    ht_node *node = build_with(c, parent, cursor, HT_NODE_MEMBER, 1, 1);
    node->arrow = node->count == 1 && node->children[0]->type == HT_TYPE_POINTER;
    return node;
}

/* Implicit conversions, and a few kinds without a cursor kind of their own. */
static ht_node *build_unexposed(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    ht_cursors list = ht_ast_children(cursor);
    size_t expressions = 0;
    for (size_t i = 0; i < list.count; ++i)
        expressions += clang_isExpression(clang_getCursorKind(list.items[i])) != 0;
    free(list.items);
    if (expressions == 0)
        return add_node(c, parent, cursor, HT_NODE_CONSTANT);
    bool list_init = parent && parent->kind == HT_NODE_VARIABLE;
    return build_with(c, parent, cursor, expressions == 1 ? HT_NODE_CAST : HT_NODE_LIST, 1,
                      list_init ? SIZE_MAX : 1);
}

static bool on_measured(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    ht_coarsen *c = context;
    CXCursor target = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(target);
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
        (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl))
        c->variables[variable_index(c, target)].measured = true;
    return true;
}

static ht_node *build_expression(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_StringLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_CXXNullPtrLiteralExpr:
    case CXCursor_GNUNullExpr:
    case CXCursor_SizeOfPackExpr:
        return add_node(c, parent, cursor, HT_NODE_CONSTANT);
    case CXCursor_UnaryExpr: /* sizeof and alignof: not evaluated */
        ht_ast_walk(cursor, on_measured, c);
        return add_node(c, parent, cursor, HT_NODE_CONSTANT);
    case CXCursor_DeclRefExpr:
        return build_name(c, parent, cursor);
    case CXCursor_ArraySubscriptExpr:
        return build_with(c, parent, cursor, HT_NODE_SUBSCRIPT, 2, 2);
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
    case CXCursor_UnaryOperator:
        return build_operator(c, parent, cursor);
    case CXCursor_ConditionalOperator:
        return build_with(c, parent, cursor, HT_NODE_CONDITIONAL, 3, 3);
    case CXCursor_ParenExpr:
        return build_with(c, parent, cursor, HT_NODE_PAREN, 1, 1);
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXFunctionalCastExpr: {
        ht_node *node = build_with(c, parent, cursor, HT_NODE_CAST, 1, 1);
        node->written = true;
        return node;
    }
    case CXCursor_UnexposedExpr:
        return build_unexposed(c, parent, cursor);
    case CXCursor_CallExpr:
        return build_call(c, parent, cursor);
    case CXCursor_MemberRefExpr:
        return build_member(c, parent, cursor);
    case CXCursor_InitListExpr:
        return build_with(c, parent, cursor, HT_NODE_LIST, 0, SIZE_MAX);
    case CXCursor_LambdaExpr:
        ht_coarsen_refuse(c, cursor, "a lambda, whose captures are not analysed");
        break;
    default:
        ht_coarsen_refuse(c, cursor, "an expression of a kind that is not analysed");
    }
    return add_node(c, parent, cursor, HT_NODE_CONSTANT);
}

/* threadIdx and its kind come through classes of HIP's headers: taken as one leaf. */
static ht_node *build_index(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    CXCursor bare = ht_ast_strip(cursor, true);
    if (clang_getCursorKind(bare) == CXCursor_DeclRefExpr ||
        clang_getCursorKind(cursor) == CXCursor_ParenExpr)
        return NULL;
    int axis = 0;
    ht_index_kind index = ht_ast_index(c->model, ht_ast_strip(cursor, false), &axis);
    if (index == HT_INDEX_NONE || (index == HT_INDEX_GLOBAL && axis != 0))
        return NULL;
    ht_node *node =
        add_node(c, parent, cursor, index == HT_INDEX_GLOBAL ? HT_NODE_GLOBAL : HT_NODE_INDEX);
    node->op = (int)index;
    node->axis = axis;
    return node;
}

/* ---- statements ---- */

static ht_node *build_if(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    ht_node *node = add_node(c, parent, cursor, HT_NODE_IF);
    ht_cursors list = ht_ast_children(cursor);
    if (list.count < 2 || list.count > 3 || !clang_isExpression(clang_getCursorKind(list.items[0])))
        ht_coarsen_refuse(c, cursor, "an `if` that declares a variable");
    for (size_t i = 0; i < list.count && !c->refused; ++i)
        add_child(node, build(c, node, list.items[i]));
    free(list.items);
    if (node->count == 2)
        add_child(node, NULL);
    return node;
}

static ht_node *build_for(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    ht_node *node = add_node(c, parent, cursor, HT_NODE_FOR);
    CXCursor parts[4];
    if (!ht_ast_for(cursor, &parts[0], &parts[1], &parts[2], &parts[3]) ||
        clang_Cursor_isNull(parts[3])) {
        ht_coarsen_refuse(c, cursor, "a `for` whose parts cannot be distinguished");
        return node;
    }
    for (size_t i = 0; i < 4 && !c->refused; ++i)
        add_child(node, clang_Cursor_isNull(parts[i]) ? NULL : build(c, node, parts[i]));
    return node;
}

static ht_node *build_fixed(ht_coarsen *c, ht_node *parent, CXCursor cursor, ht_node_kind kind,
                            size_t count) {
    ht_node *node = add_node(c, parent, cursor, kind);
    ht_cursors list = ht_ast_children(cursor);
    if (list.count != count)
        ht_coarsen_refuse(c, cursor, "a statement that declares a variable in its header");
    for (size_t i = 0; i < list.count && !c->refused; ++i)
        add_child(node, build(c, node, list.items[i]));
    free(list.items);
    return node;
}

/* An attribute or a loop pragma, and the statement it belongs to. */
static ht_node *build_attributed(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    ht_cursors list = ht_ast_children(cursor);
    CXCursor inner = list.count ? list.items[list.count - 1] : clang_getNullCursor();
    free(list.items);
    if (clang_Cursor_isNull(inner) || !clang_isStatement(clang_getCursorKind(inner))) {
        ht_coarsen_refuse(c, cursor, "a statement of a kind that is not analysed");
        return add_node(c, parent, cursor, HT_NODE_EMPTY);
    }
    ht_node *node = build(c, parent, inner);
    size_t begin;
    bool plain = place_of(c, clang_getRangeStart(clang_getCursorExtent(cursor)), &begin);
    if (begin < node->range.begin)
        node->range.begin = begin;
    node->plain = node->plain && plain;
    return node;
}

static ht_node *build_statement(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    ht_node *node;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_CompoundStmt:
        node = add_node(c, parent, cursor, HT_NODE_COMPOUND);
        build_children(c, node);
        return node;
    case CXCursor_DeclStmt:
        return build_declaration(c, parent, cursor);
    case CXCursor_IfStmt:
        return build_if(c, parent, cursor);
    case CXCursor_ForStmt:
        return build_for(c, parent, cursor);
    case CXCursor_WhileStmt:
        return build_fixed(c, parent, cursor, HT_NODE_WHILE, 2);
    case CXCursor_DoStmt:
        return build_fixed(c, parent, cursor, HT_NODE_DO, 2);
    case CXCursor_SwitchStmt:
        return build_fixed(c, parent, cursor, HT_NODE_SWITCH, 2);
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        node = add_node(c, parent, cursor, HT_NODE_CASE);
        build_children(c, node);
        return node;
    case CXCursor_ReturnStmt:
        return build_fixed(c, parent, cursor, HT_NODE_RETURN, 0);
    case CXCursor_BreakStmt:
        return add_node(c, parent, cursor, HT_NODE_BREAK);
    case CXCursor_ContinueStmt:
        return add_node(c, parent, cursor, HT_NODE_CONTINUE);
    case CXCursor_NullStmt:
        return add_node(c, parent, cursor, HT_NODE_EMPTY);
    case CXCursor_UnexposedStmt:
        return build_attributed(c, parent, cursor);
    case CXCursor_GotoStmt:
    case CXCursor_LabelStmt:
    case CXCursor_IndirectGotoStmt:
        ht_coarsen_refuse(c, cursor, "a goto or a label");
        break;
    default:
        ht_coarsen_refuse(c, cursor, "a statement of a kind that is not analysed");
    }
    return add_node(c, parent, cursor, HT_NODE_EMPTY);
}

static ht_node *build(ht_coarsen *c, ht_node *parent, CXCursor cursor) {
    if (clang_isExpression(clang_getCursorKind(cursor))) {
        ht_node *index = build_index(c, parent, cursor);
        return index ? index : build_expression(c, parent, cursor);
    }
    return build_statement(c, parent, cursor);
}

void ht_coarsen_tree(ht_coarsen *c) {
    c->body = build(c, NULL, c->model->body);
    if (!c->refused && !c->body->plain)
        ht_coarsen_refuse(c, c->model->kernel, "the kernel's body comes out of a macro");
    for (size_t i = 0; i < c->node_count && !c->refused; ++i) { /* bodies without braces */
        const ht_node *node = c->nodes[i], *parent = node->parent;
        bool loop = parent && ht_node_is_loop(parent);
        bool body = parent && parent->kind == HT_NODE_IF ? node != parent->children[0]
                    : loop && parent->kind == HT_NODE_DO ? node == parent->children[0]
                    : loop ? node == parent->children[parent->count - 1]
                           : false;
        if (body && node->kind > HT_NODE_VARIABLE && node->plain && !ht_node_is_whole(c, node))
            ht_coarsen_refuse(c, node->cursor, "a macro's argument begins what the macro makes");
    }
}

void ht_coarsen_free(ht_coarsen *c) {
    for (size_t i = 0; i < c->node_count; ++i) {
        free(c->nodes[i]->children);
        free(c->nodes[i]);
    }
    free(c->nodes);
    for (size_t i = 0; i < c->variable_count; ++i)
        free(c->variables[i].name);
    free(c->variables);
    free(c->apart_reason);
    free(c->apart);
    free(c->offset);
}
