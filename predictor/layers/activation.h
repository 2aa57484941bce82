/* Element-wise activations. Forward: y may be x. Backward works from the outputs y where it can; it
 * ADDS to grad_x. */
#ifndef HT_LAYERS_ACTIVATION_H
#define HT_LAYERS_ACTIVATION_H

#include "predictor/math/blas.h"

void ht_relu_forward(size_t count, const ht_real *x, ht_real *y);
void ht_relu_backward(size_t count, const ht_real *y, const ht_real *grad_y, ht_real *grad_x);
void ht_tanh_forward(size_t count, const ht_real *x, ht_real *y);
void ht_tanh_backward(size_t count, const ht_real *y, const ht_real *grad_y, ht_real *grad_x);
/* Hendrycks and Gimpel 2016, by tanh; backward from the inputs x. */
void ht_gelu_forward(size_t count, const ht_real *x, ht_real *y);
void ht_gelu_backward(size_t count, const ht_real *x, const ht_real *grad_y, ht_real *grad_x);
/* y += x. */
void ht_add(size_t count, const ht_real *x, ht_real *y);
#endif
