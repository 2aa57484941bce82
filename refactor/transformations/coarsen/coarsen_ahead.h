/* Declarations that are the same for all outputs of a thread, which stay ahead of the loop over
 * them. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_AHEAD_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_AHEAD_H

#include "refactor/transformations/coarsen/coarsen_layout.h"

/* Returns how many parts after the guard, which is `if (x >= W) return;` and the last one, are such
 * declarations. They run only for threads that have an output, as in the original; memory that they
 * read is written by nothing in the kernel. */
size_t ht_ahead_count(ht_coarsen *c, const ht_layout *layout, const ht_part *guard);

#endif
