#include "predictor/layers/lstm.h"

#include "predictor/math/real_math.h"
#include "predictor/math/real_vector.h"

#include <math.h>
#include <string.h>

static const ht_real *recurrent_of(const ht_lstm *layer, const ht_real *weights) {
    return weights + (size_t)layer->inputs * 4 * layer->hidden;
}

static const ht_real *bias_of(const ht_lstm *layer, const ht_real *weights) {
    return recurrent_of(layer, weights) + (size_t)layer->hidden * 4 * layer->hidden;
}

size_t ht_lstm_weights(const ht_lstm *layer) {
    return ((size_t)layer->inputs + layer->hidden + 1) * 4 * layer->hidden;
}

void ht_lstm_init(const ht_lstm *layer, ht_real *weights, ht_random *random) {
    const size_t hidden = layer->hidden, inputs = layer->inputs;
    ht_weights_uniform(weights, inputs * 4 * hidden, ht_weights_limit(inputs, hidden), random);
    ht_weights_uniform(weights + inputs * 4 * hidden, hidden * 4 * hidden, 1 / sqrt((double)hidden),
                       random);
    ht_real *bias = weights + (inputs + hidden) * 4 * hidden;
    for (size_t i = 0; i < 4 * hidden; ++i)
        bias[i] = i / hidden == 1 ? 1 : 0;
}

void ht_lstm_inputs(const ht_lstm *layer, const ht_real *weights, size_t rows,
                    const ht_lstm_part *part, bool add, ht_real *gates) {
    const size_t wide = 4 * (size_t)layer->hidden;
    if (!add)
        ht_rows_fill(rows, wide, bias_of(layer, weights), gates, wide);
    ht_gemm(false, false, rows, wide, part->count, 1, part->x, part->stride,
            weights + part->first * wide, wide, 1, gates, wide);
}

/* Turns one row's sums of the gates into their values; c and h follow. */
HT_CLONES static void cell_forward(size_t hidden, ht_real *gates, const ht_real *c_before,
                                   ht_real *h, ht_real *c) {
    ht_real *in = gates, *forget = gates + hidden, *cell = gates + 2 * hidden,
            *out = gates + 3 * hidden;
    HT_SIMD
    for (size_t i = 0; i < hidden; ++i) {
        in[i] = ht_fast_sigmoid(in[i]);
        forget[i] = ht_fast_sigmoid(forget[i]);
        cell[i] = ht_fast_tanh(cell[i]);
        out[i] = ht_fast_sigmoid(out[i]);
        const ht_real now = forget[i] * c_before[i] + in[i] * cell[i];
        h[i] = out[i] * ht_fast_tanh(now);
        c[i] = now;
    }
}

/* Does the same where there is no state before. */
HT_CLONES static void cell_forward_first(size_t hidden, ht_real *gates, ht_real *h, ht_real *c) {
    ht_real *in = gates, *forget = gates + hidden, *cell = gates + 2 * hidden,
            *out = gates + 3 * hidden;
    HT_SIMD
    for (size_t i = 0; i < hidden; ++i) {
        in[i] = ht_fast_sigmoid(in[i]);
        forget[i] = ht_fast_sigmoid(forget[i]);
        cell[i] = ht_fast_tanh(cell[i]);
        out[i] = ht_fast_sigmoid(out[i]);
        const ht_real now = in[i] * cell[i];
        h[i] = out[i] * ht_fast_tanh(now);
        c[i] = now;
    }
}

/* Goes back with g' = g (1 - g) for the logistic function and 1 - g^2 for tanh. c_before may be
 * NULL. */
HT_CLONES static void cell_backward(size_t hidden, ht_real *gates, const ht_real *c_before,
                                    const ht_real *c, const ht_real *grad_h, ht_real *grad_c) {
    ht_real *in = gates, *forget = gates + hidden, *cell = gates + 2 * hidden,
            *out = gates + 3 * hidden;
    HT_SIMD
    for (size_t i = 0; i < hidden; ++i) {
        const ht_real shaped = ht_fast_tanh(c[i]);
        const ht_real d = grad_c[i] + grad_h[i] * out[i] * (1 - shaped * shaped);
        const ht_real in_value = in[i], forget_value = forget[i], cell_value = cell[i];
        out[i] = grad_h[i] * shaped * out[i] * (1 - out[i]);
        in[i] = d * cell_value * in_value * (1 - in_value);
        cell[i] = d * in_value * (1 - cell_value * cell_value);
        forget[i] = d * forget_value * (1 - forget_value);
        grad_c[i] = d * forget_value;
    }
    if (!c_before) {
        memset(forget, 0, hidden * sizeof *forget);
        return;
    }
    HT_SIMD
    for (size_t i = 0; i < hidden; ++i)
        forget[i] *= c_before[i];
}

