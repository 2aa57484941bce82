#include "predictor/layers/heads_core.h"

#include "predictor/math/real_math.h"

#include <string.h>

/* A few places by a few dozen numbers: too small for a library's products. */
enum { LANES = 64 / sizeof(ht_real) };
typedef ht_real lanes __attribute__((vector_size(64), aligned(sizeof(ht_real)), may_alias));

static size_t padded(size_t places) {
    return (places + LANES - 1) / LANES * LANES;
}

size_t ht_head_columns(size_t width, size_t memory_places) {
    return width * padded(memory_places);
}

static ht_real scale_of(const ht_head *head) {
    return (ht_real)(1 / sqrt((double)head->width));
}

/* Sets columns[i][p] = rows[p][i]; the rest of a row stays zero. */
static void transpose(const ht_head *head, const ht_real *rows) {
    const size_t line = padded(head->memory_places);
    memset(head->columns, 0, head->width * line * sizeof *head->columns);
    for (size_t p = 0; p < head->memory_places; ++p)
        for (size_t i = 0; i < head->width; ++i)
            head->columns[i * line + p] = rows[p * head->step + i];
}

/* Sets out[p] = scale * x . (column p), `count` of them. */
HT_INLINE void dots(size_t width, size_t count, ht_real scale, const ht_real *x,
                    const ht_real *columns, ht_real *out) {
    const size_t line = (count + LANES - 1) / LANES * LANES;
    for (size_t from = 0; from < count; from += LANES) {
        const ht_real *column = columns + from;
        lanes even = {0}, odd = {0};
        size_t i = 0;
        for (; i + 2 <= width; i += 2) {
            even += x[i] * *(const lanes *)(column + i * line);
            odd += x[i + 1] * *(const lanes *)(column + (i + 1) * line);
        }
        if (i < width)
            even += x[i] * *(const lanes *)(column + i * line);
        even = (even + odd) * scale;
        const size_t rest = count - from;
        memcpy(out + from, &even, (rest < LANES ? rest : LANES) * sizeof *out);
    }
}

/* Sets out = sum_p shares[p * share_step] * rows[p * step]. */
HT_INLINE void mix(size_t width, size_t count, const ht_real *shares, size_t share_step,
                   const ht_real *rows, size_t step, ht_real *out) {
    size_t i = 0;
    for (; i + LANES <= width; i += LANES) {
        lanes sum = {0};
        for (size_t p = 0; p < count; ++p)
            sum += shares[p * share_step] * *(const lanes *)(rows + p * step + i);
        *(lanes *)(out + i) = sum;
    }
    for (; i < width; ++i) {
        ht_real sum = 0;
        for (size_t p = 0; p < count; ++p)
            sum += shares[p * share_step] * rows[p * step + i];
        out[i] = sum;
    }
}

HT_CLONES static void forward(const ht_head *head, ht_real scale) {
    const size_t places = head->memory_places;
    for (size_t q = 0; q < head->places; ++q) {
        const size_t visible = head->causal ? q + 1 : places;
        ht_real *shares = head->shares + q * places;
        dots(head->width, places, scale, head->query + q * head->step, head->columns, shares);
        ht_fast_softmax(visible, shares);
        for (size_t p = visible; p < places; ++p)
            shares[p] = 0;
        mix(head->width, visible, shares, 1, head->value, head->step,
            head->context + q * head->step);
    }
}

void ht_head_forward(const ht_head *head) {
    transpose(head, head->key);
    forward(head, scale_of(head));
}

/* Goes back: with s the shares and a their gradients, a query's scores get s (a - s . a). */
HT_CLONES static void backward(const ht_head *head, ht_real scale) {
    const size_t places = head->memory_places, step = head->step, width = head->width;
    for (size_t q = 0; q < head->places; ++q) {
        const ht_real *shares = head->shares + q * places;
        ht_real *grads = head->grad_shares + q * places, mean = 0;
        dots(width, places, 1, head->grad_context + q * step, head->columns, grads);
        HT_SIMD_SUM(mean)
        for (size_t p = 0; p < places; ++p)
            mean += shares[p] * grads[p];
        HT_SIMD
        for (size_t p = 0; p < places; ++p)
            grads[p] = shares[p] * (grads[p] - mean) * scale;
        mix(width, places, grads, 1, head->key, step, head->grad_query + q * step);
    }
    for (size_t p = 0; p < places; ++p) {
        mix(width, head->places, head->grad_shares + p, places, head->query, step,
            head->grad_key + p * step);
        mix(width, head->places, head->shares + p, places, head->grad_context, step,
            head->grad_value + p * step);
    }
}

void ht_head_backward(const ht_head *head) {
    transpose(head, head->value);
    backward(head, scale_of(head));
}

HT_CLONES static void step_forward(const ht_head *head, ht_real scale) {
    for (size_t p = 0; p < head->memory_places; ++p) {
        const ht_real *key = head->key + p * head->step;
        ht_real sum = 0;
        HT_SIMD_SUM(sum)
        for (size_t i = 0; i < head->width; ++i)
            sum += head->query[i] * key[i];
        head->shares[p] = sum * scale;
    }
    ht_fast_softmax(head->memory_places, head->shares);
    mix(head->width, head->memory_places, head->shares, 1, head->value, head->step, head->context);
}

void ht_head_step(const ht_head *head) {
    step_forward(head, scale_of(head));
}
