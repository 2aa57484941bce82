/* What calls may do: which functions are pure, atomic or unknown, and which arguments they change.
 */
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/transformations/coarsen/coarsen.h"

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

static bool is_pure_name(const char *name) {
    static const char *const prefixes[] = {"make_",   "__half",   "__float", "__int2",
                                           "__uint2", "__double", "__short", "__ushort",
                                           "__ll2",   "__ull2",   "__ocml_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i)
        if (ht_text_begins(name, prefixes[i]))
            return true;
    if (ht_text_begins(name, "__builtin_"))
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
        else if (member || ht_text_begins(name, "operator") || is_pure_name(name))
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
                 ht_text_begins(clang_getCString(spelling), "operator");
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

bool ht_call_changes(const ht_node *call, size_t argument, bool pointers) {
    CXCursor callee = call->callee;
    if (clang_Cursor_isNull(callee))
        return false;
    if (clang_getCursorKind(callee) != CXCursor_OverloadedDeclRef)
        return changes_through(callee, argument, pointers);
    CXString spelling = clang_getCursorSpelling(callee);
    const char *name = clang_getCString(spelling);
    size_t length = strlen(name);
    bool compound = ht_text_begins(name, "operator") && length > 9 && name[length - 1] == '=' &&
                    !strchr("=!<>", name[length - 2]);
    bool known = is_pure_name(name) || ht_text_begins(name, "operator");
    clang_disposeString(spelling);
    if (known)
        return compound && argument == 0;
    unsigned count = clang_getNumOverloadedDecls(callee);
    for (unsigned i = 0; i < count; ++i)
        if (changes_through(clang_getOverloadedDecl(callee, i), argument, pointers))
            return true;
    return count == 0;
}

bool ht_call_touches_globals(const ht_node *call) {
    return classify(call) == CALLEE_GLOBALS;
}

/* ---- checks ---- */

static bool is_used(const ht_node *node) {
    const ht_node *parent = node->parent;
    while (parent && (parent->kind == HT_NODE_PAREN || parent->kind == HT_NODE_CAST))
        parent = parent->parent;
    return parent && parent->kind > HT_NODE_EMPTY;
}

bool ht_node_is_barrier(const ht_node *node) {
    return node->kind == HT_NODE_CALL && !node->count && !clang_Cursor_isNull(node->callee) &&
           ht_ast_is_barrier(node->callee);
}

/* Refuses calls of functions that could do anything. */
void ht_coarsen_check_calls(ht_coarsen *c) {
    for (size_t i = 0; i < c->node_count && !c->refused; ++i) {
        const ht_node *node = c->nodes[i];
        if (node->kind != HT_NODE_CALL || (c->meets && ht_node_is_barrier(node)))
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
