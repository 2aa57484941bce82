/* Layers that treat places alike: each gradient against central differences, in float64. */
#include "layer_case.h"
#include "predictor/layers/activation.h"
#include "predictor/layers/conv1d.h"
#include "predictor/layers/dense.h"
#include "predictor/layers/dropout.h"
#include "predictor/layers/embedding.h"
#include "predictor/layers/feed_forward.h"
#include "predictor/layers/layer_norm.h"

#include <criterion/criterion.h>
#include <string.h>

/* The state that any of these layers needs. */
typedef struct unit {
    layer_case at;
    layer_input weights, x;
    ht_real *y, *cache;
    size_t rows, steps;
    ht_dense dense;
    ht_embedding embedding;
    ht_conv1d conv1d;
    ht_feed_forward feed_forward;
    ht_layer_norm layer_norm;
    ht_dropout dropout;
    uint32_t ids[64];
    int kind;
} unit;

static void run_unit(unit *unit, void (*forward)(void *), void (*backward)(void *)) {
    layer_case_check(&unit->at, forward, backward, unit);
    layer_case_end(&unit->at);
}

static void dense_forward(void *context) {
    unit *u = context;
    ht_dense_forward(&u->dense, u->weights.values, u->rows, u->x.values, u->y);
}

static void dense_backward(void *context) {
    unit *u = context;
    ht_dense_backward(&u->dense, u->weights.values, u->rows, u->x.values, u->at.grad_output,
                      u->x.gradient, u->weights.gradient);
}

