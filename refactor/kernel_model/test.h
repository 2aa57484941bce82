/* Conditions as trees over polynomials. Negations are moved to the leaves, so that an unknown leaf
 * can only make a condition weaker. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_TEST_H
#define HT_REFACTOR_KERNEL_MODEL_TEST_H

#include "refactor/kernel_model/scan.h"

const ht_km_test *ht_scan_test(ht_scan *scan, const ht_syntax *expression);
const ht_km_test *ht_test_not(ht_scan *scan, const ht_km_test *test);
const ht_km_test *ht_test_both(ht_scan *scan, ht_km_test_kind kind, const ht_km_test *left,
                               const ht_km_test *right);
const ht_km_test *ht_test_unknown(ht_scan *scan, ht_km_scope scope, const char *reason,
                                  const ht_syntax *at);
const ht_km_test *ht_test_value(ht_scan *scan, ht_km_test_kind kind, const ht_poly *value);
const ht_km_test *ht_test_plain(ht_scan *scan, ht_km_test_kind kind);
ht_km_scope ht_test_scope(const ht_poly_pool *pool, const ht_km_test *test);
bool ht_scan_guard_push(ht_scan *scan, const ht_km_test *test, const ht_syntax *at);
bool ht_test_known(const ht_km_test *test);

#endif
