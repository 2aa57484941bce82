/* Walking: along one axis a thread computes its outputs in turn, in a loop around the rest of the
 * tiled form, so that it can keep values in registers that the next output needs again. Private to
 * refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_STREAM_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_STREAM_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

/* Makes a thread compute `param` outputs along an axis in turn, in a loop around everything else;
 * the axis must have one output for each thread. `fresh` is a variable of the form: true for the
 * first of them. `param` NULL: not any more. */
void ht_tiled_walk(ht_tiled_form *form, size_t axis, const char *param, const char *fresh);
/* Writes this thread's first output along an axis. */
void ht_tiled_write_first(ht_tiled *t, size_t axis, ht_writer *writer, size_t like);
/* Writes the calls, in a loop if outputs are walked. */
void ht_tiled_write_walk(ht_tiled *t, ht_writer *writer, size_t like);

#endif
