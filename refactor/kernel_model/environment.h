/* Values of variables during the walk over the body. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_ENVIRONMENT_H
#define HT_REFACTOR_KERNEL_MODEL_ENVIRONMENT_H

#include "refactor/kernel_model/scan.h"

const ht_km_value *ht_environment_find(const ht_scan *scan, size_t variable);
void ht_environment_set(ht_scan *scan, size_t variable, ht_km_value value);
ht_environment ht_environment_copy(const ht_scan *scan);
void ht_environment_free(ht_environment *environment);
/* Merges values after an `if`: those of `then` where the test holds, else the scan's own. */
void ht_environment_join(ht_scan *scan, const ht_km_test *test, const ht_environment *then,
                         const ht_syntax *at);
/* Returns the variables of the environment that a statement assigns to. free(). */
size_t *ht_scan_assigned(const ht_scan *scan, const ht_syntax *statement, size_t *out_count);
/* Finds variables whose address is taken or that a reference is bound to: their values are not
 * followed. */
void ht_scan_find_escaped(ht_scan *scan, const ht_syntax *body);
void ht_scan_forget(ht_scan *scan, const size_t *variables, size_t count, const ht_syntax *at);

#endif
