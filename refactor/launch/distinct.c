#include "refactor/launch/distinct.h"
#include "refactor/launch/launch.h"
#include "refactor/source/ast.h"
#include "refactor/source/variable.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8 };

static bool is_allocation(CXCursor call) {
    static const char *const names[] = {
        "hipMalloc",       "hipMallocManaged",      "hipMallocAsync",  "hipHostMalloc",
        "hipMallocPitch",  "hipExtMallocWithFlags", "cudaMalloc",      "cudaMallocManaged",
        "cudaMallocAsync", "cudaMallocHost",        "cudaMallocPitch", "hipMallocFromPoolAsync"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (ht_cursor_named(call, names[i]))
            return true;
    return false;
}

static bool is_address_of(CXCursor expression, CXCursor variable) {
    CXCursor inner = expression;
    for (int i = 0; i < DEPTH_MAX; ++i) {
        inner = ht_ast_strip(inner, true);
        enum CXCursorKind kind = clang_getCursorKind(inner);
        if (kind == CXCursor_UnaryOperator &&
            clang_getCursorUnaryOperatorKind(inner) == CXUnaryOperator_AddrOf)
            return clang_equalCursors(ht_ast_variable(ht_ast_child(inner, 0)), variable);
        if (kind != CXCursor_CStyleCastExpr && kind != CXCursor_CXXReinterpretCastExpr)
            return false;
        ht_cursors list = ht_ast_children(inner);
        inner = list.count ? list.items[list.count - 1] : clang_getNullCursor();
        free(list.items);
    }
    return false;
}

typedef struct fresh_walk {
    CXCursor variable;
    CXCursor partners[DEPTH_MAX]; /* variables that it is swapped with */
    int partner_count;
    int allocations, addresses, swaps, direct;
    bool bad;
} fresh_walk;

static void note_swap(fresh_walk *walk, CXCursor call) {
    CXCursor first = ht_ast_variable(clang_Cursor_getArgument(call, 0));
    CXCursor second = ht_ast_variable(clang_Cursor_getArgument(call, 1));
    bool is_first = clang_equalCursors(first, walk->variable);
    bool is_second = clang_equalCursors(second, walk->variable);
    if (!is_first && !is_second)
        return;
    if (is_first == is_second || walk->partner_count == DEPTH_MAX) {
        walk->bad = true;
        return;
    }
    walk->partners[walk->partner_count++] = is_first ? second : first;
    ++walk->swaps;
}

static bool on_host(CXCursor cursor, CXCursor parent, void *context) {
    fresh_walk *walk = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_LambdaExpr)
        walk->bad = true; /* the lambda could change the variable at any time */
    if (kind == CXCursor_CallExpr && is_allocation(cursor) &&
        clang_Cursor_getNumArguments(cursor) > 0 &&
        is_address_of(clang_Cursor_getArgument(cursor, 0), walk->variable))
        ++walk->allocations;
    if (kind == CXCursor_CallExpr && ht_cursor_named(cursor, "swap") &&
        clang_Cursor_getNumArguments(cursor) == 2)
        note_swap(walk, cursor);
    if (kind != CXCursor_DeclRefExpr ||
        !clang_equalCursors(clang_getCursorReferenced(cursor), walk->variable))
        return true;
    enum CXCursorKind around = clang_getCursorKind(parent);
    if (around == CXCursor_UnaryOperator &&
        clang_getCursorUnaryOperatorKind(parent) == CXUnaryOperator_AddrOf)
        ++walk->addresses;
    else if (around == CXCursor_CallExpr)
        ++walk->direct; /* bound to a reference */
    else if (around != CXCursor_UnexposedExpr)
        walk->bad = true;
    return true;
}

/* Returns true if every value of the variable comes from an allocation of its own. `seen`:
 * variables for which this is being decided. */
