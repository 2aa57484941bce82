/* Preprocessor conditionals that depend on a block's macro. The syntax tree has only the branches
 * that the original's value selects, so other values must select the same ones: each such condition
 * becomes a require. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_CONDITIONS_H
#define HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_CONDITIONS_H

#include "refactor/plan/plan.h"
#include "refactor/transformations/tile_constant/tile.h"

/* Adds requires so that conditionals which depend on the constants select the same branches, and
 * notes the constants that the preprocessor must know. Returns false, with a remark, if a condition
 * is not understood. */
bool ht_tile_conditions_fit(ht_tiles *tiles, ht_plan *plan);

#endif
