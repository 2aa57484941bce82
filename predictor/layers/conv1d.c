#include "predictor/layers/conv1d.h"

#include "predictor/math/real_vector.h"

#include <string.h>

size_t ht_conv1d_weights(const ht_conv1d *layer) {
    return ((size_t)layer->kernel * layer->inputs + 1) * layer->outputs;
}

void ht_conv1d_init(const ht_conv1d *layer, ht_real *weights, ht_random *random) {
    const size_t matrix = (size_t)layer->kernel * layer->inputs * layer->outputs;
    ht_weights_uniform(weights, matrix,
                       ht_weights_limit((size_t)layer->kernel * layer->inputs,
                                        (size_t)layer->kernel * layer->outputs),
                       random);
    memset(weights + matrix, 0, layer->outputs * sizeof *weights);
}

/* For one element of the kernel: output places [to, to + count) see input places [from, from +
 * count). */
typedef struct reach {
    size_t from, to, count;
} reach;

static reach reach_of(const ht_conv1d *layer, size_t steps, size_t element) {
    const size_t half = layer->kernel / 2;
    const size_t shift = element < half ? half - element : element - half;
    const size_t count = shift < steps ? steps - shift : 0;
    return element < half ? (reach){.from = 0, .to = shift, .count = count}
                          : (reach){.from = shift, .to = 0, .count = count};
}

void ht_conv1d_forward(const ht_conv1d *layer, const ht_real *weights, size_t steps, size_t batch,
                       const ht_real *x, ht_real *y) {
    const size_t in = layer->inputs, out = layer->outputs;
    ht_rows_fill(steps * batch, out, weights + layer->kernel * in * out, y, out);
    for (size_t j = 0; j < layer->kernel; ++j) {
        const reach reach = reach_of(layer, steps, j);
        ht_gemm(false, false, reach.count * batch, out, in, 1, x + reach.from * batch * in, in,
                weights + j * in * out, out, 1, y + reach.to * batch * out, out);
    }
}

void ht_conv1d_backward(const ht_conv1d *layer, const ht_real *weights, size_t steps, size_t batch,
                        const ht_real *x, const ht_real *grad_y, ht_real *grad_x,
                        ht_real *grad_weights) {
    const size_t in = layer->inputs, out = layer->outputs;
    for (size_t j = 0; j < layer->kernel; ++j) {
        const reach reach = reach_of(layer, steps, j);
        const ht_real *above = grad_y + reach.to * batch * out;
        if (grad_x)
            ht_gemm(false, true, reach.count * batch, in, out, 1, above, out,
                    weights + j * in * out, out, 1, grad_x + reach.from * batch * in, in);
        ht_gemm(true, false, in, out, reach.count * batch, 1, x + reach.from * batch * in, in,
                above, out, 1, grad_weights + j * in * out, out);
    }
    ht_rows_sum(steps * batch, out, grad_y, out, grad_weights + layer->kernel * in * out);
}
