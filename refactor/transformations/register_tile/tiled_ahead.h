/* Reads in the author's loops that no output's index has a part in, or only indices along axes with
 * one output a thread. They stand ahead of the loops over outputs, once:
 *
 *     const float in_value = in[((n * H + h) * W + w) * C + c];
 *     for (int tk = 0; tk < OUTPUTS; ++tk) {
 *         const int k = ...;
 *         acc[tk] += in_value * flt[((r * S + s) * C + c) * K + k];
 *     }
 *
 * Compilers do that by themselves; a reader sees what outputs share. For applied sources in which
 * all outputs have one body. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_AHEAD_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_AHEAD_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

/* Writes such reads of a segment without effects, t->ahead. Returns false if there are none. Until
 * it is left (ht_tile_onces_leave), the swaps that are collected name them. */
bool ht_tiled_ahead_begin(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                          ht_writer *writer, size_t like);

#endif
