/* The parts of the block-size transformation. Private to refactor/. */
#ifndef HT_REFACTOR_BLOCK_SIZE_H
#define HT_REFACTOR_BLOCK_SIZE_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"

/* A free name for the parameter that is the block's extent along an axis: BLOCK_X. */
const char *ht_block_name(ht_plan *plan, int axis);

/* For kernels whose threads work together: promotes the named constant that ties block, arrays and
 * loops. False, with a remark, when it cannot; what was added must then be taken back. */
bool ht_block_tile_apply(const ht_model *model, ht_plan *plan);

/* For kernels whose threads stride over ranges by the block. False: they do not, or it is not
 * proved; nothing was added. */
bool ht_block_stride_apply(const ht_model *model, ht_plan *plan);
/* Returns true if the body of such a loop does the same whichever thread runs an iteration, and in
 * whichever block. */
bool ht_block_loop_is_uniform(const ht_model *model, CXCursor loop, CXCursor body);
/* Returns true if all threads come to all of these loops. They are statements of the kernel's body
 * itself, with no return in front of them. */
bool ht_block_loops_are_reached(const ht_model *model, const CXCursor *loops, size_t count);

#endif
