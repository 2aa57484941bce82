#include "predictor/layers/dense.h"

#include "predictor/math/real_vector.h"

#include <math.h>
#include <string.h>

void ht_weights_uniform(ht_real *weights, size_t count, double limit, ht_random *random) {
    for (size_t i = 0; i < count; ++i)
        weights[i] = (ht_real)((2 * ht_random_unit(random) - 1) * limit);
}

double ht_weights_limit(size_t inputs, size_t outputs) {
    return sqrt(6.0 / (double)(inputs + outputs));
}

size_t ht_dense_weights(const ht_dense *layer) {
    return (size_t)layer->inputs * layer->outputs + layer->outputs;
}

void ht_dense_init(const ht_dense *layer, ht_real *weights, ht_random *random) {
    const size_t matrix = (size_t)layer->inputs * layer->outputs;
    ht_weights_uniform(weights, matrix, ht_weights_limit(layer->inputs, layer->outputs), random);
    memset(weights + matrix, 0, layer->outputs * sizeof *weights);
}

void ht_dense_forward(const ht_dense *layer, const ht_real *weights, size_t rows, const ht_real *x,
                      ht_real *y) {
    const size_t in = layer->inputs, out = layer->outputs;
    ht_rows_fill(rows, out, weights + in * out, y, out);
    ht_gemm(false, false, rows, out, in, 1, x, in, weights, out, 1, y, out);
}

void ht_dense_backward(const ht_dense *layer, const ht_real *weights, size_t rows, const ht_real *x,
                       const ht_real *grad_y, ht_real *grad_x, ht_real *grad_weights) {
    const size_t in = layer->inputs, out = layer->outputs;
    if (grad_x)
        ht_gemm(false, true, rows, in, out, 1, grad_y, out, weights, out, 1, grad_x, in);
    ht_gemm(true, false, in, out, rows, 1, x, in, grad_y, out, 1, grad_weights, out);
    ht_rows_sum(rows, out, grad_y, out, grad_weights + in * out);
}
