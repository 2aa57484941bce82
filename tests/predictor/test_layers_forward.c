/* The results of layers, against plain loops in float64 written from the formulas. Built for float
 * and for double. */
#include "layer_case.h"
#include "predictor/layers/activation.h"
#include "predictor/layers/attention.h"
#include "predictor/layers/bilstm.h"
#include "predictor/layers/conv1d.h"
#include "predictor/layers/embedding.h"
#include "predictor/layers/feed_forward.h"
#include "predictor/layers/heads.h"
#include "predictor/layers/layer_norm.h"
#include "predictor/layers/lstm.h"
#include "predictor/layers/positions.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#ifdef HT_REAL_DOUBLE
static const double tolerance = 1e-12;
#else
static const double tolerance = 5e-6;
#endif

static void close_to(double found, double wanted, const char *what, size_t index) {
    cr_assert_lt(fabs(found - wanted), tolerance * (1 + fabs(wanted)), "%s[%zu]: %.9g, not %.9g",
                 what, index, found, wanted);
}

static double at(const ht_real *array, size_t index) {
    return (double)array[index];
}

/* Returns b[o] + sum_i x[i] w[i][o], W stored as the layers do. */
static double affine(const ht_real *x, const ht_real *w, size_t inputs, size_t outputs, size_t o) {
    double sum = at(w, inputs * outputs + o);
    for (size_t i = 0; i < inputs; ++i)
        sum += at(x, i) * at(w, i * outputs + o);
    return sum;
}

static double logistic(double x) {
    return 1 / (1 + exp(-x));
}

Test(forward, products) {
    enum { M = 5, N = 7, K = 3 };
    layer_case c;
    layer_case_start(&c, 1);
    const ht_real *a = layer_case_input(&c, "a", (size_t)M * K, 1).values;
    const ht_real *b = layer_case_input(&c, "b", (size_t)K * N, 1).values;
    ht_real *y = layer_case_buffer(&c, (size_t)M * (N + 2));
    for (int kind = 0; kind < 4; ++kind) {
        const bool ta = kind & 1, tb = kind & 2;
        ht_gemm(ta, tb, M, N, K, 2, a, ta ? M : K, b, tb ? K : N, 0, y, N + 2);
        ht_gemm(ta, tb, M, N, K, 1, a, ta ? M : K, b, tb ? K : N, (ht_real)0.5, y, N + 2);
        for (size_t m = 0; m < M; ++m)
            for (size_t n = 0; n < N; ++n) {
                double sum = 0;
                for (size_t k = 0; k < K; ++k)
                    sum += at(a, ta ? k * M + m : m * K + k) * at(b, tb ? n * K + k : k * N + n);
                close_to(at(y, m * (N + 2) + n), 2 * sum, "product", m * N + n);
            }
        cr_assert_eq(y[N], (ht_real)-77.5); /* the gap between rows is left alone */
    }
    layer_case_end(&c);
}

/* One row, a few, and many. */
Test(forward, dense) {
    static const size_t all_rows[] = {1, 2, 5, 10, 16, 17, 40};
    const ht_dense layer = {.inputs = 37, .outputs = 83};
    for (size_t i = 0; i < sizeof all_rows / sizeof *all_rows; ++i) {
        const size_t rows = all_rows[i];
        layer_case c;
        layer_case_start(&c, 2);
        const ht_real *w = layer_case_input(&c, "w", ht_dense_weights(&layer), 1).values;
        const ht_real *x = layer_case_input(&c, "x", rows * layer.inputs, 1).values;
        ht_real *y = layer_case_buffer(&c, rows * layer.outputs);
        ht_dense_forward(&layer, w, rows, x, y);
        for (size_t k = 0; k < rows * layer.outputs; ++k)
            close_to(at(y, k),
                     affine(x + k / layer.outputs * layer.inputs, w, layer.inputs, layer.outputs,
                            k % layer.outputs),
                     "dense", k);
        layer_case_end(&c);
    }
}

Test(forward, embedding) {
    const ht_embedding layer = {.vocabulary = 4, .width = 3, .ids = 2};
    const uint32_t ids[] = {1, 3, 0, 2, 0, 0, 3, 3};
    layer_case c;
    layer_case_start(&c, 3);
    const ht_real *w = layer_case_input(&c, "w", ht_embedding_weights(&layer), 1).values;
    ht_real *y = layer_case_buffer(&c, 12);
    ht_embedding_forward(&layer, w, 4, ids, y);
    for (size_t k = 0; k < 12; ++k) {
        const uint32_t first = ids[k / 3 * 2], second = ids[k / 3 * 2 + 1];
        close_to(at(y, k),
                 (first ? at(w, first * 3 + k % 3) : 0) + (second ? at(w, second * 3 + k % 3) : 0),
                 "embedding", k);
    }
    layer_case_end(&c);
}

