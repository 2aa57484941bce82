/* The nearest index inside of each of a thread's outputs, for the author's loops in which the
 * outputs need it. Where outputs lie next to each other along x, the loops ask whether all are
 * inside, so that a compiler may load neighbours together:
 *
 *     const bool full = width - x_first >= OUTPUTS;
 *     ...
 *         const int x = full ? x_first + tx : min(x_first + tx, width - 1);
 *
 * Else it is computed once and kept, ahead of the loops:
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
/* Names the question and the arrays for what was noted. */
void ht_tiled_nearest_settle(ht_tiled *t);
/* Writes them, after the guards. */
void ht_tiled_nearest_write(ht_tiled *t, ht_writer *writer, size_t like);
/* Returns true if an axis has one of the two in the text that is being written. */
bool ht_tiled_is_kept(const ht_tiled *t, size_t axis);
/* Writes such an axis' index of an output, or the nearest one inside. */
void ht_tiled_write_nearest(const ht_tiled *t, size_t axis, const char *place, ht_writer *writer);
/* Returns when names.inside says of all outputs that they are inside, as a template expression;
 * NULL: it never does. free(). */
char *ht_tiled_full(const ht_tiled *t);
/* Returns when a thread's outputs lie next to each other along x, as a template expression; NULL:
 * they never do. free(). */
char *ht_tiled_neighbours(const ht_tiled *t);

#endif
