/* Kernels that are there to be read. Private to refactor/. */
#ifndef HT_REFACTOR_UNIT_TO_READ_H
#define HT_REFACTOR_UNIT_TO_READ_H

#include "refactor/plan/plan.h"

/* Adds a remark of the kind `doubt` if a patch of the kernel is probably not wanted, though it can
 * be made: the kernel is called naive, by its name or by the comment above it; it is the first of
 * kernel1, kernel2, kernel3; or it is all that a small program shows. */
void ht_to_read_remark(ht_plan *plan);

#endif