/* Does the same with rows of h `stride` and of h_before `before_stride` apart. */
static void step_forward(const ht_lstm *layer, const ht_real *weights, size_t rows, ht_real *gates,
                         const ht_real *h_before, size_t before_stride, const ht_real *c_before,
                         ht_real *h, size_t stride, ht_real *c) {
    const size_t hidden = layer->hidden, wide = 4 * hidden;
    if (h_before)
        ht_gemm(false, false, rows, wide, hidden, 1, h_before, before_stride,
                recurrent_of(layer, weights), wide, 1, gates, wide);
    for (size_t r = 0; r < rows; ++r)
        if (c_before)
            cell_forward(hidden, gates + r * wide, c_before + r * hidden, h + r * stride,
                         c + r * hidden);
        else
            cell_forward_first(hidden, gates + r * wide, h + r * stride, c + r * hidden);
}

void ht_lstm_step(const ht_lstm *layer, const ht_real *weights, size_t rows, ht_real *gates,
                  const ht_real *h_before, const ht_real *c_before, ht_real *h, ht_real *c) {
    step_forward(layer, weights, rows, gates, h_before, layer->hidden, c_before, h, layer->hidden,
                 c);
}

void ht_lstm_step_backward(const ht_lstm *layer, const ht_real *weights, size_t rows,
                           ht_real *gates, const ht_real *c_before, const ht_real *c,
                           const ht_real *grad_h, ht_real *grad_c, ht_real *grad_h_before) {
    const size_t hidden = layer->hidden, wide = 4 * hidden;
    for (size_t r = 0; r < rows; ++r)
        cell_backward(hidden, gates + r * wide, c_before ? c_before + r * hidden : NULL,
                      c + r * hidden, grad_h + r * hidden, grad_c + r * hidden);
    if (grad_h_before)
        ht_gemm(false, true, rows, hidden, wide, 1, gates, wide, recurrent_of(layer, weights), wide,
                1, grad_h_before, hidden);
}

void ht_lstm_inputs_backward(const ht_lstm *layer, const ht_real *weights, size_t rows,
                             const ht_lstm_part *part, const ht_real *grad_gates, ht_real *grad_x,
                             ht_real *grad_weights) {
    const size_t wide = 4 * (size_t)layer->hidden;
    const size_t at = part->first * wide;
    if (grad_x)
        ht_gemm(false, true, rows, part->count, wide, 1, grad_gates, wide, weights + at, wide, 1,
                grad_x, part->stride);
    ht_gemm(true, false, part->count, wide, rows, 1, part->x, part->stride, grad_gates, wide, 1,
            grad_weights + at, wide);
}

static void recurrent_backward(const ht_lstm *layer, size_t rows, const ht_real *h_before,
                               size_t stride, const ht_real *grad_gates, ht_real *grad_weights) {
    const size_t hidden = layer->hidden, wide = 4 * hidden;
    ht_gemm(true, false, hidden, wide, rows, 1, h_before, stride, grad_gates, wide, 1,
            grad_weights + layer->inputs * wide, wide);
}

static void bias_backward(const ht_lstm *layer, size_t rows, const ht_real *grad_gates,
                          ht_real *grad_weights) {
    const size_t wide = 4 * (size_t)layer->hidden;
    ht_rows_sum(rows, wide, grad_gates, wide,
                grad_weights + ((size_t)layer->inputs + layer->hidden) * wide);
}

void ht_lstm_states_backward(const ht_lstm *layer, size_t rows, const ht_real *h_before,
                             const ht_real *grad_gates, ht_real *grad_weights) {
    if (h_before)
        recurrent_backward(layer, rows, h_before, layer->hidden, grad_gates, grad_weights);
    bias_backward(layer, rows, grad_gates, grad_weights);
}

/* A whole sequence. The cache: gates [steps][batch][4 hidden], cell states [steps][batch][hidden],
 * and for backward two rows of gradients of a state [batch][hidden]. */
typedef struct sequence {
    ht_real *gates, *cells, *grad_h, *grad_c;
} sequence;

static sequence sequence_of(const ht_lstm *layer, const ht_lstm_run *run) {
    const size_t state = run->batch * layer->hidden;
    sequence made = {.gates = run->cache};
    made.cells = made.gates + run->steps * 4 * state;
    made.grad_h = made.cells + run->steps * state;
    made.grad_c = made.grad_h + state;
    return made;
}

size_t ht_lstm_cache(const ht_lstm *layer, size_t steps, size_t batch) {
    return (steps * 5 + 2) * batch * layer->hidden;
}

