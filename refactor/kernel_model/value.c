#include "refactor/kernel_model/value.h"
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/kernel_model/call.h"
#include "refactor/kernel_model/environment.h"
#include "refactor/kernel_model/name.h"
#include "refactor/kernel_model/object.h"
#include "refactor/kernel_model/place.h"
#include "refactor/kernel_model/test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns an unknown value, named after the expression that `quoted` shows; NULL: a macro wrote it.
 * Frees `quoted` and takes `reason`. */
static ht_km_value opaque(ht_scan *scan, char *quoted, int line, ht_km_scope scope, char *reason) {
    char *name = ht_format("%s (line %d: %s)", quoted ? quoted : "a value", line, reason);
    ht_km_symbol symbol = {.kind = HT_KM_OPAQUE,
                           .scope = scope,
                           .name = name,
                           .reason = ht_poly_pool_keep(&scan->km->pool, reason),
                           .line = line};
    size_t index = ht_poly_symbol(&scan->km->pool, &symbol);
    free(quoted);
    free(name);
    return ht_km_number(ht_poly_of(&scan->km->pool, index));
}

ht_km_value ht_scan_opaque(ht_scan *scan, const ht_syntax *at, ht_km_scope scope,
                           const char *format, ...) {
    char words[200];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return opaque(scan, ht_syntax_quote(at), at->at.line, scope, ht_strdup(words));
}

ht_km_value ht_scan_changed(ht_scan *scan, size_t variable, const ht_syntax *at, const char *how) {
    const char *name = scan->tree->variables[variable].name;
    return opaque(scan, name[0] ? ht_format("'%s'", name) : NULL, at->at.line, HT_SCOPE_THREAD,
                  ht_strdup(how));
}

const ht_poly *ht_scan_named(ht_scan *scan, const char *name, bool is_int, int line) {
    ht_km_symbol symbol = {.kind = HT_KM_ARGUMENT,
                           .scope = HT_SCOPE_LAUNCH,
                           .name = (char *)(size_t)name,
                           .is_int = is_int,
                           .line = line};
    return ht_poly_of(&scan->km->pool, ht_poly_symbol(&scan->km->pool, &symbol));
}

const ht_poly *ht_scan_sum(ht_scan *scan, const ht_syntax *at, const ht_poly *a, const ht_poly *b,
                           int64_t factor) {
    const ht_poly *sum = ht_poly_add(&scan->km->pool, a, b, factor);
    return sum ? sum : ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "too long a sum").value;
}

/* Makes one symbol of a sum of arguments that is multiplied by something: such a sum is a pitch and
 * may be a stride. */
static const ht_poly *as_pitch(ht_scan *scan, const ht_poly *poly, const ht_poly *other) {
    ht_poly_pool *pool = &scan->km->pool;
    if (poly->count < 2 || ht_poly_scope(pool, poly) != HT_SCOPE_LAUNCH ||
        ht_poly_scope(pool, other) == HT_SCOPE_LAUNCH)
        return poly;
    ht_km_symbol symbol = {.kind = HT_KM_SUM, .scope = HT_SCOPE_LAUNCH, .operands = {poly}};
    return ht_poly_of(pool, ht_poly_symbol(pool, &symbol));
}

const ht_poly *ht_scan_times(ht_scan *scan, const ht_syntax *at, const ht_poly *a,
                             const ht_poly *b) {
    const ht_poly *left = as_pitch(scan, a, b), *right = as_pitch(scan, b, a);
    const ht_poly *product = ht_poly_multiply(&scan->km->pool, left, right);
    return product ? product
                   : ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "too long a product").value;
}

bool ht_scan_is_unsigned(const ht_syntax *node) {
    bool wide = node->type == HT_TYPE_INTEGER && node->bits >= 32; /* others become int */
    return (wide && !node->is_signed) || node->is_record;
}

bool ht_scan_may_be_whole(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_INDEX || node->is_whole || node->is_open || node->is_record;
}

bool ht_scan_is_int(const ht_syntax *node) {
    return node->type == HT_TYPE_BOOL ||
           (node->type == HT_TYPE_INTEGER && node->is_signed && node->bits <= 32);
}

