/* Accesses of different threads to the same memory: pairs of which one writes, decided by isl.
 * Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_DEPENDENCE_H
#define HT_REFACTOR_KERNEL_MODEL_DEPENDENCE_H

#include "refactor/kernel_model/kernel_model.h"

/* Finds dependences between the threads of a launch, and of a block for shared arrays; barriers. */
void ht_km_dependences(ht_kernel_model *km);
void ht_km_barriers(ht_kernel_model *km);

#endif
