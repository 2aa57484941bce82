#include "predictor/layers/heads.h"

#include "predictor/layers/heads_core.h"

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
 * [memory_places], each with its gradient, and a head's scratch. */
typedef struct parts {
    size_t rows, memory_rows; /* all places of a batch */
    ht_real *query, *key, *value, *context, *share;
    ht_real *grad_query, *grad_key, *grad_value, *grad_context, *grad_share;
    ht_real *columns;
} parts;

static parts parts_of(const ht_heads *layer, const ht_heads_shape *shape, ht_real *cache) {
    parts made = {.rows = shape->places * shape->batch,
                  .memory_rows = shape->memory_places * shape->batch};
    const size_t sizes[] = {made.rows * layer->width, made.memory_rows * layer->width,
                            made.memory_rows * layer->width, made.rows * layer->width,
                            made.rows * layer->heads * shape->memory_places};
    ht_real **arrays[2][5] = {
        {&made.query, &made.key, &made.value, &made.context, &made.share},
        {&made.grad_query, &made.grad_key, &made.grad_value, &made.grad_context, &made.grad_share}};
    for (int gradient = 0; gradient < 2; ++gradient)
        for (int i = 0; i < 5; ++i) {
            *arrays[gradient][i] = cache;
            cache += sizes[i];
        }
    made.columns = cache;
    return made;
}

size_t ht_heads_cache(const ht_heads *layer, const ht_heads_shape *shape) {
    const size_t rows = shape->places * shape->batch;
    return 2 * (2 * (rows + shape->memory_places * shape->batch) * layer->width +
                rows * layer->heads * shape->memory_places) +
           ht_head_columns(layer->width / layer->heads, shape->memory_places);
}

static ht_head head_of(const ht_heads *layer, const ht_heads_shape *shape, const parts *parts,
                       size_t b, size_t h) {
    const size_t width = layer->width / layer->heads, at = b * layer->width + h * width;
    const size_t share = (b * layer->heads + h) * shape->places * shape->memory_places;
    return (ht_head){.width = width,
                     .places = shape->places,
                     .memory_places = shape->memory_places,
                     .step = shape->batch * layer->width,
                     .causal = shape->causal,
                     .query = parts->query + at,
                     .key = parts->key + at,
                     .value = parts->value + at,
                     .context = parts->context + at,
                     .shares = parts->share + share,
                     .columns = parts->columns,
                     .grad_context = parts->grad_context + at,
                     .grad_query = parts->grad_query + at,
                     .grad_key = parts->grad_key + at,
                     .grad_value = parts->grad_value + at,
                     .grad_shares = parts->grad_share + share};
}

void ht_heads_forward(const ht_heads *layer, const ht_real *weights, const ht_heads_shape *shape,
                      const ht_real *x, const ht_real *memory, ht_real *y, ht_real *cache) {
    const ht_dense map = map_of(layer);
    const parts parts = parts_of(layer, shape, cache);
    ht_dense_forward(&map, weights, parts.rows, x, parts.query);
    ht_heads_memory(layer, weights, parts.memory_rows, memory, parts.key, parts.value);
    for (size_t b = 0; b < shape->batch; ++b)
        for (size_t h = 0; h < layer->heads; ++h) {
            const ht_head head = head_of(layer, shape, &parts, b, h);
            ht_head_forward(&head);
        }
    ht_dense_forward(&map, weights + map_at(layer, OUTPUT), parts.rows, parts.context, y);
}

void ht_heads_backward(const ht_heads *layer, const ht_real *weights, const ht_heads_shape *shape,
                       const ht_real *x, const ht_real *memory, const ht_real *grad_y,
                       ht_real *grad_x, ht_real *grad_memory, ht_real *grad_weights,
                       ht_real *cache) {
    const ht_dense map = map_of(layer);
    const parts parts = parts_of(layer, shape, cache);
    const size_t key = map_at(layer, KEY), value = map_at(layer, VALUE),
                 output = map_at(layer, OUTPUT);
    memset(parts.grad_context, 0, parts.rows * layer->width * sizeof *cache);
    ht_dense_backward(&map, weights + output, parts.rows, parts.context, grad_y, parts.grad_context,
                      grad_weights + output);
    for (size_t b = 0; b < shape->batch; ++b)
        for (size_t h = 0; h < layer->heads; ++h) {
            const ht_head head = head_of(layer, shape, &parts, b, h);
            ht_head_backward(&head);
        }
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
    const size_t width = layer->width, each = width / layer->heads;
    ht_real *query = cache, *context = query + rows * width, *shares = context + rows * width;
    ht_dense_forward(&map, weights, rows, x, query);
    for (size_t r = 0; r < rows; ++r)
        for (size_t h = 0; h < layer->heads; ++h) {
            const size_t own = r * width + h * each;
            const size_t all = (memory_rows > 1 ? r * width : 0) + h * each;
            const ht_head head = {.width = each,
                                  .places = 1,
                                  .memory_places = places,
                                  .step = memory_rows * width,
                                  .query = query + own,
                                  .key = keys + all,
                                  .value = values + all,
                                  .context = context + own,
                                  .shares = shares};
            ht_head_step(&head);
        }
    ht_dense_forward(&map, weights + map_at(layer, OUTPUT), rows, context, y);
}
