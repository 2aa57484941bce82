/* Counts isl's operations. isl stops at a limit that it is given but does not report its count, so
 * the count is found by bisection: with a limit below the count, isl refuses. Private to refactor/.
 */
#ifndef HT_REFACTOR_KERNEL_MODEL_STEP_H
#define HT_REFACTOR_KERNEL_MODEL_STEP_H

#include "refactor/kernel_model/kernel_model.h"

/* Ends a question to isl: its operations are subtracted from those that the kernel may use, and the
 * next question gets the rest. Once none are left, isl answers nothing and everything asked is
 * unknown. */
void ht_km_step(ht_kernel_model *model);

#endif
