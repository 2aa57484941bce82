#include "refactor/infer/infer_bound.h"
#include "refactor/kernel_model/sets.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 14, BUDGET = 20000, INDEX_VALUES = 64 };

void ht_bounds_init(ht_bounds *bounds, ht_kernel_model *km) {
    *bounds = (ht_bounds){.km = km, .budget = BUDGET};
}

void ht_bounds_free(ht_bounds *bounds) {
    free(bounds->facts);
    free(bounds->indices);
    *bounds = (ht_bounds){0};
}

static const ht_poly *fail(ht_bounds *in, int line, char *reason) {
    char *kept = ht_poly_pool_keep(&in->km->pool, reason);
    if (!in->reason) {
        in->reason = kept;
        in->line = line;
    }
    return NULL;
}

/* ---- facts ---- */

static void fact_add(ht_bounds *in, const ht_poly *value) {
    if (!value)
        return;
    HT_GROW(in->facts, in->fact_count);
    in->facts[in->fact_count++] = value;
}

static void test_add(ht_bounds *in, const ht_km_test *test) {
    switch (test->kind) {
    case HT_TEST_AND:
        test_add(in, test->left);
        test_add(in, test->right);
        break;
    case HT_TEST_NOT_NEGATIVE:
        fact_add(in, test->value);
        break;
    case HT_TEST_ZERO:
        fact_add(in, test->value);
        fact_add(in, ht_poly_negate(&in->km->pool, test->value));
        break;
    case HT_TEST_NOT_ZERO: /* a value that is not negative is then at least 1 */
        if (ht_poly_never_negative(&in->km->pool, test->value))
            fact_add(in, ht_poly_plus(&in->km->pool, test->value, -1));
        break;
    case HT_TEST_OR:
        if (in->case_count < HT_BOUND_CASES_MAX)
            in->cases[in->case_count++] = test;
        break;
    default:
        break;
    }
}

void ht_bounds_enter(ht_bounds *bounds, const ht_km_control *control) {
    bounds->fact_count = bounds->case_count = 0;
    bounds->reason = NULL;
    bounds->budget = BUDGET;
    for (size_t i = 0; i < control->guard_count; ++i)
        test_add(bounds, control->guards[i].test);
    for (size_t i = 0; i < control->loop_count; ++i) {
        const ht_km_loop *loop = &bounds->km->loops[control->loops[i]];
        if (loop->normal)
            test_add(bounds, loop->condition);
    }
}

/* ---- polynomials ---- */

static bool varies(const ht_bounds *in, size_t symbol) {
    return in->km->pool.symbols[symbol].scope != HT_SCOPE_LAUNCH;
}

static bool term_varies(const ht_bounds *in, const ht_term *term) {
    for (size_t i = 0; i < term->count; ++i)
        if (varies(in, term->symbols[i]))
            return true;
    return false;
}

static size_t varying_terms(const ht_bounds *in, const ht_poly *poly) {
    size_t count = 0;
    for (size_t i = 0; i < poly->count; ++i)
        count += term_varies(in, &poly->terms[i]);
    return count;
}

bool ht_poly_never_negative(const ht_poly_pool *pool, const ht_poly *poly) {
    int64_t sum = 0;
    for (size_t i = 0; i < poly->count; ++i) {
        const ht_term *term = &poly->terms[i];
        bool sizes = true;
        for (size_t j = 0; j < term->count; ++j) {
            ht_km_symbol_kind kind = pool->symbols[term->symbols[j]].kind;
            sizes = sizes && (kind <= HT_KM_ARGUMENT || kind == HT_KM_LOOP);
        }
        if (term->count && (term->coefficient < 0 || !sizes))
            return false;
        bool positive = true; /* at least 1, for all sizes */
        for (size_t j = 0; j < term->count; ++j)
            positive = positive && pool->symbols[term->symbols[j]].scope == HT_SCOPE_LAUNCH;
        sum += positive ? term->coefficient : 0;
    }
    return sum >= 0;
}

