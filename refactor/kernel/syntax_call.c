#include "refactor/kernel/syntax_call.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/groups.h"
#include "refactor/kernel/reach.h"
#include "refactor/kernel/syntax_build.h"

#include <stdlib.h>
#include <string.h>

/* ---- operators ---- */

/* Returns true if `child` of a call is the function's name, not an argument. *out_member is the
 * object's cursor for methods, else null. */
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

/* The operators of templates: on dependent types they are calls of `operator+` and its like, and
 * are taken to mean what they mean for pointers and numbers. */
typedef struct spelled_operator {
    const char *name;
    ht_syntax_kind kind;
    int op;
} spelled_operator;

static const spelled_operator binary_operators[] = {
    {"+", HT_SYNTAX_BINARY, HT_BINARY_ADD},         {"-", HT_SYNTAX_BINARY, HT_BINARY_SUB},
    {"*", HT_SYNTAX_BINARY, HT_BINARY_MUL},         {"/", HT_SYNTAX_BINARY, HT_BINARY_DIV},
    {"%", HT_SYNTAX_BINARY, HT_BINARY_REM},         {"<", HT_SYNTAX_BINARY, HT_BINARY_LT},
    {">", HT_SYNTAX_BINARY, HT_BINARY_GT},          {"<=", HT_SYNTAX_BINARY, HT_BINARY_LE},
    {">=", HT_SYNTAX_BINARY, HT_BINARY_GE},         {"==", HT_SYNTAX_BINARY, HT_BINARY_EQ},
    {"!=", HT_SYNTAX_BINARY, HT_BINARY_NE},         {"&", HT_SYNTAX_BINARY, HT_BINARY_BIT_AND},
    {"|", HT_SYNTAX_BINARY, HT_BINARY_BIT_OR},      {"^", HT_SYNTAX_BINARY, HT_BINARY_BIT_XOR},
    {"<<", HT_SYNTAX_BINARY, HT_BINARY_SHL},        {">>", HT_SYNTAX_BINARY, HT_BINARY_SHR},
    {"&&", HT_SYNTAX_BINARY, HT_BINARY_AND},        {"||", HT_SYNTAX_BINARY, HT_BINARY_OR},
    {"=", HT_SYNTAX_ASSIGN, HT_BINARY_ASSIGN},      {"+=", HT_SYNTAX_ASSIGN, HT_BINARY_ADD_ASSIGN},
    {"-=", HT_SYNTAX_ASSIGN, HT_BINARY_SUB_ASSIGN}, {"*=", HT_SYNTAX_ASSIGN, HT_BINARY_MUL_ASSIGN},
    {"/=", HT_SYNTAX_ASSIGN, HT_BINARY_DIV_ASSIGN}, {NULL, HT_SYNTAX_EMPTY, 0}};

static const spelled_operator unary_operators[] = {
    {"-", HT_SYNTAX_UNARY, HT_UNARY_MINUS},
    {"+", HT_SYNTAX_UNARY, HT_UNARY_PLUS},
    {"!", HT_SYNTAX_UNARY, HT_UNARY_NOT},
    {"~", HT_SYNTAX_UNARY, HT_UNARY_BIT_NOT},
    {"*", HT_SYNTAX_DEREFERENCE, HT_UNARY_DEREFERENCE},
    {"&", HT_SYNTAX_ADDRESS, HT_UNARY_ADDRESS},
    {"++", HT_SYNTAX_STEP, HT_UNARY_PRE_INC},
    {"--", HT_SYNTAX_STEP, HT_UNARY_PRE_DEC},
    {NULL, HT_SYNTAX_EMPTY, 0}};

/* Returns true if a user wrote this assignment operator with a body, which could do anything. */
static bool is_user_operator(CXCursor callee) {
    return !clang_Location_isInSystemHeader(clang_getCursorLocation(callee)) &&
           !clang_CXXMethod_isDefaulted(callee) &&
           !clang_Cursor_isNull(clang_getCursorDefinition(callee));
}

