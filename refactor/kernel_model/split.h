/* Splits the subscript of a flat array into dimensions: (n * H + y) * W + x is [n][y][x] with the
 * strides H * W, W and 1. A product of arguments is taken as a stride if the index below it is
 * proved to stay below the stride, or moves with the thread. In the latter case nothing is proved,
 * and the access is not `aligned`. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_SPLIT_H
#define HT_REFACTOR_KERNEL_MODEL_SPLIT_H

#include "refactor/kernel_model/kernel_model.h"

/* Finds the dimensions of an access. */
void ht_km_split(ht_kernel_model *km, ht_km_access *access);

#endif
