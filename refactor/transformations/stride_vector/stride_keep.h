/* Elements that a thread accesses in several loops over the same row:
 *
 *     for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[row * n + i] * x[row * n + i];
 *     ...                                                     // the block's sum
 *     for (int i = threadIdx.x; i < n; i += blockDim.x) y[row * n + i] = x[row * n + i] * scale;
 *
 * The first iterations of each thread, as many as a parameter says, keep them in registers or in
 * shared memory; others read them again. So it is right for rows of any length. Private to the
 * files of this folder. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_STRIDE_KEEP_H
#define HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_STRIDE_KEEP_H

#include "refactor/transformations/stride_vector/widening.h"

typedef struct ht_stride_keep ht_stride_keep;

/* Finds what the loops may keep, and writes them for it; before their own edits, which have names
 * by then. Borrows them. _apply: adds edits, parameters and remarks; after the loops' own.
 * ht_stride_keep_free. */
ht_stride_keep *ht_stride_keep_new(ht_plan *plan, ht_widening *loops, size_t count);
/* Returns the parameter of how many are kept; NULL: nothing is. */
const char *ht_stride_keep_param(const ht_stride_keep *keep);
void ht_stride_keep_apply(ht_stride_keep *keep);
void ht_stride_keep_free(ht_stride_keep *keep);

#endif