static void resolve_operator(const ht_syntax_builder *b, ht_syntax *node, CXCursor callee) {
    enum CXCursorKind kind = clang_getCursorKind(callee);
    bool index = b->whole && kind == CXCursor_FunctionDecl && node->count == 2 &&
                 (node->type == HT_TYPE_INTEGER ||
                  node->type == HT_TYPE_BOOL); /* an operator of HIP's headers */
    bool unknown = kind == CXCursor_OverloadedDeclRef || index;
    bool member = kind == CXCursor_CXXMethod && !is_user_operator(callee);
    if ((!unknown && !member) || (node->count != 1 && node->count != 2))
        return;
    CXString spelling = clang_getCursorSpelling(callee);
    const char *name = clang_getCString(spelling);
    const spelled_operator *found = node->count == 1 ? unary_operators : binary_operators;
    if (strncmp(name, "operator", 8) == 0) {
        while (found->name && strcmp(found->name, name + 8) != 0)
            ++found;
        if (found->name && (unknown || found->kind == HT_SYNTAX_ASSIGN)) {
            node->kind = found->kind;
            node->op = found->op;
            bool offset = found->op == HT_BINARY_ADD || found->op == HT_BINARY_SUB;
            if (found->kind == HT_SYNTAX_ADDRESS || (node->count == 2 && offset &&
                                                     (node->children[0]->type == HT_TYPE_POINTER ||
                                                      node->children[1]->type == HT_TYPE_POINTER)))
                node->type = HT_TYPE_POINTER;
        }
    }
    clang_disposeString(spelling);
}

/* ---- callees ---- */

static bool is_system(CXCursor declaration) {
    CXSourceLocation place = clang_getCursorLocation(declaration);
    CXFile file;
    clang_getExpansionLocation(place, &file, NULL, NULL, NULL);
    return !file || clang_Location_isInSystemHeader(place);
}

typedef struct callee_walk {
    CXCursor function;
    bool globals;
    int depth;
} callee_walk;

static bool visit_callee(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    callee_walk *walk = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CXCursor target = clang_getCursorReferenced(cursor);
    if (kind == CXCursor_DeclRefExpr && clang_getCursorKind(target) == CXCursor_VarDecl) {
        enum CXCursorKind scope = clang_getCursorKind(clang_getCursorSemanticParent(target));
        bool local = scope == CXCursor_FunctionDecl || scope == CXCursor_FunctionTemplate ||
                     scope == CXCursor_CXXMethod || scope == CXCursor_Constructor;
        if (!local && !is_system(target) &&
            !clang_isConstQualifiedType(clang_getCursorType(target)))
            walk->globals = true;
        if (local && clang_Cursor_getStorageClass(target) == CX_SC_Static)
            walk->globals = true;
    }
    if (kind == CXCursor_CallExpr && walk->depth < 16 && !clang_Cursor_isNull(target) &&
        !is_system(target)) {
        CXCursor definition = clang_getCursorDefinition(target);
        if (!clang_Cursor_isNull(definition) && !clang_equalCursors(definition, walk->function)) {
            callee_walk inner = {.function = definition, .depth = walk->depth + 1};
            ht_ast_walk(definition, visit_callee, &inner);
            walk->globals |= inner.globals;
        }
    }
    return true;
}

/* Returns true if a user's function reads or writes variables that are neither its own nor
 * constant. */
static bool touches_globals(CXCursor definition) {
    callee_walk walk = {.function = definition};
    ht_ast_walk(definition, visit_callee, &walk);
    return walk.globals;
}

static ht_call_effect effect_of_declaration(CXCursor callee) {
    char *name = ht_cursor_name(callee);
    enum CXCursorKind kind = clang_getCursorKind(callee);
    ht_call_effect effect = HT_CALL_UNKNOWN;
    CXCursor definition = clang_getCursorDefinition(callee);
    if (is_system(callee)) {
        bool member = kind == CXCursor_Constructor || kind == CXCursor_ConversionFunction;
        if (ht_callee_commutes(name))
            effect = HT_CALL_ATOMIC;
        else if (member || ht_text_begins(name, "operator") || ht_callee_is_pure(name))
            effect = HT_CALL_PURE;
    } else if (!clang_Cursor_isNull(definition)) {
        effect = touches_globals(definition) ? HT_CALL_GLOBALS : HT_CALL_PURE;
    } else if (kind == CXCursor_Constructor) { /* implicit or defaulted */
        effect = HT_CALL_PURE;
    }
    free(name);
    return effect;
}

static ht_call_effect effect_of(CXCursor callee, const char *name) {
    if (clang_getCursorKind(callee) != CXCursor_OverloadedDeclRef)
        return effect_of_declaration(callee);
    bool known = ht_callee_is_pure(name) || ht_text_begins(name, "operator");
    ht_call_effect worst = HT_CALL_PURE;
    unsigned count = clang_getNumOverloadedDecls(callee);
    for (unsigned i = 0; i < count; ++i) {
        ht_call_effect effect = effect_of_declaration(clang_getOverloadedDecl(callee, i));
        if (effect > worst && !(effect == HT_CALL_UNKNOWN && known))
            worst = effect;
    }
    return count || known ? worst : HT_CALL_UNKNOWN;
}