/* Divides a term by another, if the quotient is a product of the launch's symbols with a positive
 * factor. */
static bool ratio_of(const ht_bounds *in, const ht_term *term, const ht_term *by, ht_term *out) {
    if (by->coefficient == 0 || term->coefficient % by->coefficient != 0)
        return false;
    if (!ht_term_divide(term, by, out))
        return false;
    out->coefficient = term->coefficient / by->coefficient;
    return out->coefficient > 0 && !term_varies(in, out);
}

/* Returns value + m * fact with the m >= 0 that removes most varying terms. A fact is not negative,
 * so the sum is not less than the value. NULL: no m removes any. */
static const ht_poly *with_fact(ht_bounds *in, const ht_poly *value, const ht_poly *fact) {
    const ht_poly *best = NULL;
    size_t least = varying_terms(in, value);
    for (size_t f = 0; f < fact->count; ++f) {
        ht_term opposite = fact->terms[f];
        opposite.coefficient = -opposite.coefficient;
        if (!term_varies(in, &opposite))
            continue;
        for (size_t i = 0; i < value->count; ++i) {
            ht_term ratio;
            if (!ratio_of(in, &value->terms[i], &opposite, &ratio) || --in->budget < 0)
                continue;
            const ht_poly *factor = ht_poly_make(&in->km->pool, &ratio, 1);
            const ht_poly *more = ht_poly_multiply(&in->km->pool, factor, fact);
            const ht_poly *sum = ht_poly_add(&in->km->pool, value, more, 1);
            if (sum && varying_terms(in, sum) < least) {
                least = varying_terms(in, sum);
                best = sum;
            }
        }
    }
    return best;
}

static const ht_poly *with_facts(ht_bounds *in, const ht_poly *value) {
    for (;;) {
        const ht_poly *best = NULL;
        for (size_t i = 0; i < in->fact_count; ++i) {
            const ht_poly *next = with_fact(in, value, in->facts[i]);
            if (next && (!best || varying_terms(in, next) < varying_terms(in, best)))
                best = next;
        }
        if (!best)
            return value;
        value = best;
    }
}

/* ---- symbols ---- */

static const ht_poly *derived(ht_bounds *in, ht_km_symbol_kind kind, const ht_poly *a,
                              const ht_poly *b) {
    int64_t x, y;
    if (!a || !b)
        return NULL;
    if (kind == HT_KM_QUOTIENT &&
        ((ht_poly_is_constant(b, &y) && y == 1) || (ht_poly_is_constant(a, &x) && x == 0)))
        return a;
    if (ht_poly_is_constant(a, &x) && ht_poly_is_constant(b, &y) && y != 0)
        return ht_poly_constant(&in->km->pool, kind == HT_KM_QUOTIENT ? x / y
                                               : kind == HT_KM_MIN    ? (x < y ? x : y)
                                                                      : (x > y ? x : y));
    ht_km_symbol symbol = {.kind = kind, .scope = HT_SCOPE_LAUNCH, .operands = {a, b}};
    return ht_poly_of(&in->km->pool, ht_poly_symbol(&in->km->pool, &symbol));
}

/* Returns the larger (`high`) or smaller of two; NULL: their order is not known. */
static const ht_poly *ordered(ht_bounds *in, const ht_poly *a, const ht_poly *b, bool high) {
    const ht_poly *gap = ht_poly_add(&in->km->pool, a, b, -1),
                  *back = ht_poly_negate(&in->km->pool, gap);
    if (gap && ht_poly_never_negative(&in->km->pool, gap))
        return high ? a : b;
    return back && ht_poly_never_negative(&in->km->pool, back) ? (high ? b : a) : NULL;
}

/* Returns the larger (`high`) or smaller of two bounds. */
static const ht_poly *outer(ht_bounds *in, const ht_poly *a, const ht_poly *b, bool high) {
    const ht_poly *known = ordered(in, a, b, high);
    return known ? known : derived(in, high ? HT_KM_MAX : HT_KM_MIN, a, b);
}

