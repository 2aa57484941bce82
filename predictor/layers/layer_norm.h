/* Layer normalisation (Ba et al. 2016): each row to mean 0 and variance 1, then times gain, plus
 * bias. */
#ifndef HT_LAYERS_LAYER_NORM_H
#define HT_LAYERS_LAYER_NORM_H

#include "predictor/math/blas.h"

#include <stdint.h>

typedef struct ht_layer_norm {
    uint32_t width;
} ht_layer_norm;

/* Weights: gain [width], bias [width]. */
size_t ht_layer_norm_weights(const ht_layer_norm *layer);
void ht_layer_norm_init(const ht_layer_norm *layer, ht_real *weights); /* 1 and 0 */
size_t ht_layer_norm_cache(const ht_layer_norm *layer, size_t rows);
/* x, y [rows][width]; y may be x when no backward follows. */
void ht_layer_norm_forward(const ht_layer_norm *layer, const ht_real *weights, size_t rows,
                           const ht_real *x, ht_real *y, ht_real *cache);
void ht_layer_norm_backward(const ht_layer_norm *layer, const ht_real *weights, size_t rows,
                            const ht_real *x, const ht_real *grad_y, const ht_real *cache,
                            ht_real *grad_x, ht_real *grad_weights);
#endif
