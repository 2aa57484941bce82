/* The part of each array that a block accesses: the hull of the images of its threads and loops.
 * Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_FOOTPRINT_H
#define HT_REFACTOR_KERNEL_MODEL_FOOTPRINT_H

#include "refactor/kernel_model/kernel_model.h"

/* Adds the footprints to a model; call it once. They take most of the time, and proofs do not need
 * them. */
void ht_kernel_model_footprints(ht_kernel_model *model);

#endif