/* ---- arguments that a call may change ---- */

typedef struct parameter_walk {
    size_t wanted, seen;
    CXType type;
    bool found;
} parameter_walk;

static enum CXChildVisitResult visit_parameter(CXCursor cursor, CXCursor parent,
                                               CXClientData data) {
    (void)parent;
    parameter_walk *walk = data;
    if (clang_getCursorKind(cursor) != CXCursor_ParmDecl)
        return CXChildVisit_Continue;
    if (walk->seen++ == walk->wanted) {
        walk->type = clang_getCursorType(cursor);
        walk->found = true;
        return CXChildVisit_Break;
    }
    return CXChildVisit_Continue;
}

/* Returns 1 if a call may change the argument, which it takes by reference; 5 if its type is not
 * known; 2 if it may change what the argument points to; else 0. `object`: the first argument is
 * the object of a method, which may be a static one. */
static int changes_through(CXCursor callee, size_t argument, bool object) {
    enum CXCursorKind kind = clang_getCursorKind(callee);
    if (kind == CXCursor_FunctionTemplate)
        kind = clang_getTemplateCursorKind(callee);
    if (object && (kind == CXCursor_CXXMethod || kind == CXCursor_ConversionFunction)) {
        if (argument == 0)
            return !clang_CXXMethod_isStatic(callee) && !clang_CXXMethod_isConst(callee);
        --argument;
    }
    parameter_walk walk = {.wanted = argument};
    clang_visitChildren(callee, visit_parameter, &walk);
    if (!walk.found) /* implicit members take const references */
        return kind != CXCursor_Constructor && kind != CXCursor_CXXMethod ? 5 : 0;
    CXType type = clang_getCanonicalType(walk.type);
    switch (type.kind) {
    case CXType_LValueReference:
    case CXType_RValueReference: /* a template's may be of any value */
        return !clang_isConstQualifiedType(clang_getPointeeType(type));
    case CXType_Pointer:
        return clang_isConstQualifiedType(clang_getPointeeType(type)) ? 0 : 2;
    case CXType_ConstantArray: /* float p[4] is a pointer */
    case CXType_IncompleteArray:
    case CXType_VariableArray:
    case CXType_DependentSizedArray:
        return clang_isConstQualifiedType(clang_getArrayElementType(type)) ? 0 : 2;
    case CXType_Unexposed: /* a template's argument, which may be a pointer */
        return 2;
    default:
        return 0;
    }
}

/* `has_object`: it is written ahead of the method's name. */
static int changes(CXCursor callee, const char *name, size_t argument, bool has_object) {
    bool operates = ht_text_begins(name, "operator");
    bool object = has_object || operates;
    if (clang_Cursor_isNull(callee))
        return 0;
    if (clang_getCursorKind(callee) != CXCursor_OverloadedDeclRef)
        return changes_through(callee, argument, object);
    size_t length = strlen(name);
    bool compound =
        operates && length > 9 && name[length - 1] == '=' && !strchr("=!<>", name[length - 2]);
    bool known = operates || ht_callee_is_pure(name); /* but for a user's of the same name */
    unsigned count = clang_getNumOverloadedDecls(callee);
    int worst = known ? compound && argument == 0 : count == 0;
    for (unsigned i = 0; i < count; ++i)
        if (!known || !is_system(clang_getOverloadedDecl(callee, i)))
            worst |= changes_through(clang_getOverloadedDecl(callee, i), argument, object);
    return worst;
}

static bool is_of_user(CXCursor callee) {
    if (clang_getCursorKind(callee) != CXCursor_OverloadedDeclRef)
        return !is_system(callee);
    bool user = false;
    for (unsigned i = 0; i < clang_getNumOverloadedDecls(callee); ++i)
        user = user || !is_system(clang_getOverloadedDecl(callee, i));
    return user;
}

/* Finds which function a call runs. */
static void set_function(const ht_syntax_builder *b, CXCursor callee, ht_syntax_call *call) {
    const ht_kernel_facts *facts = b->tree.model->facts;
    call->function = SIZE_MAX;
    if (clang_getCursorKind(callee) == CXCursor_OverloadedDeclRef) {
        call->is_open = clang_getNumOverloadedDecls(callee) != 1;
        callee = call->is_open ? clang_getNullCursor() : clang_getOverloadedDecl(callee, 0);
    }
    if (clang_Cursor_isNull(callee))
        return;
    size_t file;
    ht_range range;
    enum CXCursorKind kind = clang_getCursorKind(callee);
    CXCursor definition = ht_function_definition(callee);
    call->makes_value = kind == CXCursor_Constructor;
    call->is_method = kind == CXCursor_CXXMethod && !clang_CXXMethod_isStatic(callee);
    call->is_defined = !clang_Cursor_isNull(definition) &&
                       ht_source_range(facts->source, definition, &file, &range);
    for (size_t i = 0; i < facts->reached.count; ++i)
        if (clang_equalCursors(facts->reached.functions[i], definition))
            call->function = i;
}