/* Returns the smaller (`high`) or larger of two bounds that both hold; the simpler one if their
 * order is not known. */
static const ht_poly *inner(ht_bounds *in, const ht_poly *a, const ht_poly *b, bool high) {
    if (!a || !b)
        return a ? a : b;
    const ht_poly *known = ordered(in, a, b, !high);
    return known ? known : a->count <= b->count ? a : b;
}

static const ht_poly *launch_size(ht_bounds *in, ht_km_symbol_kind kind, int axis) {
    int64_t known = kind == HT_KM_GRID_DIM ? in->grid[axis] : in->block[axis];
    return known ? ht_poly_constant(&in->km->pool, known)
                 : ht_poly_of(&in->km->pool, ht_builtin_symbol(in->km, kind, axis));
}

static const ht_poly *axis_end(ht_bounds *in, const ht_km_symbol *symbol) {
    ht_kernel_model *km = in->km;
    const ht_poly *grid = launch_size(in, HT_KM_GRID_DIM, symbol->axis);
    const ht_poly *block = launch_size(in, HT_KM_BLOCK_DIM, symbol->axis);
    const ht_poly *last = ht_poly_plus(&in->km->pool, grid, -1);
    if (symbol->kind == HT_KM_THREAD)
        return ht_poly_plus(&in->km->pool, block, -1);
    return symbol->kind == HT_KM_BLOCK || !last ? last : ht_poly_multiply(&km->pool, last, block);
}

/* Returns true if the test never holds. Unsigned comparisons have such branches, for negative
 * numbers. */
static bool is_impossible(ht_bounds *in, const ht_km_test *test) {
    int64_t value;
    switch (test->kind) {
    case HT_TEST_FALSE:
        return true;
    case HT_TEST_AND:
        return is_impossible(in, test->left) || is_impossible(in, test->right);
    case HT_TEST_OR:
        return is_impossible(in, test->left) && is_impossible(in, test->right);
    case HT_TEST_NOT_NEGATIVE: {
        const char *reason = in->reason; /* a question is not a failure */
        int line = in->line;
        bool asking = in->asking;
        in->asking = true;
        const ht_poly *high = ht_bound(in, test->value, true);
        in->asking = asking;
        in->reason = reason;
        in->line = line;
        return high && ht_poly_is_constant(high, &value) && value < 0;
    }
    default:
        return false;
    }
}

/* Returns the last iteration, from a condition that ends the loop. */
static const ht_poly *loop_end(ht_bounds *in, size_t index, const ht_km_loop *loop,
                               const ht_km_test *test) {
    ht_poly_pool *pool = &in->km->pool;
    if (test->kind == HT_TEST_AND) {
        const ht_poly *left = loop_end(in, index, loop, test->left);
        return left ? left : loop_end(in, index, loop, test->right);
    }
    if (test->kind == HT_TEST_OR && !in->asking) { /* otherwise it would call itself without end */
        if (is_impossible(in, test->left))
            return loop_end(in, index, loop, test->right);
        const ht_poly *left = loop_end(in, index, loop, test->left);
        if (!left || is_impossible(in, test->right))
            return left;
        return outer(in, left, loop_end(in, index, loop, test->right), true);
    }
    if (test->kind != HT_TEST_NOT_NEGATIVE)
        return NULL;
    int64_t factor = 0;
    for (size_t i = 0; i < test->value->count; ++i)
        if (test->value->terms[i].count == 1 && test->value->terms[i].symbols[0] == index)
            factor = -test->value->terms[i].coefficient;
    if (factor <= 0)
        return NULL;
    const ht_poly *rest = ht_poly_add(pool, test->value, ht_poly_of(pool, index), factor);
    if (!rest || ht_poly_mentions(rest, index))
        return NULL;
    const ht_poly *end = ht_bound(in, rest, true);
    return end && factor > 1 ? derived(in, HT_KM_QUOTIENT, end, ht_poly_constant(pool, factor))
                             : end;
}