Test(forward, conv1d) {
    enum { STEPS = 5, BATCH = 2, IN = 3, OUT = 4, KERNEL = 3 };
    const ht_conv1d layer = {.inputs = IN, .outputs = OUT, .kernel = KERNEL};
    layer_case c;
    layer_case_start(&c, 4);
    const ht_real *w = layer_case_input(&c, "w", ht_conv1d_weights(&layer), 1).values;
    const ht_real *x = layer_case_input(&c, "x", (size_t)STEPS * BATCH * IN, 1).values;
    ht_real *y = layer_case_buffer(&c, (size_t)STEPS * BATCH * OUT);
    ht_conv1d_forward(&layer, w, STEPS, BATCH, x, y);
    for (int t = 0; t < STEPS; ++t)
        for (size_t b = 0; b < BATCH; ++b)
            for (size_t o = 0; o < OUT; ++o) {
                double sum = at(w, (size_t)KERNEL * IN * OUT + o);
                for (int j = 0; j < KERNEL; ++j) {
                    const int from = t + j - KERNEL / 2;
                    for (size_t i = 0; from >= 0 && from < STEPS && i < IN; ++i)
                        sum += at(x, ((size_t)from * BATCH + b) * IN + i) *
                               at(w, ((size_t)j * IN + i) * OUT + o);
                }
                close_to(at(y, ((size_t)t * BATCH + b) * OUT + o), sum, "conv1d", (size_t)t);
            }
    layer_case_end(&c);
}

/* Computes one LSTM cell in float64, h and c in place. */
static void cell(const ht_lstm *layer, const ht_real *w, const ht_real *x, double *h, double *c) {
    const size_t in = layer->inputs, hidden = layer->hidden, wide = 4 * hidden;
    double gates[64];
    for (size_t g = 0; g < wide; ++g) {
        gates[g] = at(w, (in + hidden) * wide + g);
        for (size_t i = 0; i < in; ++i)
            gates[g] += at(x, i) * at(w, i * wide + g);
        for (size_t i = 0; i < hidden; ++i)
            gates[g] += h[i] * at(w, (in + i) * wide + g);
    }
    for (size_t i = 0; i < hidden; ++i) {
        c[i] =
            logistic(gates[hidden + i]) * c[i] + logistic(gates[i]) * tanh(gates[2 * hidden + i]);
        h[i] = logistic(gates[3 * hidden + i]) * tanh(c[i]);
    }
}

Test(forward, bilstm) {
    enum { STEPS = 4, BATCH = 3, IN = 5, HIDDEN = 7, BOTH = 2 * HIDDEN };
    const ht_bilstm layer = {.inputs = IN, .hidden = HIDDEN};
    const ht_lstm one = {.inputs = IN, .hidden = HIDDEN};
    layer_case c;
    layer_case_start(&c, 5);
    const ht_real *w = layer_case_input(&c, "w", ht_bilstm_weights(&layer), 1).values;
    const ht_real *x = layer_case_input(&c, "x", (size_t)STEPS * BATCH * IN, 1).values;
    ht_real *y = layer_case_buffer(&c, (size_t)STEPS * BATCH * BOTH);
    ht_real *final_h = layer_case_buffer(&c, (size_t)BATCH * BOTH);
    ht_real *final_c = layer_case_buffer(&c, (size_t)BATCH * BOTH);
    ht_real *cache = layer_case_buffer(&c, ht_bilstm_cache(&layer, STEPS, BATCH));
    ht_bilstm_forward(&layer, w, STEPS, BATCH, x, y, final_h, final_c, cache);
    for (size_t b = 0; b < BATCH; ++b)
        for (size_t back = 0; back < 2; ++back) {
            double h[HIDDEN] = {0}, state[HIDDEN] = {0};
            for (size_t order = 0; order < STEPS; ++order) {
                const size_t t = back ? STEPS - 1 - order : order;
                cell(&one, w + back * ht_lstm_weights(&one), x + (t * BATCH + b) * IN, h, state);
                for (size_t i = 0; i < HIDDEN; ++i)
                    close_to(at(y, (t * BATCH + b) * BOTH + back * HIDDEN + i), h[i], "h", i);
            }
            for (size_t i = 0; i < HIDDEN; ++i) {
                close_to(at(final_h, b * BOTH + back * HIDDEN + i), h[i], "final h", i);
                close_to(at(final_c, b * BOTH + back * HIDDEN + i), state[i], "final c", i);
            }
        }
    layer_case_end(&c);
}

