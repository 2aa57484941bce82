/* Values of variables along the walk. */
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_escaped(const ht_scan *scan, CXCursor variable) {
    for (size_t i = 0; i < scan->escaped_count; ++i)
        if (clang_equalCursors(scan->escaped[i], variable))
            return true;
    return false;
}

const ht_km_value *ht_environment_find(const ht_scan *scan, CXCursor variable) {
    if (clang_Cursor_isNull(variable) || is_escaped(scan, variable))
        return NULL;
    for (size_t i = scan->environment.count; i-- > 0;)
        if (clang_equalCursors(scan->environment.items[i].variable, variable))
            return &scan->environment.items[i].value;
    return NULL;
}

void ht_environment_set(ht_scan *scan, CXCursor variable, ht_km_value value) {
    ht_environment *environment = &scan->environment;
    for (size_t i = environment->count; i-- > 0;)
        if (clang_equalCursors(environment->items[i].variable, variable)) {
            environment->items[i].value = value;
            return;
        }
    HT_GROW(environment->items, environment->count);
    environment->items[environment->count++] = (ht_binding){variable, value};
}

ht_environment ht_environment_copy(const ht_scan *scan) {
    const ht_environment *from = &scan->environment;
    ht_environment copy = {ht_alloc(from->count + 1, sizeof *copy.items), from->count};
    if (from->count)
        memcpy(copy.items, from->items, from->count * sizeof *copy.items);
    /* grown by HT_GROW later: capacity must be what it expects */
    ht_environment grown = {0};
    for (size_t i = 0; i < copy.count; ++i) {
        HT_GROW(grown.items, grown.count);
        grown.items[grown.count++] = copy.items[i];
    }
    free(copy.items);
    return grown;
}

void ht_environment_free(ht_environment *environment) {
    free(environment->items);
    *environment = (ht_environment){0};
}

static bool same_value(const ht_km_value *a, const ht_km_value *b) {
    return a->is_pointer == b->is_pointer && a->value == b->value &&
           (!a->is_pointer || a->array == b->array);
}

void ht_environment_join(ht_scan *scan, const ht_km_test *test, const ht_environment *then,
                         CXCursor at) {
    for (size_t i = 0; i < then->count; ++i) {
        const ht_binding *binding = &then->items[i];
        const ht_km_value *other = ht_environment_find(scan, binding->variable);
        if (!other || same_value(other, &binding->value))
            continue;
        ht_km_value joined = {0};
        bool same_kind = other->is_pointer == binding->value.is_pointer &&
                         (!other->is_pointer || other->array == binding->value.array);
        if (same_kind && other->value && binding->value.value) {
            joined =
                ht_scan_derived(scan, at, HT_KM_CHOICE, binding->value.value, other->value, test);
            joined.is_pointer = other->is_pointer;
            joined.array = other->array;
        } else if (other->is_pointer || binding->value.is_pointer)
            joined = (ht_km_value){true, SIZE_MAX, NULL};
        else
            joined = ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "set under a condition");
        ht_environment_set(scan, binding->variable, joined);
    }
}

/* ---- what is assigned
 * ------------------------------------------------------------------------------- */

typedef struct search {
    const ht_scan *scan;
    CXCursor *items;
    size_t count;
} search;

static void note(search *in, CXCursor variable) {
    if (clang_Cursor_isNull(variable))
        return;
    for (size_t i = 0; i < in->count; ++i)
        if (clang_equalCursors(in->items[i], variable))
            return;
    HT_GROW(in->items, in->count);
    in->items[in->count++] = variable;
}

static bool is_update(enum CXUnaryOperatorKind kind) {
    return kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec ||
           kind == CXUnaryOperator_PreInc || kind == CXUnaryOperator_PreDec;
}

static bool on_assigned(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    search *in = context;
    enum CXBinaryOperatorKind kind;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    if (ht_ast_binary(cursor, &kind, &left, &right) && kind >= CXBinaryOperator_Assign &&
        kind <= CXBinaryOperator_OrAssign)
        note(in, ht_ast_variable(left));
    else if (ht_ast_unary(cursor, &unary, &left) && is_update(unary))
        note(in, ht_ast_variable(left));
    return true;
}

