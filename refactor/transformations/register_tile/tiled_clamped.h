/* Indices that the author clamps himself: min(max(x + k, 0), width - 1). Private to the files of
 * this folder. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_CLAMPED_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_CLAMPED_H

#include "refactor/transformations/register_tile/tiled_parts.h"

/* Returns true if the statements list[begin..end) read, for an output past the bound of an axis, no
 * other elements than for the last one inside: all that they make of its index goes through the
 * author's own clamp at that bound, and he reads the bound's element for some iteration of the loop
 * around them. Then nothing has to keep the index inside. */
bool ht_tiled_is_clamped(ht_tiled *t, size_t axis, ht_syntax_list list, size_t begin, size_t end);

#endif
