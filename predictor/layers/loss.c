#include "predictor/layers/loss.h"

#include "predictor/math/real_math.h"

#include <math.h>
#include <string.h>

/* One row of labels. */
typedef struct label {
    size_t target;
    const uint8_t *allowed; /* NULL: all */
    const float *soft;      /* NULL: the target */
    ht_real weight, smoothing;
} label;

static label label_of(const ht_labels *labels, size_t row) {
    return (label){.target = labels->targets[row * labels->target_stride],
                   .allowed = labels->allowed ? labels->allowed + row * labels->stride : NULL,
                   .soft = labels->soft ? labels->soft + row * labels->stride : NULL,
                   .weight = labels->weights ? (ht_real)labels->weights[row] : 1,
                   .smoothing = (ht_real)labels->smoothing};
}

static bool is_allowed(const label *label, size_t value) {
    return !label->allowed || label->allowed[value] || value == label->target;
}

/* Returns the likeliest allowed value. */
static size_t highest_of(const label *label, size_t values, const ht_real *logits) {
    size_t best = label->target;
    for (size_t v = 0; v < values; ++v)
        if (is_allowed(label, v) && logits[v] > logits[best])
            best = v;
    return best;
}

/* Returns the number of allowed values, and the share of the soft label that they have. */
static size_t mass_of(const label *label, size_t values, ht_real *out_mass) {
    size_t count = 0;
    ht_real mass = 0;
    for (size_t v = 0; v < values; ++v)
        if (is_allowed(label, v)) {
            ++count;
            if (label->soft)
                mass += (ht_real)label->soft[v];
        }
    *out_mass = mass;
    return count;
}

static double row_loss(size_t values, const ht_real *logits, const label *label, ht_real scale,
                       ht_real *grad, size_t *hits) {
    const size_t best = highest_of(label, values, logits);
    if (hits)
        *hits += best == label->target;
    ht_real total = 0;
    for (size_t v = 0; v < values; ++v)
        if (is_allowed(label, v))
            total += ht_fast_exp(logits[v] - logits[best]);
    ht_real mass;
    const size_t count = mass_of(label, values, &mass);
    const ht_real logarithm = (ht_real)log((double)total), even = label->smoothing / (ht_real)count;
    ht_real loss = 0;
    for (size_t v = 0; v < values; ++v) {
        if (!is_allowed(label, v)) {
            if (grad)
                grad[v] = 0;
            continue;
        }
        const ht_real own = mass > 0 && label->soft ? (ht_real)label->soft[v] / mass
                                                    : (ht_real)(v == label->target);
        const ht_real wanted = (1 - label->smoothing) * own + even;
        const ht_real above = logits[v] - logits[best];
        loss += wanted * (logarithm - above);
        if (grad)
            grad[v] = scale * label->weight * (ht_fast_exp(above) / total - wanted);
    }
    return (double)(label->weight * loss);
}

double ht_cross_entropy(size_t rows, size_t values, const ht_real *logits, const ht_labels *labels,
                        ht_real scale, ht_real *grad_logits, size_t *hits) {
    double loss = 0;
    for (size_t r = 0; r < rows; ++r) {
        const label label = label_of(labels, r);
        loss += row_loss(values, logits + r * values, &label, scale,
                         grad_logits ? grad_logits + r * values : NULL, hits);
    }
    return loss;
}

void ht_log_softmax(size_t values, const uint8_t *allowed, ht_real *logits) {
    ht_real highest = -INFINITY;
    for (size_t v = 0; v < values; ++v)
        if ((!allowed || allowed[v]) && logits[v] > highest)
            highest = logits[v];
    double total = 0;
    for (size_t v = 0; v < values; ++v)
        if (!allowed || allowed[v])
            total += (double)ht_fast_exp(logits[v] - highest);
    const ht_real logarithm = (ht_real)log(total);
    for (size_t v = 0; v < values; ++v)
        logits[v] = !allowed || allowed[v] ? logits[v] - highest - logarithm : -INFINITY;
}
