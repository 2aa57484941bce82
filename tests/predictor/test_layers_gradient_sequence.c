/* Layers over sequences: each gradient against central differences, in float64. */
#include "layer_case.h"
#include "predictor/layers/activation.h"
#include "predictor/layers/attention.h"
#include "predictor/layers/bilstm.h"
#include "predictor/layers/heads.h"
#include "predictor/layers/lstm.h"

#include <criterion/criterion.h>
#include <string.h>

/* A whole sequence; the output is h and the last cell state. */
typedef struct lstm_case {
    layer_case at;
    ht_lstm layer;
    ht_lstm_run run;
    layer_input weights, x, h0, c0;
    bool initial;
} lstm_case;

static void lstm_forward(void *context) {
    lstm_case *c = context;
    ht_lstm_forward(&c->layer, c->weights.values, &c->run);
    memcpy(c->at.output + c->run.steps * c->run.batch * c->run.stride,
           ht_lstm_final_cell(&c->layer, &c->run),
           c->run.batch * c->layer.hidden * sizeof(ht_real));
}

static void lstm_backward(void *context) {
    lstm_case *c = context;
    ht_lstm_backward(&c->layer, c->weights.values, &c->run, c->at.grad_output,
                     c->at.grad_output + c->run.steps * c->run.batch * c->run.stride, c->x.gradient,
                     c->initial ? c->h0.gradient : NULL, c->initial ? c->c0.gradient : NULL,
                     c->weights.gradient);
}

static void lstm_check(size_t steps, size_t batch, ht_lstm layer, size_t gap, unsigned kinds) {
    lstm_case c = {.layer = layer, .initial = kinds & 1U};
    const size_t state = batch * layer.hidden;
    layer_case_start(&c.at, kinds);
    c.weights = layer_case_input(&c.at, "weights", ht_lstm_weights(&layer), 0.7);
    c.x = layer_case_input(&c.at, "x", steps * batch * layer.inputs, 1);
    if (c.initial) {
        c.h0 = layer_case_input(&c.at, "h0", state, 1);
        c.c0 = layer_case_input(&c.at, "c0", state, 1);
    }
    c.run = (ht_lstm_run){.steps = steps,
                          .batch = batch,
                          .reverse = kinds & 2U,
                          .stride = layer.hidden + gap,
                          .x = c.x.values,
                          .h0 = c.h0.values,
                          .c0 = c.c0.values};
    c.run.cache = layer_case_buffer(&c.at, ht_lstm_cache(&layer, steps, batch));
    c.run.h = layer_case_output(&c.at, steps * batch * c.run.stride + state);
    layer_case_check(&c.at, lstm_forward, lstm_backward, &c);
    layer_case_end(&c.at);
}

Test(sequences, lstm) {
    for (unsigned kinds = 0; kinds < 4; ++kinds) {
        lstm_check(1, 1, (ht_lstm){.inputs = 1, .hidden = 1}, 0, kinds);
        lstm_check(5, 3, (ht_lstm){.inputs = 4, .hidden = 7}, 3, kinds);
        lstm_check(3, 2, (ht_lstm){.inputs = 9, .hidden = 2}, 0, kinds);
    }
}

/* Step by step, with the input in two parts of which the second is a function of the state before.
 */
enum { STEPS = 4, BATCH = 3, KNOWN = 2, HIDDEN = 5, WIDE = 4 * HIDDEN };

typedef struct steps_case {
    layer_case at;
    ht_lstm layer;
    layer_input weights, known, h0, c0;
    ht_real *h, *c, *gates; /* [STEPS + 1], [STEPS + 1], [STEPS] */
    ht_real *grad_h, *grad_c;
} steps_case;

enum { STATE = BATCH * HIDDEN };

static void steps_forward(void *context) {
    steps_case *s = context;
    memcpy(s->h, s->h0.values, STATE * sizeof *s->h);
    memcpy(s->c, s->c0.values, STATE * sizeof *s->c);
    const ht_lstm_part known = {.first = 0, .count = KNOWN, .x = s->known.values, .stride = KNOWN};
    ht_lstm_inputs(&s->layer, s->weights.values, (size_t)STEPS * BATCH, &known, false, s->gates);
    for (size_t t = 0; t < STEPS; ++t) {
        const ht_lstm_part fed = {
            .first = KNOWN, .count = HIDDEN, .x = s->h + t * STATE, .stride = HIDDEN};
        ht_real *gates = s->gates + t * BATCH * WIDE;
        ht_lstm_inputs(&s->layer, s->weights.values, BATCH, &fed, true, gates);
        ht_lstm_step(&s->layer, s->weights.values, BATCH, gates, s->h + t * STATE, s->c + t * STATE,
                     s->h + (t + 1) * STATE, s->c + (t + 1) * STATE);
    }
    memcpy(s->at.output, s->h + STATE, (size_t)STEPS * STATE * sizeof *s->h);
}

