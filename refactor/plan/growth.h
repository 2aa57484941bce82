/* Limits the code that a configuration makes a compiler write out. It is estimated as the accesses
 * in a loop's body, times the unroll factors of this loop and those around it, times the outputs of
 * a thread. Compilers take minutes for tens of thousands of accesses, and their code then does not
 * fit into registers, so the requires leave out configurations above a limit. */
#ifndef HT_REFACTOR_PLAN_GROWTH_H
#define HT_REFACTOR_PLAN_GROWTH_H

#include "refactor/plan/transform.h"

/* Adds requires that keep the code of a configuration small enough for compilers. */
void ht_plan_limit_growth(ht_plan *plan);

#endif
