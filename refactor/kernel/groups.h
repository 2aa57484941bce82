/* A block's threads as a cooperative group. A kernel that asks the group for nothing but a barrier
 * meets as at __syncthreads(), and its block may be another one; what else groups are asked for
 * depends on the order, the shape and the number of a block's threads. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_GROUPS_H
#define HT_REFACTOR_KERNEL_GROUPS_H

#include "refactor/source/libclang.h"

#include <stdbool.h>

/* Returns true for cg::sync(block) and block.sync() where `block` is a variable that is the block's
 * group, or this_thread_block(). */
bool ht_group_is_barrier(CXCursor call);
/* Returns true if an expression or a reference to a type or function asks a group for something
 * other than a barrier of the whole block, or may do so. */
bool ht_group_is_other(CXCursor cursor);

#endif
