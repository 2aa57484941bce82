/* The transformer's feed-forward block: dense, GELU, dense. */
#ifndef HT_LAYERS_FEED_FORWARD_H
#define HT_LAYERS_FEED_FORWARD_H

#include "predictor/layers/dense.h"

typedef struct ht_feed_forward {
    uint32_t width, inner;
} ht_feed_forward;

/* Weights: a dense layer width by inner, then one inner by width. */
size_t ht_feed_forward_weights(const ht_feed_forward *layer);
void ht_feed_forward_init(const ht_feed_forward *layer, ht_real *weights, ht_random *random);
size_t ht_feed_forward_cache(const ht_feed_forward *layer, size_t rows);
void ht_feed_forward_forward(const ht_feed_forward *layer, const ht_real *weights, size_t rows,
                             const ht_real *x, ht_real *y, ht_real *cache);
void ht_feed_forward_backward(const ht_feed_forward *layer, const ht_real *weights, size_t rows,
                              const ht_real *x, const ht_real *grad_y, ht_real *grad_x,
                              ht_real *grad_weights, ht_real *cache);
#endif
