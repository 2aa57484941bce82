/* Which parts of a kernel depend on the thread that runs them, or on the block's number of threads.
 * Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_THREADS_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_THREADS_H

#include "refactor/kernel/syntax.h"

/* Returns true for an `if` of the kernel's body, without `else`, for the first thread along x, in
 * which nothing but memory is changed. */
bool ht_is_first_thread(const ht_syntax *statement);
/* Returns the first node below `node`, of a whole tree, that depends on threadIdx.x, blockDim.x or
 * lanes, by itself, by a variable or in a function (where barriers and shared memory count, too);
 * NULL: none does. */
const ht_syntax *ht_threads_named(const ht_syntax *node);
/* Returns true for such a call. */
bool ht_threads_called(const ht_syntax *call);

#endif