/* A memory of its own for each row, and one for all. */
Test(forward, attention) {
    enum { PLACES = 6, ROWS = 3, QUERY = 4, MEMORY = 5, WIDTH = 7 };
    const ht_attention layer = {.query = QUERY, .memory = MEMORY, .width = WIDTH};
    for (size_t rows = 1; rows <= ROWS; rows += ROWS - 1) { /* of the memory */
        layer_case c;
        layer_case_start(&c, 6);
        const ht_real *w = layer_case_input(&c, "w", ht_attention_weights(&layer), 1).values;
        const ht_real *m = layer_case_input(&c, "m", PLACES * rows * MEMORY, 1).values;
        const ht_real *q = layer_case_input(&c, "q", (size_t)ROWS * QUERY, 1).values;
        const ht_attention_memory memory = {.places = PLACES,
                                            .rows = rows,
                                            .memory = m,
                                            .keys = layer_case_buffer(&c, PLACES * rows * WIDTH)};
        ht_real *context = layer_case_buffer(&c, (size_t)ROWS * MEMORY);
        ht_real *cache = layer_case_buffer(&c, ht_attention_cache(&layer, ROWS, PLACES));
        ht_attention_keys(&layer, w, &memory);
        ht_attention_forward(&layer, w, &memory, ROWS, q, context, MEMORY, cache);
        const ht_real *wk = w + QUERY * WIDTH, *v = wk + MEMORY * WIDTH + WIDTH;
        for (size_t r = 0; r < ROWS; ++r) {
            double shares[PLACES], total = 0;
            const size_t own = rows == 1 ? 0 : r;
            for (size_t p = 0; p < PLACES; ++p) {
                double score = 0;
                for (size_t o = 0; o < WIDTH; ++o) {
                    double sum = affine(m + (p * rows + own) * MEMORY, wk, MEMORY, WIDTH, o);
                    for (size_t i = 0; i < QUERY; ++i)
                        sum += at(q, r * QUERY + i) * at(w, i * WIDTH + o);
                    score += at(v, o) * tanh(sum);
                }
                total += shares[p] = exp(score);
            }
            for (size_t i = 0; i < MEMORY; ++i) {
                double sum = 0;
                for (size_t p = 0; p < PLACES; ++p)
                    sum += shares[p] / total * at(m, (p * rows + own) * MEMORY + i);
                close_to(at(context, r * MEMORY + i), sum, "context", i);
            }
            for (size_t p = 0; p < PLACES; ++p)
                close_to(at(cache, r * PLACES + p), shares[p] / total, "share", p);
        }
        layer_case_end(&c);
    }
}

enum { PLACES = 18, BATCH = 2, WIDTH = 40, HEADS = 2, ONE = WIDTH / HEADS };

/* Computes self-attention of one place of one row, by the formula. */
static void self_attention(const ht_real *w, const ht_real *x, size_t place, size_t row,
                           size_t visible, double *out) {
    enum { MAP = WIDTH * WIDTH + WIDTH };
    ht_real context[WIDTH];
    for (size_t h = 0; h < HEADS; ++h) {
        double shares[PLACES], total = 0, sums[ONE] = {0};
        for (size_t p = 0; p < visible; ++p) {
            double score = 0;
            for (size_t i = h * ONE; i < (h + 1) * ONE; ++i)
                score += affine(x + (place * BATCH + row) * WIDTH, w, WIDTH, WIDTH, i) *
                         affine(x + (p * BATCH + row) * WIDTH, w + MAP, WIDTH, WIDTH, i);
            total += shares[p] = exp(score / sqrt(ONE));
        }
        for (size_t p = 0; p < visible; ++p)
            for (size_t i = 0; i < ONE; ++i)
                sums[i] += shares[p] / total *
                           affine(x + (p * BATCH + row) * WIDTH, w + (size_t)2 * MAP, WIDTH, WIDTH,
                                  h * ONE + i);
        for (size_t i = 0; i < ONE; ++i)
            context[h * ONE + i] = (ht_real)sums[i];
    }
    for (size_t i = 0; i < WIDTH; ++i)
        out[i] = affine(context, w + (size_t)3 * MAP, WIDTH, WIDTH, i);
}

