/* Reasons against coarsening, and against computing outputs together. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_CHECKS_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_CHECKS_H

#include "refactor/transformations/coarsen/coarsen_state.h"

/* Refuses calls of functions with unknown effects. */
void ht_coarsen_check_calls(ht_coarsen *c);
/* Sets apart_reason if the outputs of one thread cannot be computed together. `at_once`: arrays
 * that are written may be read only in the statement that writes them. */
void ht_coarsen_check_jam(ht_coarsen *c, bool at_once);

#endif
