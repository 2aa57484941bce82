/* block-size for kernels whose threads share memory, if nothing ties the block to the computed
 * values: several of the original's blocks become one, each with its own arrays, next to each
 * other. Small blocks make better use of a compute unit that way. Each thread sees the original's
 * indices (block_renumber.c). Barriers then wait for more threads than necessary, which is legal if
 * all blocks reach the same barriers. Results are identical to the bit. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_BLOCK_GROUP_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_BLOCK_GROUP_H

#include "refactor/plan/plan.h"

/* Joins several blocks whose threads share memory in one. Returns false, with a remark, if it
 * cannot; the caller then takes back its additions. */
bool ht_block_group_apply(const ht_model *model, ht_plan *plan);

/* Gives each of `param` parts of a block, the thread's of which is the expression `group`, static
 * shared arrays of its own, as far as they fit. Returns why that cannot be, with the place; NULL:
 * it is done. */
const char *ht_block_group_arrays(const ht_model *model, ht_plan *plan, const char *param,
                                  const char *group, ht_position *out_at);

#endif