size_t ht_scan_variable(const ht_syntax *expression) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    return node->kind == HT_SYNTAX_NAME || node->kind == HT_SYNTAX_CONSTANT ? node->variable
                                                                            : SIZE_MAX;
}

bool ht_scan_may_be_negative(const ht_scan *scan, const ht_poly *poly) {
    const ht_poly_pool *pool = &scan->km->pool;
    for (size_t i = 0; i < poly->count; ++i) {
        if (poly->terms[i].coefficient < 0)
            return true;
        for (size_t j = 0; j < poly->terms[i].count; ++j) {
            ht_km_symbol_kind kind = pool->symbols[poly->terms[i].symbols[j]].kind;
            if (kind >= HT_KM_MIN)
                return true;
        }
    }
    return false;
}

ht_km_value ht_scan_derived(ht_scan *scan, const ht_syntax *at, ht_km_symbol_kind kind,
                            const ht_poly *a, const ht_poly *b, const ht_km_test *test) {
    ht_poly_pool *pool = &scan->km->pool;
    ht_km_scope scope = ht_poly_scope(pool, a), other = ht_poly_scope(pool, b);
    scope = other > scope ? other : scope;
    other = test ? ht_test_scope(pool, test) : HT_SCOPE_LAUNCH;
    scope = other > scope ? other : scope;
    if (test && (test->kind == HT_TEST_TRUE || test->kind == HT_TEST_FALSE))
        return ht_km_number(test->kind == HT_TEST_TRUE ? a : b);
    if (a == b && kind != HT_KM_QUOTIENT && kind != HT_KM_REMAINDER)
        return ht_km_number(a);
    ht_km_symbol symbol = {
        .kind = kind, .scope = scope, .operands = {a, b}, .test = test, .line = at->at.line};
    return ht_km_number(ht_poly_of(pool, ht_poly_symbol(pool, &symbol)));
}

void ht_scan_children(ht_scan *scan, const ht_syntax *node) {
    for (size_t i = 0; i < node->count; ++i)
        if (node->children[i] && node->children[i]->kind != HT_SYNTAX_VARIABLE)
            ht_scan_statement(scan, node->children[i]);
}

/* ---- operators ---- */

static const ht_poly *divide(ht_scan *scan, const ht_syntax *at, bool quotient, const ht_poly *a,
                             const ht_poly *b, bool is_unsigned) {
    int64_t x, y;
    ht_poly_pool *pool = &scan->km->pool;
    if (ht_poly_is_constant(b, &y)) {
        if (y == 0)
            return ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "division by zero").value;
        if (ht_poly_is_constant(a, &x) && y != -1)
            return ht_poly_constant(pool, quotient ? x / y : x % y);
        if (y == 1)
            return quotient ? a : ht_poly_constant(pool, 0);
    }
    if (is_unsigned && ht_scan_may_be_negative(scan, a))
        return ht_scan_opaque(scan, at, ht_poly_scope(pool, a), "unsigned difference divided")
            .value;
    return ht_scan_derived(scan, at, quotient ? HT_KM_QUOTIENT : HT_KM_REMAINDER, a, b, NULL).value;
}

static const ht_poly *operate(ht_scan *scan, const ht_syntax *at, int kind, const ht_poly *a,
                              const ht_poly *b, bool is_unsigned) {
    ht_poly_pool *pool = &scan->km->pool;
    int64_t by;
    bool constant = ht_poly_is_constant(b, &by) && by >= 0;
    bool shifts = constant && by < 31;
    switch (kind) {
    case HT_BINARY_ADD:
    case HT_BINARY_ADD_ASSIGN:
        return ht_scan_sum(scan, at, a, b, 1);
    case HT_BINARY_SUB:
    case HT_BINARY_SUB_ASSIGN:
        return ht_scan_sum(scan, at, a, b, -1);
    case HT_BINARY_MUL:
    case HT_BINARY_MUL_ASSIGN:
        return ht_scan_times(scan, at, a, b);
    case HT_BINARY_DIV:
    case HT_BINARY_DIV_ASSIGN:
        return divide(scan, at, true, a, b, is_unsigned);
    case HT_BINARY_REM:
    case HT_BINARY_REM_ASSIGN:
        return divide(scan, at, false, a, b, is_unsigned);
    case HT_BINARY_SHL:
    case HT_BINARY_SHL_ASSIGN:
        if (shifts)
            return ht_scan_times(scan, at, a, ht_poly_constant(pool, (int64_t)1 << by));
        break;
    case HT_BINARY_SHR:
    case HT_BINARY_SHR_ASSIGN:
        if (shifts && !ht_scan_may_be_negative(scan, a))
            return divide(scan, at, true, a, ht_poly_constant(pool, (int64_t)1 << by), is_unsigned);
        break;
    case HT_BINARY_BIT_AND:
        if (constant && (by & (by + 1)) == 0 && !ht_scan_may_be_negative(scan, a))
            return divide(scan, at, false, a, ht_poly_constant(pool, by + 1), is_unsigned);
        break;
    default:
        break;
    }
    ht_km_scope first = ht_poly_scope(pool, a), second = ht_poly_scope(pool, b);
    return ht_scan_opaque(scan, at, first > second ? first : second, "not affine").value;
}

