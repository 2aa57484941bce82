#include "predictor/layers/embedding.h"

#include "predictor/math/real_vector.h"

#include <string.h>

size_t ht_embedding_weights(const ht_embedding *layer) {
    return (size_t)layer->vocabulary * layer->width;
}

/* Variance 1 for a place's vector when all its identifiers are there. */
void ht_embedding_init(const ht_embedding *layer, ht_real *weights, ht_random *random) {
    ht_weights_uniform(weights, ht_embedding_weights(layer), ht_weights_limit(1, layer->ids),
                       random);
}

void ht_embedding_forward(const ht_embedding *layer, const ht_real *weights, size_t rows,
                          const uint32_t *ids, ht_real *y) {
    const size_t width = layer->width;
    for (size_t r = 0; r < rows; ++r) {
        ht_real *to = y + r * width;
        memset(to, 0, width * sizeof *to);
        for (size_t i = 0; i < layer->ids; ++i) {
            const size_t id = ids[r * layer->ids + i];
            if (id)
                ht_vector_add(width, weights + id * width, to);
        }
    }
}

void ht_embedding_backward(const ht_embedding *layer, size_t rows, const uint32_t *ids,
                           const ht_real *grad_y, ht_real *grad_weights) {
    const size_t width = layer->width;
    for (size_t r = 0; r < rows; ++r)
        for (size_t i = 0; i < layer->ids; ++i) {
            const size_t id = ids[r * layer->ids + i];
            if (id)
                ht_vector_add(width, grad_y + r * width, grad_weights + id * width);
        }
}
