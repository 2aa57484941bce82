#include "refactor/kernel_model/test.h"
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel_model/value.h"

#include <stdlib.h>
#include <string.h>

static ht_km_test *test_new(ht_scan *scan, ht_km_test_kind kind) {
    ht_km_test *test = ht_poly_pool_alloc(&scan->km->pool, 1, sizeof *test);
    test->kind = kind;
    test->place.file = SIZE_MAX;
    return test;
}

const ht_km_test *ht_test_plain(ht_scan *scan, ht_km_test_kind kind) {
    return test_new(scan, kind);
}

const ht_km_test *ht_test_unknown(ht_scan *scan, ht_km_scope scope, const char *reason,
                                  const ht_syntax *at) {
    ht_km_test *test = test_new(scan, HT_TEST_UNKNOWN);
    test->scope = scope;
    test->reason = reason;
    test->place = ht_scan_where(scan, at->at);
    return test;
}

const ht_km_test *ht_test_value(ht_scan *scan, ht_km_test_kind kind, const ht_poly *value) {
    int64_t constant;
    if (ht_poly_is_constant(value, &constant)) {
        bool holds = kind == HT_TEST_NOT_NEGATIVE ? constant >= 0
                     : kind == HT_TEST_ZERO       ? constant == 0
                                                  : constant != 0;
        return test_new(scan, holds ? HT_TEST_TRUE : HT_TEST_FALSE);
    }
    ht_km_test *test = test_new(scan, kind);
    test->value = value;
    return test;
}

const ht_km_test *ht_test_both(ht_scan *scan, ht_km_test_kind kind, const ht_km_test *left,
                               const ht_km_test *right) {
    ht_km_test_kind neutral = kind == HT_TEST_AND ? HT_TEST_TRUE : HT_TEST_FALSE;
    ht_km_test_kind final = kind == HT_TEST_AND ? HT_TEST_FALSE : HT_TEST_TRUE;
    if (left->kind == neutral || right->kind == final)
        return right;
    if (right->kind == neutral || left->kind == final)
        return left;
    ht_km_test *test = test_new(scan, kind);
    test->left = left;
    test->right = right;
    return test;
}

const ht_km_test *ht_test_not(ht_scan *scan, const ht_km_test *test) {
    switch (test->kind) {
    case HT_TEST_TRUE:
        return test_new(scan, HT_TEST_FALSE);
    case HT_TEST_FALSE:
        return test_new(scan, HT_TEST_TRUE);
    case HT_TEST_ZERO:
        return ht_test_value(scan, HT_TEST_NOT_ZERO, test->value);
    case HT_TEST_NOT_ZERO:
        return ht_test_value(scan, HT_TEST_ZERO, test->value);
    case HT_TEST_AND:
    case HT_TEST_OR:
        return ht_test_both(scan, test->kind == HT_TEST_AND ? HT_TEST_OR : HT_TEST_AND,
                            ht_test_not(scan, test->left), ht_test_not(scan, test->right));
    case HT_TEST_NOT_NEGATIVE: {
        const ht_poly *value =
            ht_poly_add(&scan->km->pool, ht_poly_constant(&scan->km->pool, -1), test->value, -1);
        if (value)
            return ht_test_value(scan, HT_TEST_NOT_NEGATIVE, value);
        break;
    }
    case HT_TEST_UNKNOWN:
        break;
    }
    ht_km_test *copy = test_new(scan, HT_TEST_UNKNOWN);
    *copy = *test;
    copy->kind = HT_TEST_UNKNOWN;
    copy->scope = ht_test_scope(&scan->km->pool, test);
    if (!copy->reason)
        copy->reason = "the condition is too long";
    return copy;
}

