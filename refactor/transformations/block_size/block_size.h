/* Parts of the transformation block-size. Private to refactor/. */
#ifndef HT_REFACTOR_BLOCK_SIZE_H
#define HT_REFACTOR_BLOCK_SIZE_H

#include "refactor/plan/plan.h"

/* Returns a free name for the parameter of the block's extent along an axis: BLOCK_X. */
const char *ht_block_name(ht_plan *plan, int axis);
/* Adds the parameter of the block's extent along an axis, with the original's extent as default. */
void ht_block_param(ht_plan *plan, int axis, const char *name, const char *values);
/* Returns the first feature that ties a kernel to its block whatever its use of indices, as words
 * that follow "the kernel"; NULL: nothing ties it. Operations on lanes count if `by_lanes`. */
const char *ht_block_pin(const ht_model *model, bool by_lanes, int *out_line);
/* Requires that a device can launch the block's number of threads. */
void ht_block_require_threads(ht_plan *plan);

#endif