static void steps_backward(void *context) {
    steps_case *s = context;
    memset(s->grad_h, 0, STATE * sizeof *s->grad_h);
    memcpy(s->grad_h + STATE, s->at.grad_output, (size_t)STEPS * STATE * sizeof *s->grad_h);
    memset(s->grad_c, 0, STATE * sizeof *s->grad_c);
    for (size_t t = STEPS; t-- > 0;) {
        ht_real *gates = s->gates + t * BATCH * WIDE;
        ht_lstm_step_backward(&s->layer, s->weights.values, BATCH, gates, s->c + t * STATE,
                              s->c + (t + 1) * STATE, s->grad_h + (t + 1) * STATE, s->grad_c,
                              s->grad_h + t * STATE);
        const ht_lstm_part fed = {
            .first = KNOWN, .count = HIDDEN, .x = s->h + t * STATE, .stride = HIDDEN};
        ht_lstm_inputs_backward(&s->layer, s->weights.values, BATCH, &fed, gates,
                                s->grad_h + t * STATE, s->weights.gradient);
    }
    ht_add(STATE, s->grad_h, s->h0.gradient);
    ht_add(STATE, s->grad_c, s->c0.gradient);
    const ht_lstm_part known = {.first = 0, .count = KNOWN, .x = s->known.values, .stride = KNOWN};
    ht_lstm_inputs_backward(&s->layer, s->weights.values, (size_t)STEPS * BATCH, &known, s->gates,
                            s->known.gradient, s->weights.gradient);
    ht_lstm_states_backward(&s->layer, (size_t)STEPS * BATCH, s->h, s->gates, s->weights.gradient);
}

Test(sequences, lstm_by_steps) {
    steps_case s = {.layer = {.inputs = KNOWN + HIDDEN, .hidden = HIDDEN}};
    layer_case_start(&s.at, 5);
    s.weights = layer_case_input(&s.at, "weights", ht_lstm_weights(&s.layer), 0.7);
    s.known = layer_case_input(&s.at, "x", (size_t)STEPS * BATCH * KNOWN, 1);
    s.h0 = layer_case_input(&s.at, "h0", STATE, 1);
    s.c0 = layer_case_input(&s.at, "c0", STATE, 1);
    s.h = layer_case_buffer(&s.at, (size_t)(STEPS + 1) * STATE);
    s.c = layer_case_buffer(&s.at, (size_t)(STEPS + 1) * STATE);
    s.gates = layer_case_buffer(&s.at, (size_t)STEPS * BATCH * WIDE);
    s.grad_h = layer_case_buffer(&s.at, (size_t)(STEPS + 1) * STATE);
    s.grad_c = layer_case_buffer(&s.at, STATE);
    layer_case_output(&s.at, (size_t)STEPS * STATE);
    layer_case_check(&s.at, steps_forward, steps_backward, &s);
    layer_case_end(&s.at);
}

/* The output is h, then the final h and c. */
typedef struct bilstm_case {
    layer_case at;
    ht_bilstm layer;
    size_t steps, batch;
    layer_input weights, x;
    ht_real *grad_h, *cache;
} bilstm_case;

static void bilstm_forward(void *context) {
    bilstm_case *c = context;
    const size_t state = c->batch * 2 * c->layer.hidden;
    ht_real *final = c->at.output + c->steps * state;
    ht_bilstm_forward(&c->layer, c->weights.values, c->steps, c->batch, c->x.values, c->at.output,
                      final, final + state, c->cache);
}

static void bilstm_backward(void *context) {
    bilstm_case *c = context;
    const size_t state = c->batch * 2 * c->layer.hidden;
    const ht_real *final = c->at.grad_output + c->steps * state;
    memcpy(c->grad_h, c->at.grad_output, c->steps * state * sizeof *c->grad_h);
    ht_bilstm_backward(&c->layer, c->weights.values, c->steps, c->batch, c->x.values, c->at.output,
                       c->grad_h, final, final + state, c->x.gradient, c->weights.gradient,
                       c->cache);
}

Test(sequences, bilstm) {
    static const uint32_t shapes[][4] = {{1, 1, 1, 1}, {4, 3, 5, 3}, {3, 2, 2, 7}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        bilstm_case c = {.steps = shapes[i][0],
                         .batch = shapes[i][1],
                         .layer = {.inputs = shapes[i][2], .hidden = shapes[i][3]}};
        const size_t state = c.batch * 2 * c.layer.hidden;
        layer_case_start(&c.at, i);
        c.weights = layer_case_input(&c.at, "weights", ht_bilstm_weights(&c.layer), 0.7);
        c.x = layer_case_input(&c.at, "x", c.steps * c.batch * c.layer.inputs, 1);
        c.grad_h = layer_case_buffer(&c.at, c.steps * state);
        c.cache = layer_case_buffer(&c.at, ht_bilstm_cache(&c.layer, c.steps, c.batch));
        layer_case_output(&c.at, (c.steps + 2) * state);
        layer_case_check(&c.at, bilstm_forward, bilstm_backward, &c);
        layer_case_end(&c.at);
    }
}

/* Two queries in turn against one memory, contexts with a gap after each. */
typedef struct attention_case {
    layer_case at;
    ht_attention layer;
    ht_attention_memory memory;
    size_t rows, stride;
    layer_input weights, places, query;
    ht_real *grad_keys, *cache[2];
} attention_case;