/* Returns the place that is run as number `order`. */
static size_t place_of(const ht_lstm_run *run, size_t order) {
    return run->reverse ? run->steps - 1 - order : order;
}

const ht_real *ht_lstm_final_cell(const ht_lstm *layer, const ht_lstm_run *run) {
    return sequence_of(layer, run).cells +
           place_of(run, run->steps - 1) * run->batch * layer->hidden;
}

void ht_lstm_forward(const ht_lstm *layer, const ht_real *weights, const ht_lstm_run *run) {
    const sequence sequence = sequence_of(layer, run);
    const size_t state = run->batch * layer->hidden, wide_h = run->batch * run->stride;
    const ht_lstm_part all = {.count = layer->inputs, .x = run->x, .stride = layer->inputs};
    ht_lstm_inputs(layer, weights, run->steps * run->batch, &all, false, sequence.gates);
    const ht_real *h_before = run->h0, *c_before = run->c0;
    size_t before_stride = layer->hidden;
    for (size_t order = 0; order < run->steps; ++order) {
        const size_t at = place_of(run, order);
        ht_real *h = run->h + at * wide_h, *c = sequence.cells + at * state;
        step_forward(layer, weights, run->batch, sequence.gates + at * 4 * state, h_before,
                     before_stride, c_before, h, run->stride, c);
        h_before = h;
        before_stride = run->stride;
        c_before = c;
    }
}

/* Adds the gradient of Wh: all places but the first that was run see the h next to them. */
static void sequence_recurrent(const ht_lstm *layer, const ht_lstm_run *run, const ht_real *gates,
                               ht_real *grad_weights) {
    const size_t wide = run->batch * 4 * layer->hidden, wide_h = run->batch * run->stride;
    const size_t rows = (run->steps - 1) * run->batch;
    if (rows)
        recurrent_backward(layer, rows, run->h + (run->reverse ? wide_h : 0), run->stride,
                           gates + (run->reverse ? 0 : wide), grad_weights);
    if (run->h0)
        recurrent_backward(layer, run->batch, run->h0, layer->hidden,
                           gates + place_of(run, 0) * wide, grad_weights);
}

/* Runs the steps from the last one to the first: the gates' gradients. */
static void sequence_steps(const ht_lstm *layer, const ht_real *weights, const ht_lstm_run *run,
                           const sequence *sequence, const ht_real *grad_h, ht_real *grad_h0) {
    const size_t hidden = layer->hidden, state = run->batch * hidden;
    for (size_t order = run->steps; order-- > 0;) {
        const size_t at = place_of(run, order);
        const ht_real *c_before =
            order ? sequence->cells + place_of(run, order - 1) * state : run->c0;
        for (size_t r = 0; r < run->batch; ++r)
            ht_vector_add(hidden, grad_h + (at * run->batch + r) * run->stride,
                          sequence->grad_h + r * hidden);
        ht_real *gates = sequence->gates + at * 4 * state;
        ht_lstm_step_backward(layer, weights, run->batch, gates, c_before,
                              sequence->cells + at * state, sequence->grad_h, sequence->grad_c,
                              NULL);
        ht_real *before = order ? sequence->grad_h : grad_h0;
        if (before)
            ht_gemm(false, true, run->batch, hidden, 4 * hidden, 1, gates, 4 * hidden,
                    recurrent_of(layer, weights), 4 * hidden, order ? 0 : 1, before, hidden);
    }
}

void ht_lstm_backward(const ht_lstm *layer, const ht_real *weights, const ht_lstm_run *run,
                      const ht_real *grad_h, const ht_real *grad_c_final, ht_real *grad_x,
                      ht_real *grad_h0, ht_real *grad_c0, ht_real *grad_weights) {
    const sequence sequence = sequence_of(layer, run);
    const size_t state = run->batch * layer->hidden;
    memset(sequence.grad_h, 0, state * sizeof *sequence.grad_h);
    if (grad_c_final)
        memcpy(sequence.grad_c, grad_c_final, state * sizeof *sequence.grad_c);
    else
        memset(sequence.grad_c, 0, state * sizeof *sequence.grad_c);
    sequence_steps(layer, weights, run, &sequence, grad_h, grad_h0);
    if (grad_c0)
        ht_vector_add(state, sequence.grad_c, grad_c0);
    const size_t rows = run->steps * run->batch;
    const ht_lstm_part all = {.count = layer->inputs, .x = run->x, .stride = layer->inputs};
    ht_lstm_inputs_backward(layer, weights, rows, &all, sequence.gates, grad_x, grad_weights);
    sequence_recurrent(layer, run, sequence.gates, grad_weights);
    bias_backward(layer, rows, sequence.gates, grad_weights);
}