/* The function that a call names. */
typedef struct callee_name {
    CXCursor function; /* null: not known */
    CXCursor written;  /* the name with a template's arguments; null: of a method */
    bool found, unresolved, has_object;
} callee_name;

static ht_syntax_call *call_facts(const ht_syntax_builder *b, const ht_syntax *node,
                                  CXCursor cursor, CXCursor callee, const callee_name *of) {
    ht_syntax_call *call = ht_alloc(1, sizeof *call + node->count);
    bool known = !clang_Cursor_isNull(callee);
    call->name = ht_group_is_barrier(cursor) ? ht_strdup("__syncthreads")
                                             : ht_cursor_name(known ? callee : cursor);
    call->class = ht_callee_class_of(call->name);
    call->effect = known            ? effect_of(callee, call->name)
                   : of->unresolved ? HT_CALL_UNKNOWN
                                    : HT_CALL_PURE; /* T(value) of a dependent type */
    call->of_user = known && is_of_user(callee);
    call->is_barrier = known && !node->count && call->class == HT_CALLEE_BARRIER;
    for (size_t i = 0; i < node->count; ++i)
        call->changes[i] = (unsigned char)changes(callee, call->name, i, of->has_object);
    set_function(b, callee, call);
    return call;
}

/* ---- building ---- */

static bool is_argument(CXCursor call, CXCursor child) {
    int count = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < count; ++i)
        if (clang_equalCursors(child, clang_Cursor_getArgument(call, (unsigned)i)))
            return true;
    return false;
}

/* Returns true if a child of a call is the function's name; adds the object of a method. */
static bool take_callee(ht_syntax_builder *b, ht_syntax *node, CXCursor cursor, CXCursor child,
                        callee_name *of) {
    CXCursor member;
    bool named = is_callee(child, &member);
    if (!named && !node->count && clang_Cursor_isNull(of->function)) { /* of a template's type */
        member = ht_ast_strip(child, false);
        if (clang_getCursorKind(member) != CXCursor_MemberRefExpr || is_argument(cursor, child))
            return false;
    } else if (!named)
        return false;
    of->found = true;
    if (named && clang_Cursor_isNull(of->function))
        of->function = overloaded_name(child);
    of->unresolved = named && clang_Cursor_isNull(of->function);
    CXCursor object = clang_Cursor_isNull(member) ? member : ht_ast_child(member, 0);
    of->has_object = !clang_Cursor_isNull(object);
    if (of->has_object)
        ht_syntax_add_child(node, ht_syntax_build(b, node, object));
    if (clang_Cursor_isNull(member))
        of->written = ht_ast_strip(child, false);
    return true;
}

ht_syntax *ht_syntax_build_call(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    ht_syntax *node = ht_syntax_add(b, parent, cursor, HT_SYNTAX_CALL);
    ht_cursors list = ht_ast_children(cursor);
    callee_name of = {.function = clang_getCursorReferenced(cursor),
                      .written = clang_getNullCursor()};
    for (size_t i = 0; i < list.count; ++i)
        if (clang_isExpression(clang_getCursorKind(list.items[i])) &&
            (of.found || !take_callee(b, node, cursor, list.items[i], &of)))
            ht_syntax_add_child(node, ht_syntax_build(b, node, list.items[i]));
    bool of_type = list.count && clang_isReference(clang_getCursorKind(list.items[0])) &&
                   clang_getCursorKind(list.items[0]) != CXCursor_OverloadedDeclRef;
    free(list.items);
    resolve_operator(b, node, of.function);
    if (node->kind != HT_SYNTAX_CALL)
        return node;
    if (ht_group_is_barrier(cursor)) { /* as if it were __syncthreads() */
        node->count = 0;
        of.has_object = false;
    }
    node->op = (int)node->count;
    if (b->whole && !clang_Cursor_isNull(of.written))
        ht_syntax_add_below(b, node, of.written);
    ht_syntax_call *call = call_facts(b, node, cursor, of.function, &of);
    call->has_object = of.has_object;
    call->makes_value |= of_type && !call->name[0];
    node->call = call;
    return node;
}