static bool is_fresh(CXCursor function, CXCursor variable, CXCursor *seen, int depth) {
    for (int i = 0; i < depth; ++i)
        if (clang_equalCursors(seen[i], variable))
            return true;
    if (depth == DEPTH_MAX || clang_getCursorKind(variable) != CXCursor_VarDecl ||
        !clang_equalCursors(clang_getCursorSemanticParent(variable), function) ||
        clang_Cursor_getStorageClass(variable) == CX_SC_Static)
        return false;
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(variable);
    int64_t zero = 0;
    if (!clang_Cursor_isNull(initializer)) {
        CXCursor plain = ht_ast_strip(initializer, true);
        enum CXCursorKind kind = clang_getCursorKind(plain);
        bool null = kind == CXCursor_CXXNullPtrLiteralExpr || kind == CXCursor_GNUNullExpr ||
                    (ht_ast_constant(plain, &zero) && zero == 0);
        if (!null)
            return false;
    }
    fresh_walk walk = {.variable = variable};
    ht_ast_walk(function, on_host, &walk);
    if (walk.bad || walk.allocations == 0 || walk.addresses != walk.allocations ||
        walk.direct != walk.swaps)
        return false;
    seen[depth] = variable;
    for (int i = 0; i < walk.partner_count; ++i)
        if (!is_fresh(function, walk.partners[i], seen, depth + 1))
            return false;
    return true;
}

/* Returns the variable that an address is computed from: p for p, p + n and &p[n], also through
 * locals that only copy one; null cursor: it is another expression. */
static CXCursor root_of(CXCursor function, CXCursor expression, int depth) {
    CXCursor inner = ht_ast_strip(expression, true), left, right;
    enum CXBinaryOperatorKind kind;
    if (depth > DEPTH_MAX)
        return clang_getNullCursor();
    if (clang_getCursorKind(inner) == CXCursor_CStyleCastExpr ||
        clang_getCursorKind(inner) == CXCursor_CXXReinterpretCastExpr) {
        ht_cursors list = ht_ast_children(inner);
        CXCursor last = list.count ? list.items[list.count - 1] : clang_getNullCursor();
        free(list.items);
        return root_of(function, last, depth + 1);
    }
    CXCursor variable = ht_ast_variable(inner);
    if (!clang_Cursor_isNull(variable)) {
        CXCursor initializer = ht_ast_initializer(variable);
        CXCursor from = clang_Cursor_isNull(initializer) || ht_variable_writes(variable) > 0
                            ? clang_getNullCursor()
                            : root_of(function, initializer, depth + 1);
        return clang_Cursor_isNull(from) ? variable : from;
    }
    if (ht_ast_binary(inner, &kind, &left, &right) &&
        (kind == CXBinaryOperator_Add || kind == CXBinaryOperator_Sub)) {
        bool first = clang_getCanonicalType(clang_getCursorType(left)).kind == CXType_Pointer;
        return root_of(function, first ? left : right, depth + 1);
    }
    if (clang_getCursorKind(inner) == CXCursor_UnaryOperator &&
        clang_getCursorUnaryOperatorKind(inner) == CXUnaryOperator_AddrOf) {
        CXCursor element = ht_ast_strip(ht_ast_child(inner, 0), false);
        if (clang_getCursorKind(element) == CXCursor_ArraySubscriptExpr)
            return root_of(function, ht_ast_child(element, 0), depth + 1);
    }
    return clang_getNullCursor();
}

bool ht_arguments_distinct(const ht_launch_site *site, size_t first, size_t second) {
    if (first >= site->argument_count || second >= site->argument_count ||
        clang_Cursor_isNull(site->function))
        return false;
    CXCursor seen[DEPTH_MAX];
    CXCursor a = root_of(site->function, site->arguments[first], 0);
    CXCursor b = root_of(site->function, site->arguments[second], 0);
    return !clang_Cursor_isNull(a) && !clang_Cursor_isNull(b) && !clang_equalCursors(a, b) &&
           is_fresh(site->function, a, seen, 0) && is_fresh(site->function, b, seen, 0);
}
