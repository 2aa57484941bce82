/* Gives a named constant its new value in an applied source: at its definition if only this kernel
 * and its launches use it, else by a definition for this kernel alone. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_APPLY_H
#define HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_APPLY_H

#include "refactor/plan/plan.h"
#include "refactor/transformations/tile_constant/tile.h"

/* Returns true if only the kernel, what it calls and its launches use the constant's name. */
bool ht_tile_alone(const ht_tiles *tiles, const ht_tile *tile, const ht_plan *plan);
/* Adds edits that give the constants their new values in applied sources. Returns false if that is
 * not possible. */
bool ht_tile_apply_edits(const ht_tiles *tiles, ht_plan *plan);

#endif
