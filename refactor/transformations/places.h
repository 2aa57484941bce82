/* Decides whether a variable in the kernel's body may provide blockIdx (and threadIdx), for
 * transformations that give blocks or threads other places. Private to refactor/transformations. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_PLACES_H
#define HT_REFACTOR_TRANSFORMATIONS_PLACES_H

#include "refactor/kernel/model.h"

/* Returns NULL if only the kernel's own text gets places, by that name; else why not, as static
 * text. `threads`: also for threadIdx. */
const char *ht_places_obstacle(const ht_model *model, bool threads);

#endif