static void attention_forward(void *context) {
    attention_case *c = context;
    ht_attention_keys(&c->layer, c->weights.values, &c->memory);
    for (size_t t = 0; t < 2; ++t)
        ht_attention_forward(&c->layer, c->weights.values, &c->memory, c->rows,
                             c->query.values + t * c->rows * c->layer.query,
                             c->at.output + t * c->rows * c->stride, c->stride, c->cache[t]);
}

static void attention_backward(void *context) {
    attention_case *c = context;
    const size_t keys = c->memory.places * c->rows * c->layer.width;
    memset(c->grad_keys, 0, keys * sizeof *c->grad_keys);
    for (size_t t = 0; t < 2; ++t) {
        const size_t at = t * c->rows * c->layer.query;
        ht_attention_backward(&c->layer, c->weights.values, &c->memory, c->rows,
                              c->query.values + at, c->at.grad_output + t * c->rows * c->stride,
                              c->stride, c->cache[t], c->query.gradient + at, c->places.gradient,
                              c->grad_keys, c->weights.gradient);
    }
    ht_attention_keys_backward(&c->layer, c->weights.values, &c->memory, c->grad_keys,
                               c->places.gradient, c->weights.gradient);
}

Test(sequences, attention) {
    /* places, rows, query, memory, width, gap */
    static const uint32_t shapes[][6] = {
        {1, 1, 1, 1, 1, 0}, {5, 3, 4, 6, 7, 0}, {7, 2, 5, 3, 9, 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        const uint32_t *shape = shapes[i];
        attention_case c = {.rows = shape[1],
                            .stride = shape[3] + shape[5],
                            .layer = {.query = shape[2], .memory = shape[3], .width = shape[4]}};
        const size_t keys = shape[0] * c.rows * c.layer.width;
        layer_case_start(&c.at, i);
        c.weights = layer_case_input(&c.at, "weights", ht_attention_weights(&c.layer), 0.8);
        c.places = layer_case_input(&c.at, "memory", shape[0] * c.rows * c.layer.memory, 1);
        c.query = layer_case_input(&c.at, "query", 2 * c.rows * c.layer.query, 1);
        c.memory = (ht_attention_memory){.places = shape[0],
                                         .rows = c.rows,
                                         .memory = c.places.values,
                                         .keys = layer_case_buffer(&c.at, keys)};
        c.grad_keys = layer_case_buffer(&c.at, keys);
        for (size_t t = 0; t < 2; ++t)
            c.cache[t] = layer_case_buffer(&c.at, ht_attention_cache(&c.layer, c.rows, shape[0]));
        layer_case_output(&c.at, 2 * c.rows * c.stride);
        layer_case_check(&c.at, attention_forward, attention_backward, &c);
        layer_case_end(&c.at);
    }
}

typedef struct heads_case {
    layer_case at;
    ht_heads layer;
    ht_heads_shape shape;
    layer_input weights, x, memory;
    ht_real *cache;
} heads_case;

static void heads_forward(void *context) {
    heads_case *c = context;
    ht_heads_forward(&c->layer, c->weights.values, &c->shape, c->x.values, c->memory.values,
                     c->at.output, c->cache);
}

static void heads_backward(void *context) {
    heads_case *c = context;
    ht_heads_backward(&c->layer, c->weights.values, &c->shape, c->x.values, c->memory.values,
                      c->at.grad_output, c->x.gradient, c->memory.gradient, c->weights.gradient,
                      c->cache);
}

static void heads_check(ht_heads layer, ht_heads_shape shape, bool self) {
    heads_case c = {.layer = layer, .shape = shape};
    layer_case_start(&c.at, shape.places);
    c.weights = layer_case_input(&c.at, "weights", ht_heads_weights(&layer), 1);
    c.x = layer_case_input(&c.at, "x", shape.places * shape.batch * layer.width, 1);
    c.memory = self ? c.x
                    : layer_case_input(&c.at, "memory",
                                       shape.memory_places * shape.batch * layer.width, 1);
    c.cache = layer_case_buffer(&c.at, ht_heads_cache(&layer, &shape));
    layer_case_output(&c.at, shape.places * shape.batch * layer.width);
    layer_case_check(&c.at, heads_forward, heads_backward, &c);
    layer_case_end(&c.at);
}

Test(sequences, heads) {
    const ht_heads layer = {.width = 12, .heads = 3}, one = {.width = 5, .heads = 1},
                   wide = {.width = 22, .heads = 2};
    heads_check(layer, (ht_heads_shape){.places = 5, .memory_places = 5, .batch = 2}, true);
    heads_check(
        layer, (ht_heads_shape){.places = 5, .memory_places = 5, .batch = 2, .causal = true}, true);
    heads_check(layer, (ht_heads_shape){.places = 4, .memory_places = 7, .batch = 3}, false);
    heads_check(wide, (ht_heads_shape){.places = 3, .memory_places = 11, .batch = 2}, false);
    heads_check(one, (ht_heads_shape){.places = 1, .memory_places = 1, .batch = 1}, false);
}