CXCursor *ht_scan_assigned(const ht_scan *scan, CXCursor statement, size_t *out_count) {
    search in = {scan, NULL, 0};
    if (!clang_Cursor_isNull(statement)) {
        on_assigned(statement, statement, &in);
        ht_ast_walk(statement, on_assigned, &in);
    }
    size_t kept = 0;
    for (size_t i = 0; i < in.count; ++i)
        if (ht_environment_find(scan, in.items[i]))
            in.items[kept++] = in.items[i];
    *out_count = kept;
    return in.items;
}

void ht_scan_forget(ht_scan *scan, const CXCursor *variables, size_t count, CXCursor at) {
    for (size_t i = 0; i < count; ++i) {
        const ht_km_value *old = ht_environment_find(scan, variables[i]);
        if (!old)
            continue;
        ht_km_value value = *old;
        if (value.is_pointer && value.array == SIZE_MAX)
            continue;
        ht_km_value fresh = ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "changed in a loop");
        value.value = fresh.value;
        ht_environment_set(scan, variables[i], value);
    }
}

/* ---- what escapes
 * ----------------------------------------------------------------------------------- */

static CXCursor root(CXCursor expression) {
    for (;;) {
        expression = ht_ast_strip(expression, true);
        if (clang_getCursorKind(expression) != CXCursor_MemberRefExpr)
            return ht_ast_variable(expression);
        expression = ht_ast_child(expression, 0);
        if (clang_Cursor_isNull(expression))
            return expression;
    }
}

static bool is_array(CXCursor variable) {
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    return type.kind >= CXType_ConstantArray && type.kind <= CXType_DependentSizedArray;
}

static bool on_escape(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    search *in = context;
    enum CXUnaryOperatorKind unary;
    CXCursor operand;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (ht_ast_unary(cursor, &unary, &operand) && unary == CXUnaryOperator_AddrOf)
        note(in, root(operand));
    else if (kind == CXCursor_CallExpr &&
             !ht_ast_binary(cursor, &(enum CXBinaryOperatorKind){0}, &operand, &(CXCursor){0})) {
        int count = clang_Cursor_getNumArguments(cursor);
        for (int i = 0; i < count; ++i) { /* without a conversion to a value */
            CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
            if (clang_getCursorKind(argument) == CXCursor_DeclRefExpr &&
                !is_array(ht_ast_variable(argument)))
                note(in, ht_ast_variable(argument));
        }
    } else if (kind == CXCursor_VarDecl) {
        enum CXTypeKind type = clang_getCursorType(cursor).kind;
        CXCursor initializer = clang_Cursor_getVarDeclInitializer(cursor);
        if ((type == CXType_LValueReference || type == CXType_RValueReference) &&
            !clang_Cursor_isNull(initializer))
            note(in, root(initializer));
    }
    return true;
}

static bool on_variable(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr)
        note(context, ht_ast_variable(cursor));
    return true;
}

static bool on_lambda(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_LambdaExpr)
        ht_ast_walk(cursor, on_variable, context);
    return true;
}

/* A parameter that is passed on by value may look like a reference in a template's body: it is
 * then never written, and its first value stays good. */
static bool keeps_value(const ht_scan *scan, CXCursor variable) {
    const ht_local *local = ht_model_local(scan->facts, variable);
    const ht_parameter *parameter = ht_model_parameter(scan->facts, variable);
    return (local && local->writes == 0) || (parameter && !parameter->is_assigned);
}

void ht_scan_find_escaped(ht_scan *scan, CXCursor body) {
    search in = {scan, scan->escaped, scan->escaped_count};
    size_t old = in.count;
    ht_ast_walk(body, on_escape, &in);
    ht_ast_walk(body, on_lambda, &in);
    size_t kept = old;
    for (size_t i = old; i < in.count; ++i)
        if (!keeps_value(scan, in.items[i]) && !is_array(in.items[i]))
            in.items[kept++] = in.items[i];
    scan->escaped = in.items;
    scan->escaped_count = kept;
}
