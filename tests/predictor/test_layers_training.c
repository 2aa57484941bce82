/* The fast functions, the loss, dropout, Adam, the schedule and early stopping, in float. */
#include "base/blas.h"
#include "base/memory.h"
#include "base/random.h"
#include "predictor/layers/adam.h"
#include "predictor/layers/dropout.h"
#include "predictor/layers/early_stopping.h"
#include "predictor/layers/loss.h"
#include "predictor/layers/schedule.h"
#include "predictor/math/real_math.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double relative(double found, double wanted) {
    return fabs(found - wanted) / fabs(wanted);
}

Test(math, fast_functions) {
    double exponential = 0, tangent = 0, logistic = 0;
    for (double x = -87; x <= 88; x += 0.0037) {
        const float near = (float)x;
        exponential = fmax(exponential, relative((double)ht_fast_exp(near), exp((double)near)));
        logistic =
            fmax(logistic, relative((double)ht_fast_sigmoid(near), 1 / (1 + exp(-(double)near))));
    }
    for (double x = 1e-30; x < 100; x *= 1.0003) {
        const float near = (float)x;
        tangent = fmax(tangent, relative((double)ht_fast_tanh(near), tanh((double)near)));
        cr_assert_eq(ht_fast_tanh(-near), -ht_fast_tanh(near));
    }
    cr_assert_lt(exponential, 1e-6);
    cr_assert_lt(logistic, 1e-6);
    cr_assert_lt(tangent, 1e-6);
    cr_assert_eq(ht_fast_tanh(0), 0);
    cr_assert_eq(ht_fast_exp(0), 1);
    cr_assert_lt(ht_fast_exp(-INFINITY), 1e-37F);
    cr_assert(isfinite(ht_fast_exp(INFINITY)) && ht_fast_tanh(INFINITY) <= 1);
}

Test(loss, is_the_cross_entropy_over_what_is_allowed) {
    const ht_real logits[] = {1, 2, 0.5F, 90, -3, 0, 0, 0};
    const uint8_t allowed[] = {1, 0, 1, 0, 0, 1, 1, 0}; /* the second row's target is not */
    const uint16_t targets[] = {2, 3};
    ht_labels labels = {
        .targets = targets, .target_stride = 1, .allowed = allowed, .stride = 4, .smoothing = 0.2F};
    ht_real grad[8];
    size_t hits = 0;
    const double total = exp(1) + exp(0.5), other = log(3);
    const double wanted = -(0.9 * log(exp(0.5) / total) + 0.1 * log(exp(1) / total)) + other;
    const double loss = ht_cross_entropy(2, 4, logits, &labels, 2, grad, &hits);
    cr_assert_lt(fabs(loss - wanted), 1e-5, "%g, not %g", loss, wanted);
    cr_assert_eq(hits, 1u); /* in the second row all are equal, and the target is taken */
    cr_assert_eq(grad[1], 0);
    cr_assert_eq(grad[3], 0);
    cr_assert_lt(fabs((double)grad[2] - 2 * (exp(0.5) / total - 0.9)), 1e-5);
    /* A soft label with a share on values that are not allowed. */
    const float soft[] = {0.2F, 0.5F, 0.2F, 0.1F, 0, 0, 0, 1};
    labels.soft = soft;
    labels.smoothing = 0;
    const double even = -0.5 * (log(exp(1) / total) + log(exp(0.5) / total)) + other;
    cr_assert_lt(fabs(ht_cross_entropy(2, 4, logits, &labels, 1, NULL, NULL) - even), 1e-5);
    ht_real row[4];
    memcpy(row, logits, sizeof row);
    ht_log_softmax(4, allowed, row);
    cr_assert_lt(fabs((double)row[0] - log(exp(1) / total)), 1e-6);
    cr_assert(isinf(row[1]) && row[1] < 0);
}

static void mask_of(uint64_t seed, uint64_t step, uint64_t shard, uint64_t place, size_t count,
                    ht_real *mask) {
    const ht_dropout dropout = {.rate = 0.25F, .key = ht_dropout_key(seed, step, shard, place)};
    for (size_t i = 0; i < count; ++i)
        mask[i] = 1;
    ht_dropout_apply(&dropout, count, mask, mask);
}

