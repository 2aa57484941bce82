/* Decides which elements of the box may be loaded: finds tests that every element passes that the
 * original reads, and that no element outside of the allocation passes.
 *
 * The image of the reads over all blocks, threads and inner loops, guards included, is projected to
 * each dimension, and its hull gives the tests. If that lets too much through, the image's pieces
 * give them. An element that passes them all lies between two elements that are read (one no larger
 * and one no smaller in each dimension, with strides that are not negative), hence between two
 * addresses of one allocation. isl proves this.
 *
 * The tests do not mention the number of threads along the grid's axes. Either the grid reaches the
 * guard's bound, which is then the same limit, or all threads of the block exist and read its box:
 * where there is no test for an end, no condition may keep some of them from reading. Private to
 * refactor/. */
#ifndef HT_REFACTOR_STAGING_BOUNDS_H
#define HT_REFACTOR_STAGING_BOUNDS_H

#include "refactor/staging/stage.h"

/* Computes which elements may be loaded. Returns false with `problem`. */
bool ht_stage_bounds(ht_stage *stage);
/* Returns true if the tests depend on the block's own place along an axis, other than by a
 * division. */
bool ht_stage_asks_block(const ht_stage *stage, int axis);

#endif
