/* A dense layer, y = x W + b; and the rules of all layers:
 *
 * A layer is a struct of dimensions. Its weights are one array that the caller keeps; so are
 * inputs, outputs and caches; forward and backward allocate nothing. `rows` are places of a batch:
 * a sequence is [steps][batch][width] (time-major), so a layer that treats places alike takes steps
 * * batch rows at once. ALL gradients are ADDED to what is there: the caller zeroes them. A
 * gradient argument for an input may be NULL when it is not wanted. A backward needs of its forward
 * the `cache`, of ht_X_cache reals, written by forward, used up by backward (which may overwrite
 * it). */
#ifndef HT_LAYERS_DENSE_H
#define HT_LAYERS_DENSE_H

#include "base/random.h"
#include "predictor/math/blas.h"

#include <stdint.h>

typedef struct ht_dense {
    uint32_t inputs, outputs;
} ht_dense;

/* Weights: W [inputs][outputs], then b [outputs]. */
size_t ht_dense_weights(const ht_dense *layer);
/* Glorot and Bengio 2010, uniform; b zero. */
void ht_dense_init(const ht_dense *layer, ht_real *weights, ht_random *random);
void ht_dense_forward(const ht_dense *layer, const ht_real *weights, size_t rows, const ht_real *x,
                      ht_real *y);
void ht_dense_backward(const ht_dense *layer, const ht_real *weights, size_t rows, const ht_real *x,
                       const ht_real *grad_y, ht_real *grad_x, ht_real *grad_weights);

/* Uniform numbers in [-limit, limit): what every layer is initialised with. */
void ht_weights_uniform(ht_real *weights, size_t count, double limit, ht_random *random);
/* Glorot's limit, sqrt(6 / (inputs + outputs)). */
double ht_weights_limit(size_t inputs, size_t outputs);
#endif