Test(dropout, drops_its_share_independently) {
    enum { COUNT = 100000 };
    ht_real *first = ht_alloc(COUNT, sizeof *first), *second = ht_alloc(COUNT, sizeof *second);
    mask_of(1, 1, 1, 1, COUNT, first);
    for (uint64_t other = 0; other < 5; ++other) { /* each part of the key counts */
        mask_of(1 + (other == 1), 1 + (other == 2), 1 + (other == 3), 1 + (other == 4), COUNT,
                second);
        if (other == 0) {
            cr_assert_eq(memcmp(first, second, COUNT * sizeof *first), 0);
            continue;
        }
        size_t dropped = 0, both = 0, beside = 0;
        for (size_t i = 0; i < COUNT; ++i) {
            cr_assert(second[i] == 0 || fabsf((float)second[i] - 4.0F / 3) < 1e-6F);
            dropped += second[i] == 0;
            both += first[i] == 0 && second[i] == 0;
            beside += i && second[i] == 0 && second[i - 1] == 0;
        }
        cr_assert_lt(fabs((double)dropped / COUNT - 0.25), 0.006); /* four deviations */
        cr_assert_lt(fabs((double)both / COUNT - 0.0625), 0.003);
        cr_assert_lt(fabs((double)beside / COUNT - 0.0625), 0.003);
    }
    free(first);
    free(second);
}

/* Adam as in the paper's algorithm 1, with decay and clipping, in float64. */
enum { WEIGHTS = 20000, STEPS = 5 };

static void adam_steps(const ht_adam_settings *settings, double scale, ht_real *weights,
                       ht_real *average) {
    ht_random random;
    ht_random_seed(&random, 4);
    ht_adam *adam = ht_adam_new(WEIGHTS, settings);
    ht_real *parts[2];
    for (int p = 0; p < 2; ++p)
        parts[p] = ht_alloc(WEIGHTS, sizeof *parts[p]);
    for (size_t i = 0; i < WEIGHTS; ++i)
        weights[i] = (ht_real)(ht_random_unit(&random) - 0.5);
    for (int step = 0; step < STEPS; ++step) {
        for (size_t i = 0; i < (size_t)2 * WEIGHTS; ++i)
            parts[i % 2][i / 2] = (ht_real)(ht_random_unit(&random) - 0.5);
        const ht_real *const both[] = {parts[0], parts[1]};
        ht_adam_step(adam, 0.01, both, 2, (ht_real)scale, weights);
    }
    memcpy(average, ht_adam_average(adam), WEIGHTS * sizeof *average);
    const ht_real kept = weights[7];
    parts[0][3] = NAN; /* changes nothing */
    const ht_real *const bad[] = {parts[0]};
    cr_assert(isnan(ht_adam_step(adam, 0.01, bad, 1, 1, weights)));
    cr_assert_eq(weights[7], kept);
    free(parts[0]);
    free(parts[1]);
    ht_adam_free(adam);
}

typedef struct moments {
    double weight[WEIGHTS], first[WEIGHTS], second[WEIGHTS], average[WEIGHTS], gradient[WEIGHTS];
} moments;

static void adam_by_the_book(double scale, double clip, double decay, double averaging,
                             moments *m) {
    ht_random random;
    ht_random_seed(&random, 4);
    for (size_t i = 0; i < WEIGHTS; ++i)
        m->weight[i] = (double)(float)(ht_random_unit(&random) - 0.5);
    for (int step = 1; step <= STEPS; ++step) {
        double norm = 0;
        for (size_t i = 0; i < WEIGHTS; ++i) {
            m->gradient[i] = (double)(float)(ht_random_unit(&random) - 0.5);
            m->gradient[i] += (double)(float)(ht_random_unit(&random) - 0.5);
            m->gradient[i] *= scale;
            norm += m->gradient[i] * m->gradient[i];
        }
        norm = sqrt(norm);
        const double share = step == 1 ? 0 : fmin(averaging, step / (step + 9.0));
        for (size_t i = 0; i < WEIGHTS; ++i) {
            const double g = m->gradient[i] * (norm > clip ? clip / norm : 1);
            m->first[i] = 0.9 * m->first[i] + 0.1 * g;
            m->second[i] = 0.999 * m->second[i] + 0.001 * g * g;
            const double mean = m->first[i] / (1 - pow(0.9, step));
            const double square = m->second[i] / (1 - pow(0.999, step));
            m->weight[i] -= 0.01 * (mean / (sqrt(square) + 1e-8) + decay * m->weight[i]);
            m->average[i] = share * m->average[i] + (1 - share) * m->weight[i];
        }
    }
}

