/* 1-D convolution over a sequence, "same" padding with zeros: y_t = b + sum_j x_(t + j - kernel/2)
 * W_j. Time-major, so that each j is one matrix product. No activation. */
#ifndef HT_LAYERS_CONV1D_H
#define HT_LAYERS_CONV1D_H

#include "predictor/layers/dense.h"

typedef struct ht_conv1d {
    uint32_t inputs, outputs;
    uint32_t kernel;
} ht_conv1d;

/* Weights: W [kernel][inputs][outputs], then b [outputs]. */
size_t ht_conv1d_weights(const ht_conv1d *layer);
void ht_conv1d_init(const ht_conv1d *layer, ht_real *weights, ht_random *random);
/* x [steps][batch][inputs], y [steps][batch][outputs]. */
void ht_conv1d_forward(const ht_conv1d *layer, const ht_real *weights, size_t steps, size_t batch,
                       const ht_real *x, ht_real *y);
void ht_conv1d_backward(const ht_conv1d *layer, const ht_real *weights, size_t steps, size_t batch,
                        const ht_real *x, const ht_real *grad_y, ht_real *grad_x,
                        ht_real *grad_weights);
#endif
