/* Builds kernel models, and keeps them with the kernel's facts. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_BUILD_H
#define HT_REFACTOR_KERNEL_MODEL_BUILD_H

#include "refactor/kernel_model/kernel_model.h"

/* Returns the model of a variant, without footprints. Built when it is first asked for and kept
 * with `facts`, for all that ask; symbols and polynomials that one adds to it are gone when the
 * next asks. Never fails: parts that are not understood are unknown. */
ht_kernel_model *ht_kernel_model_of(const ht_model *facts, ht_km_variant variant);
/* The same, which may lack all that isl computes: it has loops, arrays, guards, and accesses with
 * their subscripts as written, from a walk over the body that takes little time. */
ht_kernel_model *ht_kernel_model_scan(const ht_model *facts, ht_km_variant variant);
/* How often bodies were walked for a model in this process. */
size_t ht_kernel_model_builds(void);

/* Returns whether two pointer arguments (arrays of the model) may point to the same memory. HT_NO:
 * `__restrict__` or the kinds of memory rule it out. */
ht_answer ht_kernel_model_alias(const ht_kernel_model *model, size_t first, size_t second);

/* Returns true if the block's threads share the array. */
bool ht_km_is_shared(const ht_kernel_model *model, size_t array);

#endif