/* The whole sequence, causal and not, and the same place by place as in decoding. */
Test(forward, heads) {
    const ht_heads layer = {.width = WIDTH, .heads = HEADS};
    for (int causal = 0; causal < 2; ++causal) {
        const ht_heads_shape shape = {
            .places = PLACES, .memory_places = PLACES, .batch = BATCH, .causal = causal};
        const size_t all = (size_t)PLACES * BATCH * WIDTH;
        layer_case c;
        layer_case_start(&c, 7);
        const ht_real *w = layer_case_input(&c, "w", ht_heads_weights(&layer), 0.3).values;
        const ht_real *x = layer_case_input(&c, "x", all, 1).values;
        ht_real *y = layer_case_buffer(&c, all), *keys = layer_case_buffer(&c, all),
                *values = layer_case_buffer(&c, all), *step = layer_case_buffer(&c, BATCH * WIDTH);
        ht_real *cache = layer_case_buffer(&c, ht_heads_cache(&layer, &shape));
        ht_real *small = layer_case_buffer(&c, ht_heads_step_cache(&layer, BATCH, PLACES));
        ht_heads_forward(&layer, w, &shape, x, x, y, cache);
        ht_heads_memory(&layer, w, (size_t)PLACES * BATCH, x, keys, values);
        for (size_t p = 0; p < PLACES; ++p) {
            const size_t visible = causal ? p + 1 : PLACES;
            ht_heads_step(&layer, w, BATCH, visible, BATCH, x + p * BATCH * WIDTH, keys, values,
                          step, small);
            for (size_t b = 0; b < BATCH; ++b) {
                double wanted[WIDTH];
                self_attention(w, x, p, b, visible, wanted);
                for (size_t i = 0; i < WIDTH; ++i) {
                    close_to(at(y, (p * BATCH + b) * WIDTH + i), wanted[i], "heads", i);
                    close_to(at(step, b * WIDTH + i), wanted[i], "heads, by place", i);
                }
            }
        }
        layer_case_end(&c);
    }
}

static double gelu(double x) {
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

Test(forward, feed_forward_and_activations) {
    enum { ROWS = 3, IN = 4, INNER = 9 };
    const ht_feed_forward layer = {.width = IN, .inner = INNER};
    layer_case c;
    layer_case_start(&c, 8);
    const ht_real *w = layer_case_input(&c, "w", ht_feed_forward_weights(&layer), 1).values;
    const ht_real *x = layer_case_input(&c, "x", (size_t)ROWS * IN, 1).values;
    ht_real *y = layer_case_buffer(&c, (size_t)ROWS * IN);
    ht_real *cache = layer_case_buffer(&c, ht_feed_forward_cache(&layer, ROWS));
    ht_feed_forward_forward(&layer, w, ROWS, x, y, cache);
    for (size_t k = 0; k < (size_t)ROWS * IN; ++k) {
        const ht_real *second = w + (size_t)IN * INNER + INNER;
        double sum = at(second, (size_t)INNER * IN + k % IN);
        for (size_t i = 0; i < INNER; ++i)
            sum += gelu(affine(x + k / IN * IN, w, IN, INNER, i)) * at(second, i * IN + k % IN);
        close_to(at(y, k), sum, "feed forward", k);
    }
    ht_relu_forward((size_t)ROWS * IN, x, y);
    for (size_t k = 0; k < (size_t)ROWS * IN; ++k)
        cr_assert_eq(y[k], x[k] > 0 ? x[k] : 0);
    layer_case_end(&c);
}

Test(forward, layer_norm_and_positions) {
    enum { ROWS = 3, WIDE = 70 }; /* as places of a batch of one, for positions */
    const ht_layer_norm layer = {.width = WIDE};
    layer_case c;
    layer_case_start(&c, 9);
    const ht_real *w = layer_case_input(&c, "w", ht_layer_norm_weights(&layer), 1).values;
    ht_real *x = layer_case_input(&c, "x", (size_t)ROWS * WIDE, 1).values;
    ht_real *y = layer_case_buffer(&c, (size_t)ROWS * WIDE);
    ht_real *cache = layer_case_buffer(&c, ht_layer_norm_cache(&layer, ROWS));
    ht_layer_norm_forward(&layer, w, ROWS, x, y, cache);
    for (size_t r = 0; r < ROWS; ++r) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < WIDE; ++i)
            mean += at(x, r * WIDE + i) / WIDE;
        for (size_t i = 0; i < WIDE; ++i)
            square += pow(at(x, r * WIDE + i) - mean, 2) / WIDE;
        for (size_t i = 0; i < WIDE; ++i)
            close_to(at(y, r * WIDE + i),
                     (at(x, r * WIDE + i) - mean) / sqrt(square + 1e-5) * at(w, i) +
                         at(w, WIDE + i),
                     "layer norm", i);
    }
    memcpy(y, x, (size_t)ROWS * WIDE * sizeof *y);
    ht_positions_add(4, ROWS, 1, WIDE, y);
    for (size_t k = 0; k < (size_t)ROWS * WIDE; ++k) {
        const size_t i = k % WIDE, even = i - i % 2;
        const double angle = (double)(4 + k / WIDE) / pow(10000, (double)even / (double)WIDE);
        close_to(at(y, k), at(x, k) + (i % 2 ? cos(angle) : sin(angle)), "positions", k);
    }
    layer_case_end(&c);
}