static ht_km_value pointer_step(ht_scan *scan, const ht_syntax *at, int kind, ht_km_value pointer,
                                ht_km_value step) {
    bool minus = kind == HT_BINARY_SUB || kind == HT_BINARY_SUB_ASSIGN;
    bool plus = kind == HT_BINARY_ADD || kind == HT_BINARY_ADD_ASSIGN;
    if (step.is_pointer)
        return ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "difference of pointers");
    if (!plus && !minus)
        return (ht_km_value){true, SIZE_MAX, NULL};
    if (!pointer.value || !step.value)
        pointer.value = ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "pointer moved").value;
    else
        pointer.value = ht_scan_sum(scan, at, pointer.value, step.value, minus ? -1 : 1);
    return pointer;
}

static ht_km_value combine(ht_scan *scan, const ht_syntax *at, int kind, ht_km_value left,
                           ht_km_value right, bool is_unsigned) {
    if (left.is_pointer)
        return pointer_step(scan, at, kind, left, right);
    if (right.is_pointer)
        return pointer_step(scan, at, kind, right, left);
    if (!left.value || !right.value)
        return (ht_km_value){0};
    return ht_km_number(operate(scan, at, kind, left.value, right.value, is_unsigned));
}

/* ---- assignments ---- */

static void store(ht_scan *scan, const ht_syntax *left, ht_km_value value, bool also_read) {
    const ht_syntax *place = ht_syntax_strip_implicit(left);
    ht_km_target target;
    if (place->kind == HT_SYNTAX_NAME) {
        const ht_km_value *old = ht_environment_find(scan, place->variable);
        if (!old &&
            ht_scan_target(scan, place, &target)) /* a variable in shared or global memory */
            ht_scan_record(scan, &target, also_read, true, false, left);
        if (!old)
            return;
        if (old->is_pointer && !value.is_pointer)
            value = (ht_km_value){true, SIZE_MAX, NULL};
        else if (!old->is_pointer && (!value.value || value.is_pointer))
            value = ht_scan_opaque(scan, left, HT_SCOPE_THREAD, "assigned");
        ht_environment_set(scan, place->variable, value);
        return;
    }
    if (ht_scan_target(scan, place, &target))
        ht_scan_record(scan, &target, also_read, true, false, left);
    else if (!ht_scan_is_local_object(scan, place))
        ht_scan_incomplete(scan, left, "what is written is not followed");
}

static ht_km_value assign(ht_scan *scan, const ht_syntax *node) {
    const ht_syntax *left = node->children[0], *right = node->children[1];
    const ht_syntax *place = ht_syntax_strip_implicit(left);
    ht_km_value value = ht_scan_value(scan, right);
    bool compound = node->op != HT_BINARY_ASSIGN;
    if (compound && place->kind == HT_SYNTAX_NAME) {
        const ht_km_value *old = ht_environment_find(scan, place->variable);
        value = old ? combine(scan, node, node->op, *old, value, ht_scan_is_unsigned(left))
                    : (ht_km_value){0};
    } else if (!value.is_pointer && !ht_scan_may_be_whole(ht_syntax_strip_implicit(right)))
        value = (ht_km_value){0}; /* a float stored into an integer */
    store(scan, left, value, compound);
    return value;
}

