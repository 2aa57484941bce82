#include "predictor/layers/activation.h"

#include "predictor/math/real_math.h"
#include "predictor/math/real_vector.h"

HT_CLONES void ht_relu_forward(size_t count, const ht_real *x, ht_real *y) {
    HT_SIMD
    for (size_t i = 0; i < count; ++i)
        y[i] = x[i] > 0 ? x[i] : 0;
}

HT_CLONES void ht_relu_backward(size_t count, const ht_real *y, const ht_real *grad_y,
                                ht_real *grad_x) {
    HT_SIMD
    for (size_t i = 0; i < count; ++i)
        grad_x[i] += y[i] > 0 ? grad_y[i] : 0;
}

HT_CLONES void ht_tanh_forward(size_t count, const ht_real *x, ht_real *y) {
    HT_SIMD
    for (size_t i = 0; i < count; ++i)
        y[i] = ht_fast_tanh(x[i]);
}

HT_CLONES void ht_tanh_backward(size_t count, const ht_real *y, const ht_real *grad_y,
                                ht_real *grad_x) {
    HT_SIMD
    for (size_t i = 0; i < count; ++i)
        grad_x[i] += grad_y[i] * (1 - y[i] * y[i]);
}

/* gelu(x) = x (1 + tanh(a (x + b x^3))) / 2, a = sqrt(2 / pi). */
static const ht_real gelu_a = (ht_real)0.79788456080286535588;
static const ht_real gelu_b = (ht_real)0.044715;

HT_CLONES void ht_gelu_forward(size_t count, const ht_real *x, ht_real *y) {
    HT_SIMD
    for (size_t i = 0; i < count; ++i) {
        const ht_real inner = gelu_a * x[i] * (1 + gelu_b * x[i] * x[i]);
        y[i] = x[i] * (1 + ht_fast_tanh(inner)) / 2;
    }
}

HT_CLONES void ht_gelu_backward(size_t count, const ht_real *x, const ht_real *grad_y,
                                ht_real *grad_x) {
    HT_SIMD
    for (size_t i = 0; i < count; ++i) {
        const ht_real square = gelu_b * x[i] * x[i];
        const ht_real t = ht_fast_tanh(gelu_a * x[i] * (1 + square));
        const ht_real slope = gelu_a * (1 + 3 * square);
        grad_x[i] += grad_y[i] * (1 + t + x[i] * (1 - t * t) * slope) / 2;
    }
}

void ht_add(size_t count, const ht_real *x, ht_real *y) {
    ht_vector_add(count, x, y);
}
