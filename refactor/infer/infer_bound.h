/* Bounds of polynomials over threads, blocks and loops, as polynomials over values that are the
 * same for the whole launch. Each step only widens a bound, so that every result holds. Private to
 * refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_BOUND_H
#define HT_REFACTOR_INFER_INFER_BOUND_H

#include "refactor/kernel_model/kernel_model.h"

/* An array whose loaded values are subscripts or bounds of loops, and so must be in 0 .. `limit` -
 * 1. */
typedef struct ht_index_array {
    size_t array; /* of the model */
    int64_t limit;
} ht_index_array;

enum { HT_BOUND_CASES_MAX = 5 };

typedef struct ht_bounds {
    ht_kernel_model *km;
    int64_t grid[3], block[3]; /* 0: not a number */
    const ht_poly **facts;     /* values that are not negative at the access */
    size_t fact_count;
    const ht_km_test *cases[HT_BOUND_CASES_MAX]; /* conditions of which one side holds there */
    size_t case_count;
    bool asking; /* a condition is being tested */
    int depth;
    long budget;
    ht_index_array *indices; /* those that were needed so far; owned */
    size_t index_count;
    const char *reason; /* the first reason why there is no bound; owned by the model's pool */
    int line;           /* line of the reason; 0: the access's own */
} ht_bounds;

void ht_bounds_init(ht_bounds *bounds, ht_kernel_model *km);
void ht_bounds_free(ht_bounds *bounds);
/* Assumes the guards and loops around a place. */
void ht_bounds_enter(ht_bounds *bounds, const ht_km_control *control);
/* Returns a polynomial over values that are the same for the launch, which the value never exceeds
 * (`high`) or never falls below. Sizes are taken as not negative, divisors as positive. NULL:
 * unknown. */
const ht_poly *ht_bound(ht_bounds *bounds, const ht_poly *value, bool high);
/* Returns such a bound for all sides of the conditions around the access. */
const ht_poly *ht_bound_of_access(ht_bounds *bounds, const ht_poly *value, bool high);
/* Returns true if the polynomial is >= 0 for all sizes of at least 1. False: not known. */
bool ht_poly_never_negative(const ht_poly_pool *pool, const ht_poly *poly);

#endif