static ht_km_value update(ht_scan *scan, const ht_syntax *at) {
    const ht_syntax *operand = at->children[0];
    bool less = at->op == HT_UNARY_POST_DEC || at->op == HT_UNARY_PRE_DEC;
    bool post = at->op == HT_UNARY_POST_INC || at->op == HT_UNARY_POST_DEC;
    const ht_km_value *old = ht_environment_find(scan, ht_scan_variable(operand));
    if (!old) {
        store(scan, operand, (ht_km_value){0}, true);
        return operand->is_whole ? ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "not followed")
                                 : (ht_km_value){0};
    }
    ht_km_value before = *old;
    ht_km_value one = ht_km_number(ht_poly_constant(&scan->km->pool, 1));
    ht_km_value after = combine(scan, at, less ? HT_BINARY_SUB : HT_BINARY_ADD, before, one, false);
    store(scan, operand, after, true);
    return post ? before : after;
}

ht_km_value ht_scan_address(ht_scan *scan, const ht_syntax *at, const ht_syntax *operand) {
    ht_km_target target;
    if (!ht_scan_target(scan, operand, &target) || target.count != 1 || target.whole)
        return (ht_km_value){true, target.array,
                             target.array == SIZE_MAX
                                 ? NULL
                                 : ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "address").value};
    return (ht_km_value){true, target.array, target.subscripts[0]};
}

static ht_km_value unary_value(ht_scan *scan, const ht_syntax *node) {
    ht_km_value value = ht_scan_value(scan, node->children[0]);
    if (node->op == HT_UNARY_PLUS)
        return value;
    if (!value.value || value.is_pointer)
        return (ht_km_value){0};
    if (node->op == HT_UNARY_MINUS) {
        const ht_poly *zero = ht_poly_constant(&scan->km->pool, 0);
        return ht_km_number(ht_scan_sum(scan, node, zero, value.value, -1));
    }
    return ht_scan_opaque(scan, node, ht_poly_scope(&scan->km->pool, value.value), "not affine");
}

static ht_km_value binary_value(ht_scan *scan, const ht_syntax *node) {
    const ht_syntax *left = node->children[0], *right = node->children[1];
    if (ht_operator_compares(node->op) || node->op == HT_BINARY_AND || node->op == HT_BINARY_OR) {
        const ht_km_test *test = ht_scan_test(scan, node);
        return ht_scan_derived(scan, node, HT_KM_CHOICE, ht_poly_constant(&scan->km->pool, 1),
                               ht_poly_constant(&scan->km->pool, 0), test);
    }
    ht_km_value a = ht_scan_value(scan, left), b = ht_scan_value(scan, right);
    if (node->op == HT_BINARY_COMMA)
        return b;
    if (!a.is_pointer && !b.is_pointer &&
        (!ht_scan_may_be_whole(ht_syntax_strip_implicit(left)) ||
         !ht_scan_may_be_whole(ht_syntax_strip_implicit(right))))
        return (ht_km_value){0};
    return combine(scan, node, node->op, a, b,
                   ht_scan_is_unsigned(left) || ht_scan_is_unsigned(right));
}

/* Joins two pointers of which the test selects one. */
static ht_km_value chosen_pointer(ht_scan *scan, const ht_syntax *node, const ht_km_test *test,
                                  ht_km_value a, ht_km_value b) {
    bool same = a.is_pointer && b.is_pointer && a.array == b.array;
    ht_km_value result = {true, same ? a.array : SIZE_MAX, NULL};
    if (same && a.value && b.value)
        result.value = ht_scan_derived(scan, node, HT_KM_CHOICE, a.value, b.value, test).value;
    else if (!same) {
        ht_scan_escape(scan, &a, node);
        ht_scan_escape(scan, &b, node);
    }
    return result;
}

static ht_km_value conditional(ht_scan *scan, const ht_syntax *node) {
    const ht_syntax *condition = node->children[0];
    const ht_km_test *test = ht_scan_test(scan, condition);
    size_t guards = scan->guard_count;
    ht_scan_guard_push(scan, test, condition);
    ht_km_value a = ht_scan_value(scan, node->children[1]);
    scan->guard_count = guards;
    ht_scan_guard_push(scan, ht_test_not(scan, test), condition);
    ht_km_value b = ht_scan_value(scan, node->children[2]);
    scan->guard_count = guards;
    if (a.is_pointer || b.is_pointer)
        return chosen_pointer(scan, node, test, a, b);
    return a.value && b.value ? ht_scan_derived(scan, node, HT_KM_CHOICE, a.value, b.value, test)
                              : (ht_km_value){0};
}

