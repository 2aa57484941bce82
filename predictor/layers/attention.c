#include "predictor/layers/attention.h"

#include "predictor/math/real_math.h"
#include "predictor/math/real_vector.h"

#include <string.h>

/* Where each array starts within the weights (and their gradients). */
typedef struct parts {
    size_t query, memory, bias, score, count;
} parts;

static parts parts_of(const ht_attention *layer) {
    parts made = {.query = 0};
    made.memory = (size_t)layer->query * layer->width;
    made.bias = made.memory + (size_t)layer->memory * layer->width;
    made.score = made.bias + layer->width;
    made.count = made.score + layer->width;
    return made;
}

size_t ht_attention_weights(const ht_attention *layer) {
    return parts_of(layer).count;
}

void ht_attention_init(const ht_attention *layer, ht_real *weights, ht_random *random) {
    const parts parts = parts_of(layer);
    ht_weights_uniform(weights, parts.memory, ht_weights_limit(layer->query, layer->width), random);
    ht_weights_uniform(weights + parts.memory, parts.bias - parts.memory,
                       ht_weights_limit(layer->memory, layer->width), random);
    memset(weights + parts.bias, 0, layer->width * sizeof *weights);
    ht_weights_uniform(weights + parts.score, layer->width, ht_weights_limit(layer->width, 1),
                       random);
}

/* Returns the dense layer that makes keys of the memory: its weights lie as Wk and b do. */
static ht_dense keys_of(const ht_attention *layer) {
    return (ht_dense){.inputs = layer->memory, .outputs = layer->width};
}

void ht_attention_keys(const ht_attention *layer, const ht_real *weights,
                       const ht_attention_memory *memory) {
    const ht_dense keys = keys_of(layer);
    ht_dense_forward(&keys, weights + parts_of(layer).memory, memory->places * memory->rows,
                     memory->memory, memory->keys);
}

void ht_attention_keys_backward(const ht_attention *layer, const ht_real *weights,
                                const ht_attention_memory *memory, const ht_real *grad_keys,
                                ht_real *grad_memory, ht_real *grad_weights) {
    const ht_dense keys = keys_of(layer);
    const size_t at = parts_of(layer).memory;
    ht_dense_backward(&keys, weights + at, memory->places * memory->rows, memory->memory, grad_keys,
                      grad_memory, grad_weights + at);
}

/* The cache: attention weights [rows][places], projected queries [rows][width], their gradients
 * [rows][width] and the scores' gradients [rows][places]. */
size_t ht_attention_cache(const ht_attention *layer, size_t rows, size_t places) {
    return 2 * rows * (places + layer->width);
}

/* Computes scores[p] = v . tanh(query + key p), keys `step` apart; then their softmax. */
HT_CLONES static void row_weights(size_t width, size_t places, const ht_real *v,
                                  const ht_real *query, const ht_real *keys, size_t step,
                                  ht_real *scores) {
    for (size_t p = 0; p < places; ++p) {
        const ht_real *key = keys + p * step;
        ht_real sum = 0;
        HT_SIMD_SUM(sum)
        for (size_t i = 0; i < width; ++i)
            sum += v[i] * ht_fast_tanh(query[i] + key[i]);
        scores[p] = sum;
    }
    ht_fast_softmax(places, scores);
}

void ht_attention_forward(const ht_attention *layer, const ht_real *weights,
                          const ht_attention_memory *memory, size_t rows, const ht_real *query,
                          ht_real *context, size_t stride, ht_real *cache) {
    const size_t width = layer->width, wide = layer->memory, places = memory->places;
    const parts parts = parts_of(layer);
    ht_real *queries = cache + rows * places;
    ht_gemm(false, false, rows, width, layer->query, 1, query, layer->query, weights, width, 0,
            queries, width);
    const size_t own = memory->rows > 1 || rows == 1; /* 0: all rows share one sequence */
    for (size_t r = 0; r < rows; ++r) {
        const size_t from = own * r;
        ht_real *shares = cache + r * places, *to = context + r * stride;
        row_weights(width, places, weights + parts.score, queries + r * width,
                    memory->keys + from * width, memory->rows * width, shares);
        memset(to, 0, wide * sizeof *to);
        for (size_t p = 0; p < places; ++p)
            ht_vector_add_scaled(wide, shares[p], memory->memory + (p * memory->rows + from) * wide,
                                 to);
    }
}

/* Goes back through one score: with t = tanh(query + key), its gradient g goes to v as g t and to
 * query and key as g v (1 - t^2). */
HT_CLONES static void score_backward(size_t width, ht_real grad, const ht_real *v,
                                     const ht_real *query, const ht_real *key, ht_real *grad_query,
                                     ht_real *grad_key, ht_real *grad_v) {
    HT_SIMD
    for (size_t i = 0; i < width; ++i) {
        const ht_real t = ht_fast_tanh(query[i] + key[i]);
        const ht_real inner = grad * v[i] * (1 - t * t);
        grad_query[i] += inner;
        grad_key[i] += inner;
        grad_v[i] += grad * t;
    }
}

/* Goes back from the gradient of one row's context to those of its scores. */
static void softmax_backward(size_t places, const ht_real *shares, ht_real *grads) {
    ht_real mean = 0;
    for (size_t p = 0; p < places; ++p)
        mean += shares[p] * grads[p];
    for (size_t p = 0; p < places; ++p)
        grads[p] = shares[p] * (grads[p] - mean);
}

void ht_attention_backward(const ht_attention *layer, const ht_real *weights,
                           const ht_attention_memory *memory, size_t rows, const ht_real *query,
                           const ht_real *grad_context, size_t stride, ht_real *cache,
                           ht_real *grad_query, ht_real *grad_memory, ht_real *grad_keys,
                           ht_real *grad_weights) {
    const size_t width = layer->width, wide = layer->memory, places = memory->places;
    const parts parts = parts_of(layer);
    const ht_real *queries = cache + rows * places;
    ht_real *grad_queries = cache + rows * (places + width);
    memset(grad_queries, 0, rows * width * sizeof *grad_queries);
    for (size_t r = 0; r < rows; ++r) {
        const ht_real *shares = cache + r * places, *above = grad_context + r * stride;
        ht_real *grads = cache + rows * (places + 2 * width) + r * places;
        for (size_t p = 0; p < places; ++p) {
            const size_t at = (p * rows + r) * wide;
            grads[p] = ht_vector_dot(wide, memory->memory + at, above);
            if (grad_memory)
                ht_vector_add_scaled(wide, shares[p], above, grad_memory + at);
        }
        softmax_backward(places, shares, grads);
        for (size_t p = 0; p < places; ++p) {
            const size_t at = (p * rows + r) * width;
            score_backward(width, grads[p], weights + parts.score, queries + r * width,
                           memory->keys + at, grad_queries + r * width, grad_keys + at,
                           grad_weights + parts.score);
        }
    }
    if (grad_query)
        ht_gemm(false, true, rows, layer->query, width, 1, grad_queries, width, weights, width, 1,
                grad_query, layer->query);
    ht_gemm(true, false, layer->query, width, rows, 1, query, layer->query, grad_queries, width, 1,
            grad_weights, width);
}
