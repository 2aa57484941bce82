/* Arrays that are both read and written, but by each output at its own element only: out[i] =
 * f(out[i]). All accesses have the same index, made of the outputs' indices. If two threads had the
 * same element, the original would have a race. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_IN_PLACE_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_IN_PLACE_H

#include "refactor/transformations/coarsen/coarsen_state.h"

/* Returns true if each element of an array parameter is accessed by one output only. */
bool ht_coarsen_is_in_place(ht_coarsen *c, size_t variable);
/* Returns true if all accesses to it are in one assignment. */
bool ht_coarsen_is_in_one_statement(const ht_coarsen *c, size_t variable);

#endif