ht_km_scope ht_test_scope(const ht_poly_pool *pool, const ht_km_test *test) {
    ht_km_scope left, right;
    switch (test->kind) {
    case HT_TEST_AND:
    case HT_TEST_OR:
        left = ht_test_scope(pool, test->left);
        right = ht_test_scope(pool, test->right);
        return left > right ? left : right;
    case HT_TEST_UNKNOWN:
        return test->scope;
    case HT_TEST_TRUE:
    case HT_TEST_FALSE:
        return HT_SCOPE_LAUNCH;
    default:
        return ht_poly_scope(pool, test->value);
    }
}

bool ht_test_known(const ht_km_test *test) {
    if (test->kind == HT_TEST_AND || test->kind == HT_TEST_OR)
        return ht_test_known(test->left) && ht_test_known(test->right);
    return test->kind != HT_TEST_UNKNOWN;
}

bool ht_scan_guard_push(ht_scan *scan, const ht_km_test *test, const ht_syntax *at) {
    if (test->kind == HT_TEST_TRUE)
        return true;
    if (scan->guard_count == HT_SCAN_GUARDS_MAX) {
        ht_scan_incomplete(scan, at, "there are too many conditions around");
        return false;
    }
    scan->guards[scan->guard_count++] = (ht_km_guard){test, ht_scan_where(scan, at->at)};
    return true;
}

/* ---- comparisons ---- */

/* Returns a < b (or <=) for mathematical integers. */
static const ht_km_test *less(ht_scan *scan, const ht_poly *a, const ht_poly *b, bool inclusive,
                              const ht_syntax *at) {
    const ht_poly *gap = ht_poly_add(&scan->km->pool, b, a, -1);
    if (!inclusive)
        gap = ht_poly_plus(&scan->km->pool, gap, -1);
    return gap ? ht_test_value(scan, HT_TEST_NOT_NEGATIVE, gap)
               : ht_test_unknown(scan, HT_SCOPE_THREAD, "the condition is too long", at);
}

/* Returns a < b (or <=) for unsigned numbers, of which negative values come after all others. */
static const ht_km_test *less_unsigned(ht_scan *scan, const ht_poly *a, const ht_poly *b,
                                       bool inclusive, const ht_syntax *at) {
    const ht_km_test *order = less(scan, a, b, inclusive, at);
    bool a_negative = ht_scan_may_be_negative(scan, a),
         b_negative = ht_scan_may_be_negative(scan, b);
    const ht_km_test *a_not = ht_test_value(scan, HT_TEST_NOT_NEGATIVE, a);
    const ht_km_test *b_not = ht_test_value(scan, HT_TEST_NOT_NEGATIVE, b);
    if (!a_negative && !b_negative)
        return order;
    if (!b_negative)
        return ht_test_both(scan, HT_TEST_AND, a_not, order);
    const ht_km_test *behind = ht_test_not(scan, b_not);
    if (!a_negative)
        return ht_test_both(scan, HT_TEST_OR, behind, order);
    const ht_km_test *same_side =
        ht_test_both(scan, HT_TEST_OR, ht_test_both(scan, HT_TEST_AND, a_not, b_not),
                     ht_test_both(scan, HT_TEST_AND, ht_test_not(scan, a_not), behind));
    return ht_test_both(scan, HT_TEST_OR, ht_test_both(scan, HT_TEST_AND, a_not, behind),
                        ht_test_both(scan, HT_TEST_AND, same_side, order));
}

static bool is_whole(const ht_syntax *expression) {
    const ht_syntax *node = ht_syntax_strip_implicit(expression);
    return node->kind == HT_SYNTAX_INDEX || node->is_whole || node->is_open;
}

