/* Reads that are the same for outputs of which some pass a test and some do not (coarsen_carry.c):
 * the weights of a convolution, whose outputs are at the input's edge or not. If each output makes
 * its own test, no compiler makes one read of them. So they are read before the tests, once, if one
 * output passes: no address is read that the original did not read.
 *
 *     bool any = false;
 *     for (tp ...) any = any || !(h < 0 || h >= H);
 *     float flt_once[COARSEN_X];
 *     if (any) for (tx ...) flt_once[tx] = flt[...];
 *     for (tp ...) for (tx ...) {
 *         if (h < 0 || h >= H)
 *             continue;
 *         acc[tp][tx] += ... * flt_once[tx];
 *     }
 *
 * Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_ONCE_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_ONCE_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

/* Returns true if the list has only sums and the like: what is read for certain in it is read for
 * every output that passes the tests ahead. */
bool ht_tiled_is_straight(ht_syntax_list list, size_t begin, size_t end);
/* Writes such reads before a segment's loops. Returns false if there are none. Until the end, the
 * swaps that are collected use them. */
bool ht_tiled_once_begin(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                         ht_writer *writer, size_t like);
void ht_tiled_once_end(ht_tiled *t, ht_writer *writer, size_t like);

/* For these, and for reads ahead of the loops over outputs (tiled_ahead.h). Returns the text in
 * place of a node of the segment that is being written; NULL: it has none. Borrowed. */
const char *ht_tile_onces_text(const ht_tile_onces *of, const ht_syntax *node);
/* The segment has been written. */
void ht_tile_onces_leave(ht_tile_onces *of);
void ht_tile_onces_free(ht_tile_onces *of);

#endif
