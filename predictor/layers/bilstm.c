#include "predictor/layers/bilstm.h"

#include "predictor/math/real_vector.h"

#include <string.h>

static ht_lstm direction_of(const ht_bilstm *layer) {
    return (ht_lstm){.inputs = layer->inputs, .hidden = layer->hidden};
}

size_t ht_bilstm_weights(const ht_bilstm *layer) {
    const ht_lstm direction = direction_of(layer);
    return 2 * ht_lstm_weights(&direction);
}

void ht_bilstm_init(const ht_bilstm *layer, ht_real *weights, ht_random *random) {
    const ht_lstm direction = direction_of(layer);
    ht_lstm_init(&direction, weights, random);
    ht_lstm_init(&direction, weights + ht_lstm_weights(&direction), random);
}

/* Both directions' caches, and one final cell state's gradient apart from its neighbour's. */
size_t ht_bilstm_cache(const ht_bilstm *layer, size_t steps, size_t batch) {
    const ht_lstm direction = direction_of(layer);
    return 2 * ht_lstm_cache(&direction, steps, batch) + batch * layer->hidden;
}

static ht_lstm_run run_of(const ht_bilstm *layer, size_t steps, size_t batch, const ht_real *x,
                          ht_real *h, ht_real *cache, bool reverse) {
    const ht_lstm direction = direction_of(layer);
    return (ht_lstm_run){.steps = steps,
                         .batch = batch,
                         .reverse = reverse,
                         .stride = 2 * (size_t)layer->hidden,
                         .x = x,
                         .h = h + (reverse ? layer->hidden : 0),
                         .cache = cache + (reverse ? ht_lstm_cache(&direction, steps, batch) : 0)};
}

void ht_bilstm_forward(const ht_bilstm *layer, const ht_real *weights, size_t steps, size_t batch,
                       const ht_real *x, ht_real *h, ht_real *final_h, ht_real *final_c,
                       ht_real *cache) {
    const ht_lstm direction = direction_of(layer);
    const size_t hidden = layer->hidden;
    for (int back = 0; back < 2; ++back) {
        const ht_lstm_run run = run_of(layer, steps, batch, x, h, cache, back);
        ht_lstm_forward(&direction, weights + (back ? ht_lstm_weights(&direction) : 0), &run);
        const size_t last = back ? 0 : steps - 1;
        if (final_h)
            ht_rows_copy(batch, hidden, run.h + last * batch * run.stride, run.stride,
                         final_h + back * hidden, 2 * hidden);
        if (final_c)
            ht_rows_copy(batch, hidden, ht_lstm_final_cell(&direction, &run), hidden,
                         final_c + back * hidden, 2 * hidden);
    }
}

void ht_bilstm_backward(const ht_bilstm *layer, const ht_real *weights, size_t steps, size_t batch,
                        const ht_real *x, const ht_real *h, ht_real *grad_h,
                        const ht_real *grad_final_h, const ht_real *grad_final_c, ht_real *grad_x,
                        ht_real *grad_weights, ht_real *cache) {
    const ht_lstm direction = direction_of(layer);
    const size_t hidden = layer->hidden, wide = 2 * hidden;
    ht_real *grad_c = cache + 2 * ht_lstm_cache(&direction, steps, batch);
    for (int back = 0; back < 2; ++back) {
        /* Backward only reads h. */
        const ht_lstm_run run = run_of(layer, steps, batch, x, (ht_real *)h, cache, back);
        const size_t last = back ? 0 : steps - 1, at = back ? ht_lstm_weights(&direction) : 0;
        if (grad_final_h)
            for (size_t r = 0; r < batch; ++r)
                ht_vector_add(hidden, grad_final_h + r * wide + back * hidden,
                              grad_h + (last * batch + r) * wide + back * hidden);
        if (grad_final_c)
            ht_rows_copy(batch, hidden, grad_final_c + back * hidden, wide, grad_c, hidden);
        ht_lstm_backward(&direction, weights + at, &run, grad_h + back * hidden,
                         grad_final_c ? grad_c : NULL, grad_x, NULL, NULL, grad_weights + at);
    }
}