static const ht_km_test *compare(ht_scan *scan, int op, const ht_syntax *left,
                                 const ht_syntax *right, const ht_syntax *at) {
    ht_km_value a = ht_scan_value(scan, left), b = ht_scan_value(scan, right);
    if (!a.value || !b.value || a.is_pointer || b.is_pointer || !is_whole(left) || !is_whole(right))
        return ht_test_unknown(scan, HT_SCOPE_THREAD, "it compares no whole numbers", at);
    if (op == HT_BINARY_EQ || op == HT_BINARY_NE) {
        const ht_poly *gap = ht_poly_add(&scan->km->pool, a.value, b.value, -1);
        return gap ? ht_test_value(scan, op == HT_BINARY_EQ ? HT_TEST_ZERO : HT_TEST_NOT_ZERO, gap)
                   : ht_test_unknown(scan, HT_SCOPE_THREAD, "the condition is too long", at);
    }
    bool is_unsigned = ht_scan_is_unsigned(left) || ht_scan_is_unsigned(right);
    bool turned = op == HT_BINARY_GT || op == HT_BINARY_GE;
    bool inclusive = op == HT_BINARY_LE || op == HT_BINARY_GE;
    return (is_unsigned ? less_unsigned : less)(scan, turned ? b.value : a.value,
                                                turned ? a.value : b.value, inclusive, at);
}

static bool is_same(const ht_km_test *a, const ht_km_test *b) {
    if (a == b)
        return true;
    if (a->kind != b->kind || a->value != b->value || a->kind == HT_TEST_UNKNOWN)
        return false;
    return !a->left || (is_same(a->left, b->left) && is_same(a->right, b->right));
}

/* Keeps the test of a comparison. A loop's body is walked more than once: a comparison whose tests
 * differ has none. */
static const ht_km_test *note_comparison(ht_scan *scan, const ht_syntax *node,
                                         const ht_km_test *test) {
    ht_kernel_model *km = scan->km;
    for (size_t i = 0; i < km->comparison_count && !scan->dry; ++i)
        if (km->comparisons[i].from == node) {
            ht_km_comparison *known = &km->comparisons[i];
            known->test = known->test && is_same(known->test, test) ? test : NULL;
            return test;
        }
    if (!scan->dry) {
        HT_GROW(km->comparisons, km->comparison_count);
        km->comparisons[km->comparison_count++] =
            (ht_km_comparison){node, ht_syntax_in_body(node), test};
    }
    return test;
}

static const ht_km_test *short_circuit(ht_scan *scan, bool both, const ht_syntax *left,
                                       const ht_syntax *right, const ht_syntax *at) {
    const ht_km_test *first = ht_scan_test(scan, left);
    size_t guards = scan->guard_count;
    ht_scan_guard_push(scan, both ? first : ht_test_not(scan, first), at);
    const ht_km_test *second = ht_scan_test(scan, right);
    scan->guard_count = guards;
    return ht_test_both(scan, both ? HT_TEST_AND : HT_TEST_OR, first, second);
}

const ht_km_test *ht_scan_test(ht_scan *scan, const ht_syntax *expression) {
    const ht_syntax *node = ht_syntax_strip_implicit(expression);
    if (!ht_scan_tick(scan))
        return ht_test_unknown(scan, HT_SCOPE_THREAD, "the kernel is too long", expression);
    if (node->kind == HT_SYNTAX_UNARY && node->op == HT_UNARY_NOT)
        return ht_test_not(scan, ht_scan_test(scan, node->children[0]));
    if (node->kind == HT_SYNTAX_BINARY) {
        const ht_syntax *left = node->children[0], *right = node->children[1];
        if (node->op == HT_BINARY_AND || node->op == HT_BINARY_OR)
            return short_circuit(scan, node->op == HT_BINARY_AND, left, right, node);
        if (ht_operator_compares(node->op))
            return note_comparison(scan, node, compare(scan, node->op, left, right, node));
    }
    ht_km_value value = ht_scan_value(scan, node);
    if (!value.value || value.is_pointer || !is_whole(node))
        return ht_test_unknown(scan, HT_SCOPE_THREAD, "it is no comparison of whole numbers", node);
    return ht_test_value(scan, HT_TEST_NOT_ZERO, value.value);
}
