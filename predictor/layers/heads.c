#include "predictor/layers/heads.h"

#include "predictor/real_math.h"
#include "predictor/real_vector.h"

#include <math.h>
#include <string.h>

enum { QUERY, KEY, VALUE, OUTPUT, MAPS };

static ht_dense map_of(const ht_heads *layer) {
    return (ht_dense){.inputs = layer->width, .outputs = layer->width};
}

/* Where the weights of a map start. */
static size_t map_at(const ht_heads *layer, int map) {
    const ht_dense dense = map_of(layer);
    return (size_t)map * ht_dense_weights(&dense);
}

size_t ht_heads_weights(const ht_heads *layer) {
    return map_at(layer, MAPS);
}

void ht_heads_init(const ht_heads *layer, ht_real *weights, ht_random *random) {
    const ht_dense map = map_of(layer);
    for (int i = 0; i < MAPS; ++i)
        ht_dense_init(&map, weights + map_at(layer, i), random);
}

/* The cache: queries, keys, values, contexts and the attention weights [batch][heads][places]
 * [memory_places], each with its gradient. */
typedef struct parts {
    size_t rows, memory_rows; /* all places of a batch */
    size_t shares;            /* how many attention weights */
    ht_real *query, *key, *value, *context, *share;
    ht_real *grad_query, *grad_key, *grad_value, *grad_context, *grad_share;
} parts;

static parts parts_of(const ht_heads *layer, const ht_heads_shape *shape, ht_real *cache) {
    parts made = {.rows = shape->places * shape->batch,
                  .memory_rows = shape->memory_places * shape->batch};
    made.shares = made.rows * layer->heads * shape->memory_places;
    const size_t sizes[] = {made.rows * layer->width, made.memory_rows * layer->width,
                            made.memory_rows * layer->width, made.rows * layer->width, made.shares};
    ht_real **arrays[2][5] = {
        {&made.query, &made.key, &made.value, &made.context, &made.share},
        {&made.grad_query, &made.grad_key, &made.grad_value, &made.grad_context, &made.grad_share}};
    for (int gradient = 0; gradient < 2; ++gradient)
        for (int i = 0; i < 5; ++i) {
            *arrays[gradient][i] = cache;
            cache += sizes[i];
        }
    return made;
}

size_t ht_heads_cache(const ht_heads *layer, const ht_heads_shape *shape) {
    const size_t rows = shape->places * shape->batch;
    return 2 * (2 * (rows + shape->memory_places * shape->batch) * layer->width +
                rows * layer->heads * shape->memory_places);
}

/* One query of one head (`width` numbers) against the first `places` keys and values, `step` apart.
 */
HT_CLONES static void head_forward(size_t width, size_t places, size_t step, const ht_real *query,
                                   const ht_real *keys, const ht_real *values, ht_real *shares,
                                   ht_real *context) {
    const ht_real scale = (ht_real)(1 / sqrt((double)width));
    ht_real highest = 0;
    for (size_t p = 0; p < places; ++p) {
        const ht_real *key = keys + p * step;
        ht_real sum = 0;
        HT_SIMD_SUM(sum)
        for (size_t i = 0; i < width; ++i)
            sum += query[i] * key[i];
        shares[p] = sum * scale;
        highest = p && highest > shares[p] ? highest : shares[p];
    }
    ht_real total = 0;
    HT_SIMD_SUM(total)
    for (size_t p = 0; p < places; ++p) {
        shares[p] = ht_fast_exp(shares[p] - highest);
        total += shares[p];
    }
    memset(context, 0, width * sizeof *context);
    for (size_t p = 0; p < places; ++p) {
        const ht_real share = shares[p] /= total;
        const ht_real *value = values + p * step;
        HT_SIMD
        for (size_t i = 0; i < width; ++i)
            context[i] += share * value[i];
    }
}

/* What one query and one head see, and what flows back. */
typedef struct head {
    size_t width, places, step;
    const ht_real *query, *keys, *values, *shares, *grad_context;
    ht_real *grad_query, *grad_keys, *grad_values, *grad_shares;
} head;

HT_CLONES static void head_backward(const head *head) {
    const size_t width = head->width;
    const ht_real scale = (ht_real)(1 / sqrt((double)width)), *above = head->grad_context;
    ht_real mean = 0;
    for (size_t p = 0; p < head->places; ++p) {
        const ht_real *value = head->values + p * head->step, share = head->shares[p];
        ht_real *grad_value = head->grad_values + p * head->step, sum = 0;
        HT_SIMD_SUM(sum)
        for (size_t i = 0; i < width; ++i) {
            sum += above[i] * value[i];
            grad_value[i] += share * above[i];
        }
        head->grad_shares[p] = sum;
        mean += share * sum;
    }
    for (size_t p = 0; p < head->places; ++p) {
        const ht_real grad = head->shares[p] * (head->grad_shares[p] - mean) * scale;
        const ht_real *key = head->keys + p * head->step, *query = head->query;
        ht_real *grad_key = head->grad_keys + p * head->step, *grad_query = head->grad_query;
        HT_SIMD
        for (size_t i = 0; i < width; ++i) {
            grad_query[i] += grad * key[i];
            grad_key[i] += grad * query[i];
        }
    }
}

