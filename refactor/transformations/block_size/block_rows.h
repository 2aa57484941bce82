/* Several rows in a block, for kernels whose block reduces a row: each row has whole wavefronts of
 * its own, next to each other along the block's second axis, and shared memory of its own. Launched
 * for grids of a multiple of that many rows; for others the same kernel has one row a block.
 * Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_BLOCK_ROWS_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_BLOCK_ROWS_H

#include "refactor/plan/plan.h"

/* Makes a parameter of the number of rows, for a plan whose block along x strides over a row.
 * `reduce`: the parameter of how the block's values are combined. Adds a remark where it cannot. */
void ht_block_rows_offer(const ht_model *model, ht_plan *plan, const char *reduce);

#endif
