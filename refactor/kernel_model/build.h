/* The steps of building a kernel model. Private to refactor/kernel_model/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_BUILD_H
#define HT_REFACTOR_KERNEL_MODEL_BUILD_H

#include "refactor/kernel_model/kernel_model.h"

/* split.c: the dimensions of an access. */
void ht_km_split(ht_kernel_model *km, ht_km_access *access);
/* dependence.c: between the threads of a launch, and of a block for shared arrays; barriers. */
void ht_km_dependences(ht_kernel_model *km);
void ht_km_barriers(ht_kernel_model *km);

#endif
