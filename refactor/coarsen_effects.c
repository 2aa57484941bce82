/* What a kernel's statements read, write and call. */
#include "base/memory.h"
#include "refactor/coarsen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- callees ---- */

/* Functions of a value alone, without the f, l, __ and rounding parts of their names. */
static const char *const pure_names[] = {
    "abs",     "labs",      "llabs",     "fabs",   "sqrt",     "rsqrt",   "cbrt",   "rcbrt",
    "exp",     "exp2",      "exp10",     "expm1",  "log",      "log2",    "log10",  "log1p",
    "pow",     "powi",      "sin",       "cos",    "tan",      "sinpi",   "cospi",  "asin",
    "acos",    "atan",      "atan2",     "sinh",   "cosh",     "tanh",    "asinh",  "acosh",
    "atanh",   "erf",       "erfc",      "erfinv", "tgamma",   "lgamma",  "floor",  "ceil",
    "round",   "rint",      "nearbyint", "trunc",  "lrint",    "lround",  "llrint", "llround",
    "fmod",    "remainder", "fma",       "mad",    "mul24",    "umul24",  "mulhi",  "umulhi",
    "fmin",    "fmax",      "min",       "max",    "umin",     "umax",    "clamp",  "copysign",
    "fdim",    "hypot",     "isnan",     "isinf",  "isfinite", "signbit", "ldg",    "saturate",
    "fdivide", "frcp",      "fsqrt",     "frsqrt", "fadd",     "fsub",    "fmul",   "fdiv",
    "popc",    "popcll",    "clz",       "clzll",  "ffs",      "ffsll",   "brev",   "brevll",
    "sad",     "usad",      "sincos",    "hadd",   "hsub",     "hmul",    "hdiv",   "hfma",
    "hneg",    "habs",      "hmax",      "hmin",   "hgt",      "hlt",     "hge",    "hle",
    "heq",     "hne",       "hadd2",     "hsub2",  "hmul2",    "hfma2",   "ldexp",  "dadd",
    "dmul",    "ddiv",      "drcp",      "dsqrt",  "forward",  "move",    "ilogb"};

static bool known_name(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof pure_names / sizeof *pure_names; ++i)
        if (strlen(pure_names[i]) == length && memcmp(pure_names[i], name, length) == 0)
            return true;
    return false;
}

