/* The two halves of the block-size transformation. Private to refactor/. */
#ifndef HT_REFACTOR_BLOCK_SIZE_H
#define HT_REFACTOR_BLOCK_SIZE_H

#include "refactor/geometry.h"

/* For kernels whose threads work together: promotes the named constant that ties block, arrays and
 * loops. False, with a remark, when it cannot; what was added must then be taken back. */
bool ht_block_tile_apply(const ht_model *model, ht_plan *plan);

/* For kernels whose threads stride over ranges by the block. False: they do not, or it is not
 * proved; nothing was added. */
bool ht_block_stride_apply(const ht_model *model, ht_plan *plan);

#endif
