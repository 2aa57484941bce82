#include "predictor/layers/layer_norm.h"

#include "predictor/math/real_math.h"

#include <math.h>

static const ht_real tiny = (ht_real)1e-5; /* added to the variance */

size_t ht_layer_norm_weights(const ht_layer_norm *layer) {
    return 2 * (size_t)layer->width;
}

void ht_layer_norm_init(const ht_layer_norm *layer, ht_real *weights) {
    for (size_t i = 0; i < layer->width; ++i) {
        weights[i] = 1;
        weights[layer->width + i] = 0;
    }
}

/* Each row's mean and the inverse of its standard deviation. */
size_t ht_layer_norm_cache(const ht_layer_norm *layer, size_t rows) {
    (void)layer;
    return 2 * rows;
}

HT_CLONES static void row_forward(size_t width, const ht_real *gain, const ht_real *bias,
                                  const ht_real *x, ht_real *y, ht_real *moments) {
    ht_real mean = 0, square = 0;
    HT_SIMD_SUM(mean)
    for (size_t i = 0; i < width; ++i)
        mean += x[i];
    mean /= (ht_real)width;
    HT_SIMD_SUM(square)
    for (size_t i = 0; i < width; ++i)
        square += (x[i] - mean) * (x[i] - mean);
    const ht_real inverse = (ht_real)(1 / sqrt((double)(square / (ht_real)width + tiny)));
    HT_SIMD
    for (size_t i = 0; i < width; ++i)
        y[i] = (x[i] - mean) * inverse * gain[i] + bias[i];
    moments[0] = mean;
    moments[1] = inverse;
}

void ht_layer_norm_forward(const ht_layer_norm *layer, const ht_real *weights, size_t rows,
                           const ht_real *x, ht_real *y, ht_real *cache) {
    const size_t width = layer->width;
    for (size_t r = 0; r < rows; ++r)
        row_forward(width, weights, weights + width, x + r * width, y + r * width, cache + 2 * r);
}

/* Goes back: with n the normalised row and g = gain * grad_y, grad_x = (g - mean(g) - n mean(g n))
 * / deviation. */
HT_CLONES static void row_backward(size_t width, const ht_real *gain, const ht_real *x,
                                   const ht_real *grad_y, const ht_real *moments, ht_real *grad_x,
                                   ht_real *grad_gain, ht_real *grad_bias) {
    const ht_real mean = moments[0], inverse = moments[1];
    ht_real sum = 0, product = 0;
    HT_SIMD_SUM(sum, product)
    for (size_t i = 0; i < width; ++i) {
        const ht_real normal = (x[i] - mean) * inverse, inner = gain[i] * grad_y[i];
        grad_gain[i] += grad_y[i] * normal;
        grad_bias[i] += grad_y[i];
        sum += inner;
        product += inner * normal;
    }
    if (!grad_x)
        return;
    sum /= (ht_real)width;
    product /= (ht_real)width;
    HT_SIMD
    for (size_t i = 0; i < width; ++i) {
        const ht_real normal = (x[i] - mean) * inverse;
        grad_x[i] += inverse * (gain[i] * grad_y[i] - sum - normal * product);
    }
}

void ht_layer_norm_backward(const ht_layer_norm *layer, const ht_real *weights, size_t rows,
                            const ht_real *x, const ht_real *grad_y, const ht_real *cache,
                            ht_real *grad_x, ht_real *grad_weights) {
    const size_t width = layer->width;
    for (size_t r = 0; r < rows; ++r)
        row_backward(width, weights, x + r * width, grad_y + r * width, cache + 2 * r,
                     grad_x ? grad_x + r * width : NULL, grad_weights, grad_weights + width);
}