void ht_heads_forward(const ht_heads *layer, const ht_real *weights, const ht_heads_shape *shape,
                      const ht_real *x, const ht_real *memory, ht_real *y, ht_real *cache) {
    const ht_dense map = map_of(layer);
    const parts parts = parts_of(layer, shape, cache);
    const size_t width = layer->width, batch = shape->batch, head = width / layer->heads;
    ht_dense_forward(&map, weights, parts.rows, x, parts.query);
    ht_heads_memory(layer, weights, parts.memory_rows, memory, parts.key, parts.value);
    for (size_t b = 0; b < batch; ++b)
        for (size_t h = 0; h < layer->heads; ++h)
            for (size_t i = 0; i < shape->places; ++i) {
                const size_t own = (i * batch + b) * width + h * head, all = b * width + h * head;
                head_forward(head, shape->causal ? i + 1 : shape->memory_places, batch * width,
                             parts.query + own, parts.key + all, parts.value + all,
                             parts.share + ((b * layer->heads + h) * shape->places + i) *
                                               shape->memory_places,
                             parts.context + own);
            }
    ht_dense_forward(&map, weights + map_at(layer, OUTPUT), parts.rows, parts.context, y);
}

/* From the contexts' gradients to those of queries, keys and values. */
static void heads_backward(const ht_heads *layer, const ht_heads_shape *shape, const parts *parts) {
    const size_t width = layer->width, batch = shape->batch, each = width / layer->heads;
    for (size_t b = 0; b < batch; ++b)
        for (size_t h = 0; h < layer->heads; ++h)
            for (size_t i = 0; i < shape->places; ++i) {
                const size_t own = (i * batch + b) * width + h * each, all = b * width + h * each;
                const size_t share =
                    ((b * layer->heads + h) * shape->places + i) * shape->memory_places;
                const head head = {.width = each,
                                   .places = shape->causal ? i + 1 : shape->memory_places,
                                   .step = batch * width,
                                   .query = parts->query + own,
                                   .keys = parts->key + all,
                                   .values = parts->value + all,
                                   .shares = parts->share + share,
                                   .grad_context = parts->grad_context + own,
                                   .grad_query = parts->grad_query + own,
                                   .grad_keys = parts->grad_key + all,
                                   .grad_values = parts->grad_value + all,
                                   .grad_shares = parts->grad_share + share};
                head_backward(&head);
            }
}

void ht_heads_backward(const ht_heads *layer, const ht_real *weights, const ht_heads_shape *shape,
                       const ht_real *x, const ht_real *memory, const ht_real *grad_y,
                       ht_real *grad_x, ht_real *grad_memory, ht_real *grad_weights,
                       ht_real *cache) {
    const ht_dense map = map_of(layer);
    const parts parts = parts_of(layer, shape, cache);
    const size_t key = map_at(layer, KEY), value = map_at(layer, VALUE),
                 output = map_at(layer, OUTPUT);
    memset(parts.grad_query, 0, (size_t)(parts.grad_share - parts.grad_query) * sizeof *cache);
    ht_dense_backward(&map, weights + output, parts.rows, parts.context, grad_y, parts.grad_context,
                      grad_weights + output);
    heads_backward(layer, shape, &parts);
    ht_dense_backward(&map, weights, parts.rows, x, parts.grad_query, grad_x, grad_weights);
    ht_dense_backward(&map, weights + key, parts.memory_rows, memory, parts.grad_key, grad_memory,
                      grad_weights + key);
    ht_dense_backward(&map, weights + value, parts.memory_rows, memory, parts.grad_value,
                      grad_memory, grad_weights + value);
}

void ht_heads_memory(const ht_heads *layer, const ht_real *weights, size_t rows,
                     const ht_real *memory, ht_real *keys, ht_real *values) {
    const ht_dense map = map_of(layer);
    ht_dense_forward(&map, weights + map_at(layer, KEY), rows, memory, keys);
    ht_dense_forward(&map, weights + map_at(layer, VALUE), rows, memory, values);
}

/* Queries, contexts, and the attention weights of one row and head. */
size_t ht_heads_step_cache(const ht_heads *layer, size_t rows, size_t places) {
    return 2 * rows * layer->width + places;
}

void ht_heads_step(const ht_heads *layer, const ht_real *weights, size_t rows, size_t places,
                   size_t memory_rows, const ht_real *x, const ht_real *keys, const ht_real *values,
                   ht_real *y, ht_real *cache) {
    const ht_dense map = map_of(layer);
    const size_t width = layer->width, head = width / layer->heads;
    ht_real *query = cache, *context = query + rows * width, *shares = context + rows * width;
    ht_dense_forward(&map, weights, rows, x, query);
    for (size_t r = 0; r < rows; ++r)
        for (size_t h = 0; h < layer->heads; ++h) {
            const size_t own = r * width + h * head;
            const size_t all = (memory_rows > 1 ? r * width : 0) + h * head;
            head_forward(head, places, memory_rows * width, query + own, keys + all, values + all,
                         shares, context + own);
        }
    ht_dense_forward(&map, weights + map_at(layer, OUTPUT), rows, context, y);
}
