#include "predictor/layers/adam.h"

#include "base/memory.h"
#include "predictor/math/real_math.h"

#include <math.h>
#include <stdlib.h>

/* Weights in a block of work, whatever the thread count. */
enum { BLOCK = 8192 };

struct ht_adam {
    ht_adam_settings settings;
    size_t count, blocks;
    uint64_t step;
    ht_real *gradient, *first, *second; /* [count] */
    ht_real *average;                   /* [count]; NULL without averaging */
    double *squares;                    /* [blocks]: of the gradient */
};

ht_adam_settings ht_adam_defaults(void) {
    return (ht_adam_settings){.beta1 = 0.9F, .beta2 = 0.999F, .epsilon = 1e-8F, .threads = 1};
}

ht_adam *ht_adam_new(size_t count, const ht_adam_settings *settings) {
    ht_adam *adam = ht_alloc(1, sizeof *adam);
    adam->settings = *settings;
    if (!adam->settings.threads)
        adam->settings.threads = 1;
    adam->count = count;
    adam->blocks = (count + BLOCK - 1) / BLOCK;
    adam->gradient = ht_alloc(count, sizeof *adam->gradient);
    adam->first = ht_alloc(count, sizeof *adam->first);
    adam->second = ht_alloc(count, sizeof *adam->second);
    if (settings->averaging > 0)
        adam->average = ht_alloc(count, sizeof *adam->average);
    adam->squares = ht_alloc(adam->blocks, sizeof *adam->squares);
    return adam;
}

void ht_adam_free(ht_adam *adam) {
    if (!adam)
        return;
    free(adam->gradient);
    free(adam->first);
    free(adam->second);
    free(adam->average);
    free(adam->squares);
    free(adam);
}

/* Sets gradient = scale * sum of parts, all from `at` on; returns the sum of squares. */
HT_CLONES static double block_gather(size_t count, size_t at, const ht_real *const *parts,
                                     size_t part_count, ht_real scale, ht_real *gradient) {
    HT_SIMD
    for (size_t i = 0; i < count; ++i)
        gradient[i] = parts[0][at + i];
    for (size_t p = 1; p < part_count; ++p) {
        const ht_real *part = parts[p] + at;
        HT_SIMD
        for (size_t i = 0; i < count; ++i)
            gradient[i] += part[i];
    }
    double square = 0;
    HT_SIMD_SUM(square)
    for (size_t i = 0; i < count; ++i) {
        gradient[i] *= scale;
        square += (double)gradient[i] * (double)gradient[i];
    }
    return square;
}

/* The effect of one step on every weight. */
typedef struct update {
    ht_real shrink; /* of the gradient, for clipping */
    ht_real beta1, beta2;
    ht_real rate, epsilon; /* with both moments' corrections for their start at zero */
    ht_real keep;          /* of a weight, after decay */
    ht_real averaging;
} update;

HT_CLONES static void block_update(size_t count, const update *update, const ht_real *gradient,
                                   ht_real *first, ht_real *second, ht_real *weights) {
    const ht_real shrink = update->shrink, beta1 = update->beta1, beta2 = update->beta2;
    const ht_real rate = update->rate, epsilon = update->epsilon, keep = update->keep;
    HT_SIMD
    for (size_t i = 0; i < count; ++i) {
        const ht_real g = gradient[i] * shrink;
        first[i] = beta1 * first[i] + (1 - beta1) * g;
        second[i] = beta2 * second[i] + (1 - beta2) * g * g;
#ifdef HT_REAL_DOUBLE
        const ht_real deviation = sqrt(second[i]);
#else
        const ht_real deviation = sqrtf(second[i]);
#endif
        weights[i] = keep * weights[i] - rate * first[i] / (deviation + epsilon);
    }
}

HT_CLONES static void block_average(size_t count, ht_real share, const ht_real *weights,
                                    ht_real *average) {
    HT_SIMD
    for (size_t i = 0; i < count; ++i)
        average[i] += (1 - share) * (weights[i] - average[i]);
}

static size_t block_size(const ht_adam *adam, size_t block) {
    const size_t rest = adam->count - block * BLOCK;
    return rest < BLOCK ? rest : BLOCK;
}

/* Prepares Adam's step with corrected moments m / (1 - b1^t) and v / (1 - b2^t), both corrections
 * moved into rate and epsilon. */
static update update_of(const ht_adam *adam, double rate, double norm) {
    const ht_adam_settings *settings = &adam->settings;
    const double t = (double)adam->step;
    const double first = 1 - pow((double)settings->beta1, t);
    const double second = sqrt(1 - pow((double)settings->beta2, t));
    const double averaging = (double)settings->averaging, young = t / (t + 9);
    return (update){.shrink = settings->clip > 0 && norm > (double)settings->clip
                                  ? (ht_real)((double)settings->clip / norm)
                                  : 1,
                    .beta1 = (ht_real)settings->beta1,
                    .beta2 = (ht_real)settings->beta2,
                    .rate = (ht_real)(rate * second / first),
                    .epsilon = (ht_real)((double)settings->epsilon * second),
                    .keep = (ht_real)(1 - rate * (double)settings->weight_decay),
                    .averaging =
                        adam->step == 1 ? 0 : (ht_real)(averaging < young ? averaging : young)};
}

double ht_adam_step(ht_adam *adam, double rate, const ht_real *const *parts, size_t part_count,
                    ht_real scale, ht_real *weights) {
    const int threads = (int)adam->settings.threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t block = 0; block < adam->blocks; ++block)
        adam->squares[block] = block_gather(block_size(adam, block), block * BLOCK, parts,
                                            part_count, scale, adam->gradient + block * BLOCK);
    double square = 0;
    for (size_t block = 0; block < adam->blocks; ++block)
        square += adam->squares[block];
    const double norm = sqrt(square);
    if (!isfinite(norm))
        return norm;
    ++adam->step;
    const update update = update_of(adam, rate, norm);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t block = 0; block < adam->blocks; ++block) {
        const size_t at = block * BLOCK, count = block_size(adam, block);
        block_update(count, &update, adam->gradient + at, adam->first + at, adam->second + at,
                     weights + at);
        if (adam->average)
            block_average(count, update.averaging, weights + at, adam->average + at);
    }
    return norm;
}

const ht_real *ht_adam_average(const ht_adam *adam) {
    return adam->step ? adam->average : NULL;
}
