#include "predictor/layers/feed_forward.h"

#include "predictor/layers/activation.h"

#include <string.h>

static ht_dense widen_of(const ht_feed_forward *layer) {
    return (ht_dense){.inputs = layer->width, .outputs = layer->inner};
}

static ht_dense narrow_of(const ht_feed_forward *layer) {
    return (ht_dense){.inputs = layer->inner, .outputs = layer->width};
}

size_t ht_feed_forward_weights(const ht_feed_forward *layer) {
    const ht_dense widen = widen_of(layer), narrow = narrow_of(layer);
    return ht_dense_weights(&widen) + ht_dense_weights(&narrow);
}

void ht_feed_forward_init(const ht_feed_forward *layer, ht_real *weights, ht_random *random) {
    const ht_dense widen = widen_of(layer), narrow = narrow_of(layer);
    ht_dense_init(&widen, weights, random);
    ht_dense_init(&narrow, weights + ht_dense_weights(&widen), random);
}

/* The inner sums, and their activations; in backward, the gradients of both in one. */
size_t ht_feed_forward_cache(const ht_feed_forward *layer, size_t rows) {
    return 4 * rows * layer->inner;
}

void ht_feed_forward_forward(const ht_feed_forward *layer, const ht_real *weights, size_t rows,
                             const ht_real *x, ht_real *y, ht_real *cache) {
    const ht_dense widen = widen_of(layer), narrow = narrow_of(layer);
    const size_t inner = rows * layer->inner;
    ht_real *sums = cache, *active = sums + inner;
    ht_dense_forward(&widen, weights, rows, x, sums);
    ht_gelu_forward(inner, sums, active);
    ht_dense_forward(&narrow, weights + ht_dense_weights(&widen), rows, active, y);
}

void ht_feed_forward_backward(const ht_feed_forward *layer, const ht_real *weights, size_t rows,
                              const ht_real *x, const ht_real *grad_y, ht_real *grad_x,
                              ht_real *grad_weights, ht_real *cache) {
    const ht_dense widen = widen_of(layer), narrow = narrow_of(layer);
    const size_t inner = rows * layer->inner, second = ht_dense_weights(&widen);
    ht_real *sums = cache, *active = sums + inner;
    ht_real *grad_active = active + inner, *grad_sums = grad_active + inner;
    memset(grad_active, 0, 2 * inner * sizeof *grad_active);
    ht_dense_backward(&narrow, weights + second, rows, active, grad_y, grad_active,
                      grad_weights + second);
    ht_gelu_backward(inner, sums, grad_active, grad_sums);
    ht_dense_backward(&widen, weights, rows, x, grad_sums, grad_x, grad_weights);
}