static ht_km_value cast_value(ht_scan *scan, const ht_syntax *node) {
    ht_km_value value = ht_scan_value(scan, node->children[0]);
    const ht_syntax *from = ht_syntax_strip_implicit(node->children[0]);
    int64_t offset;
    bool pointers = from->type == HT_TYPE_POINTER && !from->is_array &&
                    node->type == HT_TYPE_POINTER && !node->is_array;
    if (value.is_pointer && !(pointers && from->step == node->step) && value.value &&
        !(ht_poly_is_constant(value.value, &offset) && offset == 0))
        value.value =
            ht_scan_opaque(scan, node, HT_SCOPE_THREAD, "of elements of another size").value;
    /* a conversion to a template's type: that of whole numbers if an index is computed with it */
    if (!value.is_pointer && !node->is_open)
        value = node->is_whole && value.value
                    ? ht_scan_opaque(scan, node, ht_poly_scope(&scan->km->pool, value.value),
                                     "converted")
                    : (ht_km_value){0};
    return value;
}

static ht_km_value look(ht_scan *scan, const ht_syntax *node) {
    int64_t number;
    switch (node->kind) {
    case HT_SYNTAX_INDEX:
        return ht_scan_index(scan, (ht_index_kind)node->op, node->axis);
    case HT_SYNTAX_CONSTANT:
        if (ht_syntax_number(node, &number))
            return ht_km_number(ht_poly_constant(&scan->km->pool, number));
        if (node->variable != SIZE_MAX)
            return ht_scan_name(scan, node);
        break;
    case HT_SYNTAX_NAME:
        return ht_scan_name(scan, node);
    case HT_SYNTAX_SUBSCRIPT:
    case HT_SYNTAX_DEREFERENCE:
        return ht_scan_load(scan, node);
    case HT_SYNTAX_MEMBER:
        return ht_scan_field(scan, node);
    case HT_SYNTAX_ADDRESS:
        return ht_scan_address(scan, node, node->children[0]);
    case HT_SYNTAX_STEP:
        return update(scan, node);
    case HT_SYNTAX_UNARY:
        return unary_value(scan, node);
    case HT_SYNTAX_BINARY:
        return binary_value(scan, node);
    case HT_SYNTAX_ASSIGN:
        return assign(scan, node);
    case HT_SYNTAX_CONDITIONAL:
        return conditional(scan, node);
    case HT_SYNTAX_CALL:
        return ht_scan_call(scan, node);
    case HT_SYNTAX_CAST:
        return cast_value(scan, node);
    case HT_SYNTAX_UNKNOWN:
        if (node->op == HT_UNKNOWN_FIELD)
            return ht_scan_field(scan, node);
        if (node->op != HT_UNKNOWN_LAMBDA)
            break;
        ht_scan_incomplete(scan, node, "a lambda's body is not followed");
        return (ht_km_value){0};
    default:
        break;
    }
    ht_scan_children(scan, node);
    return (ht_km_value){0};
}

ht_km_value ht_scan_value(ht_scan *scan, const ht_syntax *expression) {
    ht_km_value value = {0};
    if (!ht_scan_tick(scan) || scan->depth > 150) {
        ht_scan_incomplete(scan, expression, "the kernel is too long");
        return value;
    }
    ++scan->depth;
    value = look(scan, ht_syntax_strip_whole(expression));
    --scan->depth;
    if (!value.value && !value.is_pointer && expression->is_whole)
        value = ht_scan_opaque(scan, expression, HT_SCOPE_THREAD, "not followed");
    return value;
}

const ht_poly *ht_scan_integer(ht_scan *scan, const ht_syntax *expression) {
    ht_km_value value = ht_scan_value(scan, expression);
    return value.value && !value.is_pointer
               ? value.value
               : ht_scan_opaque(scan, expression, HT_SCOPE_THREAD, "not a whole number").value;
}
