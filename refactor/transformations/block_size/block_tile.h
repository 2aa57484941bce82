/* block-size for kernels whose threads work together: one named constant (a macro, a constexpr, a
 * template parameter of the kernel) determines the block, the shared arrays and the loops. It
 * becomes the parameter wherever it is used, or not at all. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_BLOCK_TILE_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_BLOCK_TILE_H

#include "refactor/plan/plan.h"

/* For kernels whose threads work together: makes a parameter of the named constant that ties block,
 * arrays and loops. Returns false, with a remark, if it cannot; the caller then takes back its
 * additions. */
bool ht_block_tile_apply(const ht_model *model, ht_plan *plan);

#endif