/* Returns the bound of a loaded value: elements of an argument may be filled with small numbers. */
static const ht_poly *loaded_end(ht_bounds *in, const ht_km_symbol *symbol, bool high) {
    static const char from[] = "loaded from ";
    const char *name = symbol->reason + strlen(from);
    if (!ht_text_begins(symbol->reason, from))
        return fail(in, symbol->line,
                    ht_format("a subscript is computed from a value that is not followed, %s",
                              symbol->name));
    for (size_t i = 0; i < in->km->array_count; ++i) {
        const ht_km_array *array = &in->km->arrays[i];
        if (strcmp(array->name, name) != 0)
            continue;
        if (!array->is_parameter || array->written || array->escapes)
            return fail(
                in, symbol->line,
                ht_format("a subscript is computed from '%s', which the kernel writes", name));
        bool known = false;
        for (size_t j = 0; j < in->index_count; ++j)
            known = known || in->indices[j].array == i;
        if (!known) {
            HT_GROW(in->indices, in->index_count);
            in->indices[in->index_count++] = (ht_index_array){i, INDEX_VALUES};
        }
        return ht_poly_constant(&in->km->pool, high ? INDEX_VALUES - 1 : 0);
    }
    return fail(in, symbol->line,
                ht_format("a subscript is computed from '%s', whose values are not known", name));
}

/* Returns the bound under a condition. */
static const ht_poly *bound_under(ht_bounds *in, const ht_km_test *test, const ht_poly *value,
                                  bool high) {
    size_t count = in->fact_count;
    if (test)
        test_add(in, test);
    const ht_poly *end = ht_bound(in, value, high);
    in->fact_count = count;
    return end;
}

static const ht_poly *remainder_end(ht_bounds *in, const ht_km_symbol *symbol, bool high) {
    const ht_poly *by = ht_bound(in, symbol->operands[1], true);
    const ht_poly *least = ht_bound(in, symbol->operands[0], false);
    bool positive = least && ht_poly_never_negative(&in->km->pool, least);
    if (high)
        return ht_poly_plus(&in->km->pool, by, -1);
    const ht_poly *below = ht_poly_negate(&in->km->pool, ht_poly_plus(&in->km->pool, by, -1));
    return positive ? ht_poly_constant(&in->km->pool, 0) : below;
}

static const ht_poly *symbol_end(ht_bounds *in, size_t index, bool high) {
    const ht_km_symbol symbol = in->km->pool.symbols[index]; /* the pool may grow */
    const ht_poly *zero = ht_poly_constant(&in->km->pool, 0);
    switch (symbol.kind) {
    case HT_KM_THREAD:
    case HT_KM_BLOCK:
    case HT_KM_ORIGIN:
        return high ? axis_end(in, &symbol) : zero;
    case HT_KM_LOOP: {
        if (!high)
            return zero;
        const ht_km_loop loop = in->km->loops[symbol.loop];
        const ht_poly *end = loop.normal ? loop_end(in, index, &loop, loop.condition) : NULL;
        return end ? end
                   : fail(in, loop.place.line, ht_strdup("how often a loop runs is not known"));
    }
    case HT_KM_QUOTIENT: {
        const ht_poly *by = ht_bound(in, symbol.operands[1], !high);
        return derived(in, HT_KM_QUOTIENT, ht_bound(in, symbol.operands[0], high), by);
    }
    case HT_KM_REMAINDER:
        return remainder_end(in, &symbol, high);
    case HT_KM_MIN:
    case HT_KM_MAX: {
        const ht_poly *a = ht_bound(in, symbol.operands[0], high);
        const ht_poly *b = ht_bound(in, symbol.operands[1], high);
        return (symbol.kind == HT_KM_MAX) == high ? outer(in, a, b, high) : inner(in, a, b, high);
    }
    case HT_KM_CHOICE:
        return outer(in, bound_under(in, symbol.test, symbol.operands[0], high),
                     ht_bound(in, symbol.operands[1], high), high);
    case HT_KM_OPAQUE:
        return loaded_end(in, &symbol, high);
    default:
        return fail(in, symbol.line, ht_strdup("a subscript is not followed"));
    }
}

