/* Asking whether a variable in the kernel's body may answer for blockIdx (and threadIdx): for
 * transformations that give blocks or threads other places. Private to refactor/transformations. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_PLACES_H
#define HT_REFACTOR_TRANSFORMATIONS_PLACES_H

#include "refactor/plan/transform.h"

/* NULL: the kernel's own text is all that asks for its place, by that name; else why not. Static
 * text. `threads`: threadIdx too. */
const char *ht_places_obstacle(const ht_model *model, bool threads);

#endif
