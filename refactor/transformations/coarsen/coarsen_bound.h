/* Proofs about the bound of the global index over x from the launch, whose blocks along x are the
 * bound divided by the block and rounded up. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_BOUND_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_BOUND_H

#include "refactor/transformations/coarsen/coarsen_guard.h"

/* Returns true if the guard's bound is above 0 wherever a block is launched. */
bool ht_bound_is_positive(const ht_coarsen *c, const ht_guard *guard);
/* Returns when x0 + COARSEN_X does not overflow for an index x0 below the bound, as a template
 * expression; free(). NULL: that is not known. */
char *ht_bound_sum_fits(const ht_coarsen *c, const ht_guard_term *term);

#endif
