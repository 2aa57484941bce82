/* block-size for kernels in which threads stride over a range by the block:
 *
 *     for (int i = threadIdx.x; i < n; i += blockDim.x) ...
 *
 * The block decides which thread runs an iteration, but not which iterations run. If the thread's
 * index has no other use, no value is carried from one iteration to the next, and no two iterations
 * access the same memory (the kernel model proves this for blocks of any size), the block may have
 * any size. The grid stays as it was, so blockIdx may have any use. If threads also work on their
 * global index, the number of threads stays. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_BLOCK_STRIDE_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_BLOCK_STRIDE_H

#include "refactor/plan/plan.h"
#include "refactor/transformations/block_size/stride_loop.h"

/* For kernels whose threads stride over ranges by the block. Returns false if they do not or that
 * is not proved; then nothing was added. */
bool ht_block_stride_apply(const ht_model *model, ht_plan *plan);
/* Lists the loops of such a kernel along an axis, if any thread of the block may run any of their
 * iterations. Returns false if there are none or that is not proved. The caller frees `*out_loops`.
 */
bool ht_block_stride_loops(const ht_model *model, int axis, ht_stride_loop **out_loops,
                           size_t *out_count);

#endif
