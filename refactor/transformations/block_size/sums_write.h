/* Writes reductions over a block (block_sums.h) for blocks of any size. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_SUMS_WRITE_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_SUMS_WRITE_H

#include "refactor/plan/plan.h"
#include "refactor/transformations/block_size/block_sums.h"

/* How a block's threads combine their values: a parameter. */
enum {
    HT_REDUCE_OWN,    /* as the author wrote it */
    HT_REDUCE_LANES,  /* by shuffles of 32 lanes, and shared memory between them */
    HT_REDUCE_SHARED, /* by a tree in shared memory */
};

/* Adds edits that combine values by the parameter `reduce`, in blocks of `block` threads. Returns
 * false if the plan takes back what the running transformation added. */
bool ht_sums_write(ht_plan *plan, const ht_block_sums *sums, const char *reduce, const char *block);

#endif
