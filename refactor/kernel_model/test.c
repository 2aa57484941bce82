/* Conditions as trees over polynomials. Negation is pushed to the leaves, so that an unknown leaf
 * only ever widens what a condition lets through. */
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"

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
                                  CXCursor at) {
    ht_km_test *test = test_new(scan, HT_TEST_UNKNOWN);
    test->scope = scope;
    test->reason = reason;
    test->place = ht_scan_where(scan, at);
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

bool ht_scan_guard_push(ht_scan *scan, const ht_km_test *test, CXCursor at) {
    if (test->kind == HT_TEST_TRUE)
        return true;
    if (scan->guard_count == HT_SCAN_GUARDS_MAX) {
        ht_scan_incomplete(scan, at, "there are too many conditions around");
        return false;
    }
    scan->guards[scan->guard_count++] = (ht_km_guard){test, ht_scan_where(scan, at)};
    return true;
}

/* ---- comparisons
 * ------------------------------------------------------------------------------------ */

/* a < b (or <=) as whole numbers. */
static const ht_km_test *less(ht_scan *scan, const ht_poly *a, const ht_poly *b, bool inclusive,
                              CXCursor at) {
    const ht_poly *gap = ht_poly_add(&scan->km->pool, b, a, -1);
    if (gap && !inclusive)
        gap = ht_poly_add(&scan->km->pool, gap, ht_poly_constant(&scan->km->pool, 1), -1);
    return gap ? ht_test_value(scan, HT_TEST_NOT_NEGATIVE, gap)
               : ht_test_unknown(scan, HT_SCOPE_THREAD, "the condition is too long", at);
}

/* As unsigned numbers, negative values lie behind all others. */
static const ht_km_test *less_unsigned(ht_scan *scan, const ht_poly *a, const ht_poly *b,
                                       bool inclusive, CXCursor at) {
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

static bool is_comparison(enum CXBinaryOperatorKind kind) {
    return kind == CXBinaryOperator_LT || kind == CXBinaryOperator_GT ||
           kind == CXBinaryOperator_LE || kind == CXBinaryOperator_GE ||
           kind == CXBinaryOperator_EQ || kind == CXBinaryOperator_NE;
}

static bool is_integer(CXCursor cursor) {
    CXCursor stripped = ht_ast_strip(cursor, false);
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(stripped)).kind;
    int axis; /* threadIdx.x is an object in HIP's headers */
    return ht_index_plain(NULL, stripped, false, &axis) != HT_INDEX_NONE ||
           (kind >= CXType_Bool && kind <= CXType_Int128) || kind == CXType_Enum ||
           kind == CXType_Dependent || kind == CXType_Unexposed;
}

static const ht_km_test *compare(ht_scan *scan, enum CXBinaryOperatorKind kind, CXCursor left,
                                 CXCursor right, CXCursor at) {
    ht_km_value a = ht_scan_value(scan, left), b = ht_scan_value(scan, right);
    if (!a.value || !b.value || a.is_pointer || b.is_pointer || !is_integer(left) ||
        !is_integer(right))
        return ht_test_unknown(scan, HT_SCOPE_THREAD, "it compares no whole numbers", at);
    bool is_unsigned = ht_scan_is_unsigned(left) || ht_scan_is_unsigned(right);
    switch (kind) {
    case CXBinaryOperator_GT:
    case CXBinaryOperator_LE: /* a <= b, or its opposite */
        return kind == CXBinaryOperator_LE
                   ? (is_unsigned ? less_unsigned : less)(scan, a.value, b.value, true, at)
                   : (is_unsigned ? less_unsigned : less)(scan, b.value, a.value, false, at);
    case CXBinaryOperator_LT:
        return (is_unsigned ? less_unsigned : less)(scan, a.value, b.value, false, at);
    case CXBinaryOperator_GE:
        return (is_unsigned ? less_unsigned : less)(scan, b.value, a.value, true, at);
    default: {
        const ht_poly *gap = ht_poly_add(&scan->km->pool, a.value, b.value, -1);
        return gap ? ht_test_value(
                         scan, kind == CXBinaryOperator_EQ ? HT_TEST_ZERO : HT_TEST_NOT_ZERO, gap)
                   : ht_test_unknown(scan, HT_SCOPE_THREAD, "the condition is too long", at);
    }
    }
}

static bool is_same(const ht_km_test *a, const ht_km_test *b) {
    if (a == b)
        return true;
    if (a->kind != b->kind || a->value != b->value || a->kind == HT_TEST_UNKNOWN)
        return false;
    return !a->left || (is_same(a->left, b->left) && is_same(a->right, b->right));
}

/* Loops are walked more than once. */
static const ht_km_test *note_comparison(ht_scan *scan, CXCursor cursor, const ht_km_test *test) {
    ht_kernel_model *km = scan->km;
    for (size_t i = 0; i < km->comparison_count && !scan->dry; ++i)
        if (clang_equalCursors(km->comparisons[i].cursor, cursor)) {
            ht_km_comparison *known = &km->comparisons[i];
            known->test = known->test && is_same(known->test, test) ? test : NULL;
            return test;
        }
    if (!scan->dry) {
        HT_GROW(km->comparisons, km->comparison_count);
        km->comparisons[km->comparison_count++] = (ht_km_comparison){cursor, test};
    }
    return test;
}

static const ht_km_test *short_circuit(ht_scan *scan, bool both, CXCursor left, CXCursor right,
                                       CXCursor at) {
    const ht_km_test *first = ht_scan_test(scan, left);
    size_t guards = scan->guard_count;
    ht_scan_guard_push(scan, both ? first : ht_test_not(scan, first), at);
    const ht_km_test *second = ht_scan_test(scan, right);
    scan->guard_count = guards;
    return ht_test_both(scan, both ? HT_TEST_AND : HT_TEST_OR, first, second);
}

const ht_km_test *ht_scan_test(ht_scan *scan, CXCursor expression) {
    CXCursor cursor = ht_ast_strip(expression, false), left, right;
    enum CXBinaryOperatorKind kind;
    enum CXUnaryOperatorKind unary;
    if (!ht_scan_tick(scan))
        return ht_test_unknown(scan, HT_SCOPE_THREAD, "the kernel is too long", expression);
    if (ht_ast_unary(cursor, &unary, &left) && unary == CXUnaryOperator_LNot)
        return ht_test_not(scan, ht_scan_test(scan, left));
    if (ht_ast_binary(cursor, &kind, &left, &right)) {
        if (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr)
            return short_circuit(scan, kind == CXBinaryOperator_LAnd, left, right, cursor);
        if (is_comparison(kind))
            return note_comparison(scan, cursor, compare(scan, kind, left, right, cursor));
    }
    ht_km_value value = ht_scan_value(scan, cursor);
    if (!value.value || value.is_pointer || !is_integer(cursor))
        return ht_test_unknown(scan, HT_SCOPE_THREAD, "it is no comparison of whole numbers",
                               cursor);
    return ht_test_value(scan, HT_TEST_NOT_ZERO, value.value);
}
