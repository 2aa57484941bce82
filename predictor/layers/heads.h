/* Multi-head attention (Vaswani et al. 2017): softmax(q k / sqrt(width / heads)) v for each head,
 * then one more linear map. Self-attention: memory is x. Causal: place i sees places up to i. */
#ifndef HT_LAYERS_HEADS_H
#define HT_LAYERS_HEADS_H

#include "predictor/layers/dense.h"

typedef struct ht_heads {
    uint32_t width; /* of x, of the memory and of the output; a multiple of `heads` */
    uint32_t heads;
} ht_heads;

/* Weights: query, key, value and output, each a dense layer of width by width. */
size_t ht_heads_weights(const ht_heads *layer);
void ht_heads_init(const ht_heads *layer, ht_real *weights, ht_random *random);

typedef struct ht_heads_shape {
    size_t places;        /* of x */
    size_t memory_places; /* of the memory; self-attention: as many */
    size_t batch;
    bool causal;
} ht_heads_shape;
size_t ht_heads_cache(const ht_heads *layer, const ht_heads_shape *shape);
/* x, y [places][batch][width]; memory [memory_places][batch][width]. */
void ht_heads_forward(const ht_heads *layer, const ht_real *weights, const ht_heads_shape *shape,
                      const ht_real *x, const ht_real *memory, ht_real *y, ht_real *cache);
/* grad_x and grad_memory may be the same array (self-attention). */
void ht_heads_backward(const ht_heads *layer, const ht_real *weights, const ht_heads_shape *shape,
                       const ht_real *x, const ht_real *memory, const ht_real *grad_y,
                       ht_real *grad_x, ht_real *grad_memory, ht_real *grad_weights,
                       ht_real *cache);

/* Decoding. Keys and values [rows][width] of `rows` places of the memory. */
void ht_heads_memory(const ht_heads *layer, const ht_real *weights, size_t rows,
                     const ht_real *memory, ht_real *keys, ht_real *values);
/* One place: x, y [rows][width] against keys and values [places][memory_rows][width] (memory_rows
 * is `rows`, or 1: one sequence for all rows). cache: ht_heads_step_cache. */
size_t ht_heads_step_cache(const ht_heads *layer, size_t rows, size_t places);
void ht_heads_step(const ht_heads *layer, const ht_real *weights, size_t rows, size_t places,
                   size_t memory_rows, const ht_real *x, const ht_real *keys, const ht_real *values,
                   ht_real *y, ht_real *cache);
#endif