Test(adam, is_the_algorithm_whatever_the_threads) {
    static ht_real weights[3][WEIGHTS], average[3][WEIGHTS];
    ht_adam_settings settings = ht_adam_defaults();
    settings.clip = 3;
    settings.weight_decay = 0.1F;
    settings.averaging = 0.3F;
    for (uint32_t threads = 1; threads <= 3; ++threads) {
        settings.threads = threads;
        adam_steps(&settings, 0.5, weights[threads - 1], average[threads - 1]);
        cr_assert_eq(memcmp(weights[0], weights[threads - 1], sizeof weights[0]), 0);
        cr_assert_eq(memcmp(average[0], average[threads - 1], sizeof average[0]), 0);
    }
    moments *book = ht_alloc(1, sizeof *book);
    adam_by_the_book(0.5, 3, 0.1, 0.3, book);
    for (size_t i = 0; i < WEIGHTS; ++i) {
        cr_assert_lt(fabs((double)weights[0][i] - book->weight[i]), 1e-5);
        cr_assert_lt(fabs((double)average[0][i] - book->average[i]), 1e-5);
    }
    free(book);
}

Test(schedule, warms_up_and_falls) {
    const ht_schedule schedule = {.rate = 0.01, .end = 0.1, .warmup = 10, .total = 100};
    cr_assert_float_eq(ht_schedule_rate(&schedule, 0), 0.001, 1e-12);
    cr_assert_float_eq(ht_schedule_rate(&schedule, 9), 0.01, 1e-12);
    cr_assert_float_eq(ht_schedule_rate(&schedule, 10), 0.01, 1e-12);
    cr_assert_float_eq(ht_schedule_rate(&schedule, 99), 0.001, 1e-12);
    cr_assert_float_eq(ht_schedule_rate(&schedule, 1000), 0.001, 1e-12);
    for (uint64_t step = 10; step < 99; ++step)
        cr_assert_gt(ht_schedule_rate(&schedule, step),
                     ht_schedule_rate(&schedule, step + 1) - 1e-15);
    const ht_schedule one = {.rate = 1, .end = 1, .warmup = 0, .total = 1};
    cr_assert_float_eq(ht_schedule_rate(&one, 0), 1, 1e-12);
    const ht_schedule only_warm = {.rate = 1, .end = 0, .warmup = 5, .total = 5};
    cr_assert(isfinite(ht_schedule_rate(&only_warm, 5)));
}

Test(early_stopping, keeps_the_best) {
    static const double losses[] = {3, 2, NAN, 2.5, 1, 1, 4, 5};
    ht_early_stopping stopping;
    ht_early_stopping_start(&stopping, 2, 3);
    size_t looks = 0;
    for (; looks < 8 && !ht_early_stopping_done(&stopping); ++looks) {
        const ht_real weights[] = {(ht_real)looks, 1};
        ht_early_stopping_look(&stopping, losses[looks], weights);
    }
    cr_assert_eq(looks, 8u); /* three looks after the fifth */
    cr_assert_eq(stopping.best, 1);
    cr_assert_eq(stopping.weights[0], 4);
    ht_early_stopping_free(&stopping);
}

Test(blas, is_described_and_leaves_the_environment_as_it_was) {
    ht_blas_info info;
    unsetenv("OPENBLAS_CORETYPE");
    ht_blas_describe(&info);
    cr_assert_eq(info.openblas, strncmp(info.text, "OpenBLAS ", 9) == 0);
    cr_assert(info.openblas || strncmp(info.text, "not OpenBLAS", 12) == 0);
    cr_assert_not(info.openblas && info.slow_kernels);
    cr_assert_null(getenv("OPENBLAS_CORETYPE"));
}

Test(blas, takes_the_kernels_that_the_user_names) {
    ht_blas_info info;
    setenv("OPENBLAS_CORETYPE", "Prescott", 1);
    ht_blas_describe(&info);
    cr_assert(!info.openblas || strstr(info.text, "Prescott"), "%s", info.text);
    cr_assert_str_eq(getenv("OPENBLAS_CORETYPE"), "Prescott");
}
