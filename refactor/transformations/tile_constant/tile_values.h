/* Decides whether the block's size affects the values that a kernel computes, and not only where it
 * reads and writes. A division by the block, a sum over halves of halves of it, or a tile read
 * backwards gives other results with another block. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_VALUES_H
#define HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_VALUES_H

#include "refactor/plan/plan.h"
#include "refactor/transformations/tile_constant/tile.h"

/* Checks that the constants affect only where threads read and write, never what they compute. */
bool ht_tile_values_fit(const ht_tiles *tiles, ht_plan *plan);

#endif