/* ---- the whole ---- */

/* Returns the bound of a term: arguments times one varying value, or times two that are not
 * negative. */
static const ht_poly *term_end(ht_bounds *in, const ht_term *term, bool high) {
    ht_poly_pool *pool = &in->km->pool;
    ht_term fixed = {.coefficient = term->coefficient};
    const ht_poly *product = NULL;
    size_t moving = 0;
    bool upper = (term->coefficient > 0) == high;
    for (size_t i = 0; i < term->count; ++i)
        moving += varies(in, term->symbols[i]);
    for (size_t i = 0; i < term->count; ++i) {
        if (!varies(in, term->symbols[i])) {
            fixed.symbols[fixed.count++] = term->symbols[i];
            continue;
        }
        const ht_poly *end = symbol_end(in, term->symbols[i], upper);
        if (end && moving > 1) {
            const ht_poly *least = symbol_end(in, term->symbols[i], false);
            if (!least || !ht_poly_never_negative(pool, least))
                return fail(in, 0, ht_strdup("a subscript multiplies values that may be negative"));
        }
        product = product && end ? ht_poly_multiply(pool, product, end) : end;
        if (!product)
            return NULL;
    }
    const ht_poly *factor = ht_poly_make(pool, &fixed, 1);
    return factor && product ? ht_poly_multiply(pool, factor, product) : factor;
}

const ht_poly *ht_bound(ht_bounds *bounds, const ht_poly *value, bool high) {
    ht_poly_pool *pool = &bounds->km->pool;
    if (ht_poly_scope(pool, value) == HT_SCOPE_LAUNCH)
        return value;
    if (bounds->depth >= DEPTH_MAX || --bounds->budget < 0)
        return fail(bounds, 0, ht_strdup("a subscript is too deep"));
    ++bounds->depth;
    const ht_poly *turned = high ? value : ht_poly_negate(&bounds->km->pool, value);
    const ht_poly *sum = ht_poly_constant(pool, 0);
    turned = turned ? with_facts(bounds, turned) : NULL;
    for (size_t i = 0; turned && sum && i < turned->count; ++i) {
        const ht_term term = turned->terms[i];
        ht_term copy = term;
        const ht_poly *end = term_varies(bounds, &term) ? term_end(bounds, &term, true)
                                                        : ht_poly_make(pool, &copy, 1);
        sum = ht_poly_add(pool, sum, end, 1);
    }
    --bounds->depth;
    if (!turned || !sum)
        return NULL;
    return high ? sum : ht_poly_negate(&bounds->km->pool, sum);
}

/* Returns the bound over both sides of each "or" condition, taken in turn. */
static const ht_poly *bound_in_cases(ht_bounds *in, size_t next, const ht_poly *value, bool high) {
    if (next >= in->case_count)
        return ht_bound(in, value, high);
    const ht_km_test *test = in->cases[next];
    size_t facts = in->fact_count, cases = in->case_count;
    const ht_poly *ends[2];
    if (is_impossible(in, test->left) || is_impossible(in, test->right)) {
        test_add(in, is_impossible(in, test->left) ? test->right : test->left);
        ends[0] = bound_in_cases(in, next + 1, value, high);
        in->fact_count = facts;
        in->case_count = cases;
        return ends[0];
    }
    for (int side = 0; side < 2; ++side) {
        test_add(in, side ? test->right : test->left);
        ends[side] = bound_in_cases(in, next + 1, value, high);
        in->fact_count = facts;
        in->case_count = cases;
    }
    return outer(in, ends[0], ends[1], high);
}

const ht_poly *ht_bound_of_access(ht_bounds *bounds, const ht_poly *value, bool high) {
    return bound_in_cases(bounds, 0, value, high);
}