Test(layers, dense) {
    static const uint32_t shapes[][3] = {{1, 1, 1}, {3, 5, 7}, {17, 4, 9}, {2, 33, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        unit u = {.rows = shapes[i][0], .dense = {.inputs = shapes[i][1], .outputs = shapes[i][2]}};
        layer_case_start(&u.at, i);
        u.weights = layer_case_input(&u.at, "weights", ht_dense_weights(&u.dense), 1);
        u.x = layer_case_input(&u.at, "x", u.rows * u.dense.inputs, 1);
        u.y = layer_case_output(&u.at, u.rows * u.dense.outputs);
        run_unit(&u, dense_forward, dense_backward);
    }
}

static void embedding_forward(void *context) {
    unit *u = context;
    ht_embedding_forward(&u->embedding, u->weights.values, u->rows, u->ids, u->y);
}

static void embedding_backward(void *context) {
    unit *u = context;
    ht_embedding_backward(&u->embedding, u->rows, u->ids, u->at.grad_output, u->weights.gradient);
}

Test(layers, embedding) {
    static const uint32_t shapes[][4] = {{1, 2, 1, 1}, {6, 5, 7, 3}, {9, 11, 2, 7}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        unit u = {
            .rows = shapes[i][0],
            .embedding = {.vocabulary = shapes[i][1], .width = shapes[i][2], .ids = shapes[i][3]}};
        layer_case_start(&u.at, i);
        u.weights = layer_case_input(&u.at, "table", ht_embedding_weights(&u.embedding), 1);
        u.y = layer_case_output(&u.at, u.rows * u.embedding.width);
        for (size_t k = 0; k < u.rows * u.embedding.ids; ++k) /* none and repeated ones too */
            u.ids[k] = (uint32_t)ht_random_below(&u.at.random, u.embedding.vocabulary);
        run_unit(&u, embedding_forward, embedding_backward);
    }
}

static void conv1d_forward(void *context) {
    unit *u = context;
    ht_conv1d_forward(&u->conv1d, u->weights.values, u->steps, u->rows, u->x.values, u->y);
}

static void conv1d_backward(void *context) {
    unit *u = context;
    ht_conv1d_backward(&u->conv1d, u->weights.values, u->steps, u->rows, u->x.values,
                       u->at.grad_output, u->x.gradient, u->weights.gradient);
}

/* steps, batch, inputs, outputs, kernel; also kernels longer than the sequence and even ones. */
Test(layers, conv1d) {
    static const uint32_t shapes[][5] = {
        {1, 1, 1, 1, 1}, {5, 3, 2, 4, 3}, {2, 3, 4, 3, 7}, {7, 2, 3, 5, 5}, {4, 2, 3, 2, 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        unit u = {
            .steps = shapes[i][0],
            .rows = shapes[i][1],
            .conv1d = {.inputs = shapes[i][2], .outputs = shapes[i][3], .kernel = shapes[i][4]}};
        layer_case_start(&u.at, i);
        u.weights = layer_case_input(&u.at, "weights", ht_conv1d_weights(&u.conv1d), 1);
        u.x = layer_case_input(&u.at, "x", u.steps * u.rows * u.conv1d.inputs, 1);
        u.y = layer_case_output(&u.at, u.steps * u.rows * u.conv1d.outputs);
        run_unit(&u, conv1d_forward, conv1d_backward);
    }
}

static void activation_forward(void *context) {
    static void (*const functions[])(size_t, const ht_real *, ht_real *) = {
        ht_relu_forward, ht_tanh_forward, ht_gelu_forward};
    unit *u = context;
    functions[u->kind](u->rows, u->x.values, u->y);
}

static void activation_backward(void *context) {
    static void (*const functions[])(size_t, const ht_real *, const ht_real *, ht_real *) = {
        ht_relu_backward, ht_tanh_backward, ht_gelu_backward};
    unit *u = context;
    functions[u->kind](u->rows, u->kind == 2 ? u->x.values : u->y, u->at.grad_output,
                       u->x.gradient);
}

Test(layers, activations) {
    for (int kind = 0; kind < 3; ++kind) {
        unit u = {.rows = 101, .kind = kind};
        layer_case_start(&u.at, (uint64_t)kind);
        u.x = layer_case_input(&u.at, "x", u.rows, 3);
        u.y = layer_case_output(&u.at, u.rows);
        run_unit(&u, activation_forward, activation_backward);
    }
}

static void layer_norm_forward(void *context) {
    unit *u = context;
    ht_layer_norm_forward(&u->layer_norm, u->weights.values, u->rows, u->x.values, u->y, u->cache);
}

static void layer_norm_backward(void *context) {
    unit *u = context;
    ht_layer_norm_backward(&u->layer_norm, u->weights.values, u->rows, u->x.values,
                           u->at.grad_output, u->cache, u->x.gradient, u->weights.gradient);
}

Test(layers, layer_norm) {
    static const uint32_t shapes[][2] = {{1, 2}, {5, 7}, {3, 33}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        unit u = {.rows = shapes[i][0], .layer_norm = {.width = shapes[i][1]}};
        layer_case_start(&u.at, i);
        u.weights = layer_case_input(&u.at, "weights", ht_layer_norm_weights(&u.layer_norm), 1);
        u.x = layer_case_input(&u.at, "x", u.rows * u.layer_norm.width, 1);
        u.cache = layer_case_buffer(&u.at, ht_layer_norm_cache(&u.layer_norm, u.rows));
        u.y = layer_case_output(&u.at, u.rows * u.layer_norm.width);
        run_unit(&u, layer_norm_forward, layer_norm_backward);
    }
}

static void feed_forward_forward(void *context) {
    unit *u = context;
    ht_feed_forward_forward(&u->feed_forward, u->weights.values, u->rows, u->x.values, u->y,
                            u->cache);
}

static void feed_forward_backward(void *context) {
    unit *u = context;
    ht_feed_forward_backward(&u->feed_forward, u->weights.values, u->rows, u->x.values,
                             u->at.grad_output, u->x.gradient, u->weights.gradient, u->cache);
}

Test(layers, feed_forward) {
    static const uint32_t shapes[][3] = {{1, 1, 1}, {4, 3, 11}, {3, 6, 5}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        unit u = {.rows = shapes[i][0],
                  .feed_forward = {.width = shapes[i][1], .inner = shapes[i][2]}};
        layer_case_start(&u.at, i);
        u.weights = layer_case_input(&u.at, "weights", ht_feed_forward_weights(&u.feed_forward), 1);
        u.x = layer_case_input(&u.at, "x", u.rows * u.feed_forward.width, 1);
        u.cache = layer_case_buffer(&u.at, ht_feed_forward_cache(&u.feed_forward, u.rows));
        u.y = layer_case_output(&u.at, u.rows * u.feed_forward.width);
        run_unit(&u, feed_forward_forward, feed_forward_backward);
    }
}

static void dropout_forward(void *context) {
    unit *u = context;
    ht_dropout_apply(&u->dropout, u->rows, u->x.values, u->y);
}

static void dropout_backward(void *context) {
    unit *u = context;
    ht_dropout_apply(&u->dropout, u->rows, u->at.grad_output, u->cache);
    ht_add(u->rows, u->cache, u->x.gradient);
}

Test(layers, dropout) {
    unit u = {.rows = 97, .dropout = {.rate = 0.3F, .key = ht_dropout_key(1, 2, 3, 4)}};
    layer_case_start(&u.at, 1);
    u.x = layer_case_input(&u.at, "x", u.rows, 1);
    u.cache = layer_case_buffer(&u.at, u.rows);
    u.y = layer_case_output(&u.at, u.rows);
    run_unit(&u, dropout_forward, dropout_backward);
}
