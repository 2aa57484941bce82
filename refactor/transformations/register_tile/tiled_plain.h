/* Outputs of a thread along an index that is blockIdx itself, or blockIdx % n next to blockIdx / n:
 * output channels, most often. The grid stays as it is: of F neighbouring blocks the first computes
 * the outputs of all, and the others return at once. So this needs no guard, and is right for any
 * grid. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_PLAIN_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_PLAIN_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

/* Divides and settles the body again, after it was used for other questions. */
void ht_tiled_cut_again(ht_tiled *t);

/* Adds such an axis if that leaves the loops that are outside of the segments there, and reads
 * inside of loops are the same along it. The body must be divided and settled before the call, and
 * is so after it. */
void ht_tiled_add_plain(ht_tiled *t);
/* Writes the block's part along it, at the index's declaration in the source. */
void ht_tiled_write_plain(ht_tiled *t, const ht_syntax *declaration, ht_writer *writer,
                          size_t like);

#endif
