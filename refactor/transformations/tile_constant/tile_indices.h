/* Checks that a kernel numbers its blocks only to find where each one's tile begins. Along the axes
 * of the block, blockIdx and gridDim may only be used in products with one factor of the block's
 * constant: a block twice as large then covers twice as much, whatever the other factors are.
 * Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_INDICES_H
#define HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_INDICES_H

#include "refactor/plan/plan.h"
#include "refactor/transformations/tile_constant/tile.h"

/* Checks that along the axes of the block, blockIdx is used only for where a tile begins.
 * *out_exact: the number of threads along an axis matters as well. */
bool ht_tile_indices_fit(const ht_tiles *tiles, ht_plan *plan, bool out_exact[3]);

#endif
