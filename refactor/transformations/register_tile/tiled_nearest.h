/* The nearest index inside of each of a thread's outputs, computed once and kept, ahead of the
 * author's loops in which the outputs need it:
 *
 *     int y_clamped[OUTPUTS];
 *     for (int ty = 0; ty < OUTPUTS; ++ty)
 *         y_clamped[ty] = min(y_first + ty, height - 1);
 *
 * For applied sources in which all outputs have one body. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_NEAREST_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_NEAREST_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

/* Notes that a statement needs the nearest index inside. The text that is being written is thrown
 * away, and written again. */
void ht_tiled_nearest_note(ht_tiled *t, size_t axis, const ht_syntax *statement);
/* Names the arrays for what was noted. */
void ht_tiled_nearest_settle(ht_tiled *t);
/* Writes the arrays, after the guards. */
void ht_tiled_nearest_write(ht_tiled *t, ht_writer *writer, size_t like);
/* Returns true if an axis has an array in the text that is being written. */
bool ht_tiled_is_kept(const ht_tiled *t, size_t axis);

#endif
