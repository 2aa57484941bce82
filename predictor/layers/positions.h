/* Sinusoidal positions (Vaswani et al. 2017, section 3.5), added to x [places][batch][width]; the
 * first place is number `first`. A constant: gradients pass unchanged. */
#ifndef HT_LAYERS_POSITIONS_H
#define HT_LAYERS_POSITIONS_H

#include "predictor/math/blas.h"

void ht_positions_add(size_t first, size_t places, size_t batch, size_t width, ht_real *x);
#endif