static bool has_prefix(const char *name, const char *prefix) {
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool is_pure_name(const char *name) {
    static const char *const prefixes[] = {"make_",   "__half",   "__float", "__int2",
                                           "__uint2", "__double", "__short", "__ushort",
                                           "__ll2",   "__ull2",   "__ocml_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i)
        if (has_prefix(name, prefixes[i]))
            return true;
    if (has_prefix(name, "__builtin_"))
        name += strlen("__builtin_");
    while (*name == '_')
        ++name;
    size_t length = strlen(name);
    if (length > 3 &&
        (strcmp(name + length - 3, "_rn") == 0 || strcmp(name + length - 3, "_rz") == 0 ||
         strcmp(name + length - 3, "_ru") == 0 || strcmp(name + length - 3, "_rd") == 0))
        length -= 3;
    return known_name(name, length) ||
           (length > 1 && (name[length - 1] == 'f' || name[length - 1] == 'l') &&
            known_name(name, length - 1));
}

static bool is_commuting_atomic(const char *name) {
    static const char *const names[] = {
        "atomicAdd", "atomicSub", "atomicMin",       "atomicMax",     "atomicAnd",
        "atomicOr",  "atomicXor", "unsafeAtomicAdd", "safeAtomicAdd", "atomicAddNoRet"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

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

/* Does a user's function read or write variables that are neither its own nor constant? */
static bool touches_globals(CXCursor definition) {
    callee_walk walk = {.function = definition};
    ht_ast_walk(definition, visit_callee, &walk);
    return walk.globals;
}

typedef enum callee_kind {
    CALLEE_PURE, /* but for arguments that it may change */
    CALLEE_ATOMIC,
    CALLEE_GLOBALS, /* as pure, but reaches global variables */
    CALLEE_UNKNOWN
} callee_kind;

static callee_kind classify_declaration(CXCursor callee) {
    CXString spelling = clang_getCursorSpelling(callee);
    const char *name = clang_getCString(spelling);
    enum CXCursorKind kind = clang_getCursorKind(callee);
    callee_kind result = CALLEE_UNKNOWN;
    CXCursor definition = clang_getCursorDefinition(callee);
    if (is_system(callee)) {
        bool member = kind == CXCursor_Constructor || kind == CXCursor_ConversionFunction;
        if (is_commuting_atomic(name))
            result = CALLEE_ATOMIC;
        else if (member || has_prefix(name, "operator") || is_pure_name(name))
            result = CALLEE_PURE;
    } else if (!clang_Cursor_isNull(definition)) {
        result = touches_globals(definition) ? CALLEE_GLOBALS : CALLEE_PURE;
    } else if (kind == CXCursor_Constructor) { /* implicit or defaulted */
        result = CALLEE_PURE;
    }
    clang_disposeString(spelling);
    return result;
}

static callee_kind classify(const ht_node *call) {
    CXCursor callee = call->callee;
    if (clang_Cursor_isNull(callee)) /* T(value) of a dependent type */
        return call->unresolved ? CALLEE_UNKNOWN : CALLEE_PURE;
    if (clang_getCursorKind(callee) != CXCursor_OverloadedDeclRef)
        return classify_declaration(callee);
    CXString spelling = clang_getCursorSpelling(callee);
    bool known = is_pure_name(clang_getCString(spelling)) ||
                 has_prefix(clang_getCString(spelling), "operator");
    clang_disposeString(spelling);
    callee_kind worst = CALLEE_PURE;
    unsigned count = clang_getNumOverloadedDecls(callee);
    for (unsigned i = 0; i < count; ++i) {
        callee_kind kind = classify_declaration(clang_getOverloadedDecl(callee, i));
        if (kind > worst && !(kind == CALLEE_UNKNOWN && known))
            worst = kind;
    }
    return count || known ? worst : CALLEE_UNKNOWN;
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

static bool changes_through(CXCursor callee, size_t argument, bool pointers) {
    enum CXCursorKind kind = clang_getCursorKind(callee);
    if (kind == CXCursor_CXXMethod || kind == CXCursor_ConversionFunction) {
        if (argument == 0)
            return !clang_CXXMethod_isConst(callee) && !clang_CXXMethod_isStatic(callee);
        --argument;
    }
    parameter_walk walk = {.wanted = argument};
    clang_visitChildren(callee, visit_parameter, &walk);
    if (!walk.found) /* implicit members take const references */
        return kind != CXCursor_Constructor && kind != CXCursor_CXXMethod;
    CXType type = clang_getCanonicalType(walk.type);
    if (type.kind == CXType_LValueReference)
        return !clang_isConstQualifiedType(clang_getPointeeType(type));
    return pointers && type.kind == CXType_Pointer &&
           !clang_isConstQualifiedType(clang_getPointeeType(type));
}

static bool call_changes(const ht_node *call, size_t argument, bool pointers) {
    CXCursor callee = call->callee;
    if (clang_Cursor_isNull(callee))
        return false;
    if (clang_getCursorKind(callee) != CXCursor_OverloadedDeclRef)
        return changes_through(callee, argument, pointers);
    CXString spelling = clang_getCursorSpelling(callee);
    const char *name = clang_getCString(spelling);
    size_t length = strlen(name);
    bool compound = has_prefix(name, "operator") && length > 9 && name[length - 1] == '=' &&
                    !strchr("=!<>", name[length - 2]);
    bool known = is_pure_name(name) || has_prefix(name, "operator");
    clang_disposeString(spelling);
    if (known)
        return compound && argument == 0;
    unsigned count = clang_getNumOverloadedDecls(callee);
    for (unsigned i = 0; i < count; ++i)
        if (changes_through(clang_getOverloadedDecl(callee, i), argument, pointers))
            return true;
    return count == 0;
}

/* ---- changed variables ---- */

ht_node *ht_lvalue_root(const ht_coarsen *c, ht_node *lvalue) {
    for (;;) {
        lvalue = ht_node_strip(lvalue);
        switch (lvalue->kind) {
        case HT_NODE_NAME:
            return lvalue;
        case HT_NODE_MEMBER:
            if (lvalue->arrow)
                return NULL;
            lvalue = lvalue->children[0];
            break;
        case HT_NODE_SUBSCRIPT: {
            ht_node *base = ht_node_strip(lvalue->children[0]);
            bool array = base->kind == HT_NODE_NAME && c->variables[base->variable].is_array;
            if (!array && base->kind != HT_NODE_SUBSCRIPT && base->kind != HT_NODE_MEMBER)
                return NULL;
            if (base->kind == HT_NODE_MEMBER && !base->is_array)
                return NULL;
            if (base->kind == HT_NODE_SUBSCRIPT && !base->is_array)
                return NULL;
            lvalue = base;
            break;
        }
        default:
            return NULL;
        }
    }
}

typedef struct change_walk {
    ht_coarsen *c;
    void (*visit)(ht_coarsen *c, ht_node *name, ht_node *change, void *context);
    void *context;
} change_walk;

static bool is_reference_binding(const ht_coarsen *c, const ht_node *node) {
    return node->kind == HT_NODE_VARIABLE && node->count &&
           c->variables[node->variable].is_reference;
}

static bool on_change(ht_node *node, void *context) {
    change_walk *walk = context;
    ht_coarsen *c = walk->c;
    ht_node *root = NULL;
    if (node->kind == HT_NODE_ASSIGN || node->kind == HT_NODE_STEP ||
        node->kind == HT_NODE_ADDRESS || is_reference_binding(c, node))
        root = ht_lvalue_root(c, node->children[0]);
    if (root)
        walk->visit(c, root, node, walk->context);
    if (node->kind == HT_NODE_CALL)
        for (size_t i = 0; i < node->count; ++i) {
            ht_node *argument = ht_node_strip(node->children[i]);
            bool pointer = argument->type == HT_TYPE_POINTER;
            if (!call_changes(node, i, pointer))
                continue;
            root = ht_lvalue_root(c, argument);
            if (root && (!pointer || root->is_array || !call_changes(node, i, false)))
                walk->visit(c, root, node, walk->context);
        }
    return true;
}

void ht_node_changes(ht_coarsen *c, ht_node *node,
                     void (*visit)(ht_coarsen *c, ht_node *name, ht_node *change, void *context),
                     void *context) {
    change_walk walk = {c, visit, context};
    ht_node_walk(node, on_change, &walk);
}

/* ---- memory ---- */

typedef struct root_walk {
    ht_coarsen *c;
    ht_access *out;
    bool *visited;
} root_walk;

static void add_roots(root_walk *walk, ht_node *pointer);

static void add_assigned(root_walk *walk, size_t variable) {
    ht_coarsen *c = walk->c;
    for (size_t i = 0; i < c->node_count; ++i) {
        ht_node *node = c->nodes[i];
        if (node->kind == HT_NODE_VARIABLE && node->variable == variable && node->count)
            add_roots(walk, node->children[0]);
        if (node->kind != HT_NODE_ASSIGN)
            continue;
        ht_node *left = ht_node_strip(node->children[0]);
        if (left->kind == HT_NODE_NAME && left->variable == variable &&
            node->op == CXBinaryOperator_Assign)
            add_roots(walk, node->children[1]);
    }
}

/* The parameters, globals and objects whose memory an address may lie in. */
static void add_roots(root_walk *walk, ht_node *pointer) {
    ht_coarsen *c = walk->c;
    ht_node *node = ht_node_strip(pointer);
    switch (node->kind) {
    case HT_NODE_NAME: {
        ht_variable *variable = &c->variables[node->variable];
        bool pointer_local = variable->is_local && !variable->is_array;
        if (!pointer_local)
            walk->out->variables[node->variable] = true;
        else if (!walk->visited[node->variable]) {
            walk->visited[node->variable] = true;
            if (variable->is_reference || !node->type)
                walk->out->unknown = true;
            add_assigned(walk, node->variable);
        }
        return;
    }
    case HT_NODE_BINARY:
        for (size_t i = 0; i < 2; ++i)
            if (ht_node_strip(node->children[i])->type == HT_TYPE_POINTER ||
                node->children[i]->type == HT_TYPE_POINTER)
                add_roots(walk, node->children[i]);
        return;
    case HT_NODE_CONDITIONAL:
        add_roots(walk, node->children[1]);
        add_roots(walk, node->children[2]);
        return;
    case HT_NODE_SUBSCRIPT: /* a row of an array of arrays */
        if (node->is_array)
            add_roots(walk, node->children[0]);
        else
            walk->out->unknown = true;
        return;
    case HT_NODE_MEMBER:
    case HT_NODE_STEP:
    case HT_NODE_ASSIGN:
        add_roots(walk, node->children[0]);
        return;
    case HT_NODE_ADDRESS: {
        ht_node *target = ht_node_strip(node->children[0]);
        if (target->kind == HT_NODE_SUBSCRIPT || target->kind == HT_NODE_DEREFERENCE)
            add_roots(walk, target->children[0]);
        else
            add_roots(walk, target);
        return;
    }
    case HT_NODE_CONSTANT:
        return;
    default:
        walk->out->unknown = true;
    }
}

static void access_memory(ht_coarsen *c, ht_node *pointer, ht_access *out) {
    root_walk walk = {c, out, ht_alloc(c->variable_count, sizeof(bool))};
    add_roots(&walk, pointer);
    free(walk.visited);
}

/* Is this address one in the thread's own variables? */
static bool is_private(ht_coarsen *c, ht_node *pointer) {
    ht_access access = {.variables = ht_alloc(c->variable_count, sizeof(bool))};
    access_memory(c, pointer, &access);
    bool own = !access.unknown;
    for (size_t i = 0; i < c->variable_count; ++i)
        own = own && !(access.variables[i] && !c->variables[i].is_local);
    free(access.variables);
    return own;
}

/* The pointer through which this expression reaches memory; NULL when it does not. */
static ht_node *memory_pointer(ht_coarsen *c, ht_node *node) {
    ht_node *pointer = NULL;
    if (node->kind == HT_NODE_SUBSCRIPT || node->kind == HT_NODE_DEREFERENCE)
        pointer = node->children[0];
    else if (node->kind == HT_NODE_MEMBER && node->arrow)
        pointer = node->children[0];
    return pointer && !is_private(c, pointer) ? pointer : NULL;
}

/* The memory that a store through this lvalue goes to, as a pointer expression. */
static ht_node *stored_pointer(ht_coarsen *c, ht_node *lvalue) {
    for (;;) {
        lvalue = ht_node_strip(lvalue);
        if (lvalue->kind == HT_NODE_MEMBER && !lvalue->arrow)
            lvalue = lvalue->children[0];
        else if (lvalue->kind == HT_NODE_SUBSCRIPT &&
                 ht_node_strip(lvalue->children[0])->kind == HT_NODE_SUBSCRIPT &&
                 ht_node_strip(lvalue->children[0])->is_array)
            lvalue = lvalue->children[0];
        else
            return memory_pointer(c, lvalue);
    }
}

typedef struct effect_walk {
    ht_coarsen *c;
    ht_effects *effects;
} effect_walk;

static void note_write(effect_walk *walk, ht_node *pointer, const ht_node *at) {
    access_memory(walk->c, pointer, &walk->effects->writes);
    if (!walk->effects->first_write)
        walk->effects->first_write = at;
}

static void write_lvalue(effect_walk *walk, ht_node *lvalue, const ht_node *at) {
    ht_node *stripped = ht_node_strip(lvalue);
    ht_node *pointer = stored_pointer(walk->c, stripped);
    if (pointer) {
        note_write(walk, pointer, at);
    } else if (!ht_lvalue_root(walk->c, stripped)) {
        bool local =
            (stripped->kind == HT_NODE_SUBSCRIPT || stripped->kind == HT_NODE_DEREFERENCE) &&
            is_private(walk->c, stripped->children[0]);
        if (!local) {
            walk->effects->writes.unknown = true;
            if (!walk->effects->first_write)
                walk->effects->first_write = at;
        }
    } else {
        ht_node *root = ht_lvalue_root(walk->c, stripped);
        const ht_variable *variable = &walk->c->variables[root->variable];
        if (!variable->is_local && !variable->is_parameter) { /* a __device__ variable */
            walk->effects->writes.variables[root->variable] = true;
            if (!walk->effects->first_write)
                walk->effects->first_write = at;
        }
    }
}

static void on_call(effect_walk *walk, ht_node *node) {
    for (size_t i = 0; i < node->count; ++i) {
        ht_node *argument = ht_node_strip(node->children[i]);
        if (argument->type == HT_TYPE_POINTER && !is_private(walk->c, argument)) {
            access_memory(walk->c, argument, &walk->effects->reads);
            if (call_changes(node, i, true))
                note_write(walk, argument, node);
        } else if (call_changes(node, i, false)) {
            write_lvalue(walk, argument, node);
        }
    }
}

/* Is `node` only written (the target of a plain assignment) or only named (an address)? */
static bool is_not_read(const ht_node *node) {
    const ht_node *child = node, *parent = node->parent;
    while (
        parent &&
        (parent->kind == HT_NODE_PAREN || (parent->kind == HT_NODE_MEMBER && !parent->arrow) ||
         (parent->kind == HT_NODE_SUBSCRIPT && child->is_array && parent->children[0] == child) ||
         (parent->kind == HT_NODE_CAST && child->is_array))) {
        child = parent;
        parent = parent->parent;
    }
    return parent && ((parent->kind == HT_NODE_ASSIGN && parent->children[0] == child &&
                       parent->op == CXBinaryOperator_Assign) ||
                      parent->kind == HT_NODE_ADDRESS);
}

static bool on_effect(ht_node *node, void *context) {
    effect_walk *walk = context;
    ht_coarsen *c = walk->c;
    ht_node *pointer = memory_pointer(c, node);
    if (pointer && !is_not_read(node))
        access_memory(c, pointer, &walk->effects->reads);
    if (node->kind == HT_NODE_ASSIGN || node->kind == HT_NODE_STEP)
        write_lvalue(walk, node->children[0], node);
    if (node->kind == HT_NODE_NAME && !is_not_read(node) &&
        !c->variables[node->variable].is_local && !c->variables[node->variable].is_parameter)
        walk->effects->reads.variables[node->variable] = true;
    if (node->kind == HT_NODE_CALL)
        on_call(walk, node);
    if (node->kind == HT_NODE_CALL && classify(node) == CALLEE_GLOBALS) {
        walk->effects->reads.unknown = walk->effects->writes.unknown = true;
        if (!walk->effects->first_write)
            walk->effects->first_write = node;
    }
    return true;
}

void ht_effects_collect(ht_coarsen *c, ht_node *node, ht_effects *out_effects) {
    *out_effects = (ht_effects){0};
    out_effects->reads.variables = ht_alloc(c->variable_count + 1, sizeof(bool));
    out_effects->writes.variables = ht_alloc(c->variable_count + 1, sizeof(bool));
    effect_walk walk = {c, out_effects};
    ht_node_walk(node, on_effect, &walk);
}

void ht_effects_free(ht_effects *effects) {
    free(effects->reads.variables);
    free(effects->writes.variables);
    *effects = (ht_effects){0};
}

static void on_any_change(ht_coarsen *c, ht_node *name, ht_node *change, void *context) {
    (void)c;
    (void)name;
    (void)change;
    *(bool *)context = true;
}

bool ht_node_has_change(ht_coarsen *c, ht_node *node) {
    bool found = false;
    ht_node_changes(c, node, on_any_change, &found);
    return found || ht_node_has_effect(c, node);
}

bool ht_node_has_effect(ht_coarsen *c, ht_node *node) {
    ht_effects effects;
    ht_effects_collect(c, node, &effects);
    bool found = effects.first_write != NULL;
    ht_effects_free(&effects);
    return found;
}

/* ---- checks ---- */

static bool is_used(const ht_node *node) {
    const ht_node *parent = node->parent;
    while (parent && (parent->kind == HT_NODE_PAREN || parent->kind == HT_NODE_CAST))
        parent = parent->parent;
    return parent && parent->kind > HT_NODE_EMPTY;
}

/* Refuses calls of functions that could do anything. */
void ht_coarsen_check_calls(ht_coarsen *c) {
    for (size_t i = 0; i < c->node_count && !c->refused; ++i) {
        const ht_node *node = c->nodes[i];
        if (node->kind != HT_NODE_CALL)
            continue;
        CXString spelling = clang_getCursorSpelling(
            clang_Cursor_isNull(node->callee) ? node->cursor : node->callee);
        const char *name = clang_getCString(spelling);
        callee_kind kind = classify(node);
        if (kind == CALLEE_UNKNOWN)
            ht_coarsen_refuse(c, node->cursor, "a call of `%s`, whose effects are not known",
                              name && *name ? name : "a function");
        if (kind == CALLEE_ATOMIC && is_used(node))
            ht_coarsen_refuse(c, node->cursor,
                              "the result of `%s` is used, so the order of threads shows", name);
        if (kind == CALLEE_ATOMIC)
            c->atomic = node;
        clang_disposeString(spelling);
    }
}

/* ---- side by side? ---- */

void ht_coarsen_set_reason(ht_coarsen *c, CXCursor place, const char *format, ...) {
    if (c->apart_reason)
        return;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&c->apart_reason, format, arguments) < 0)
        c->apart_reason = ht_strdup("out of memory");
    va_end(arguments);
    c->apart_place = place;
}

/* Two statements that one macro makes, or a body that comes out of the macro of its loop, cannot be
 * told apart. */
static void check_tangled(ht_coarsen *c) {
    for (size_t i = 0; i < c->node_count; ++i) {
        const ht_node *node = c->nodes[i];
        size_t end = node->range.begin;
        for (size_t k = 0; k < node->count; ++k) {
            const ht_node *child = node->children[k];
            bool statement =
                child && (child->kind <= HT_NODE_EMPTY || node->kind == HT_NODE_COMPOUND);
            if (statement && node->kind <= HT_NODE_EMPTY && child->range.begin < end)
                ht_coarsen_set_reason(c, child->cursor, "a macro makes several statements");
            if (statement)
                end = child->range.end;
        }
        if (ht_node_is_loop(node) && node->kind != HT_NODE_DO &&
            node->children[node->count - 1]->range.begin <= node->range.begin)
            ht_coarsen_set_reason(c, node->cursor, "a macro makes a whole loop");
    }
}

static void check_local_pointers(ht_coarsen *c) {
    for (size_t i = 0; i < c->node_count; ++i) {
        ht_node *node = c->nodes[i];
        if (node->kind == HT_NODE_VARIABLE && c->variables[node->variable].is_reference)
            ht_coarsen_set_reason(c, node->cursor, "a reference is bound here");
        if (node->kind == HT_NODE_ADDRESS) {
            ht_node *root = ht_lvalue_root(c, node->children[0]);
            if (root && c->variables[root->variable].is_local)
                ht_coarsen_set_reason(c, node->cursor, "the address of a variable is taken");
        }
        bool pointer = node->kind == HT_NODE_NAME && node->type == HT_TYPE_POINTER &&
                       c->variables[node->variable].is_local &&
                       !c->variables[node->variable].is_array;
        if (pointer) {
            ht_access access = {.variables = ht_alloc(c->variable_count + 1, sizeof(bool))};
            access_memory(c, node, &access);
            for (size_t v = 0; v < c->variable_count; ++v)
                if (access.variables[v] && c->variables[v].is_local)
                    ht_coarsen_set_reason(c, node->cursor, "a pointer into a local array is used");
            free(access.variables);
        }
    }
}

void ht_coarsen_check_jam(ht_coarsen *c) {
    check_tangled(c);
    check_local_pointers(c);
    if (c->atomic)
        ht_coarsen_set_reason(c, c->atomic->cursor, "there is an atomic operation");
    ht_effects effects;
    ht_effects_collect(c, c->body, &effects);
    CXCursor place = effects.first_write ? effects.first_write->cursor : c->model->kernel;
    for (size_t i = 0; i < c->variable_count; ++i) {
        if (effects.reads.variables[i] && effects.writes.variables[i])
            ht_coarsen_set_reason(c, place, "`%s` is both read and written", c->variables[i].name);
    }
    if (effects.writes.unknown || (effects.reads.unknown && effects.first_write))
        ht_coarsen_set_reason(c, place,
                              "it is not known which memory is read and which is written");
    ht_effects_free(&effects);
}
