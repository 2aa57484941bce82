/* The Gaussian process against its own definition: a gradient by differences, a prediction by
 * solving the whole system, an expected improvement by integration. */
#include "base/random.h"
#include "search/cholesky.h"
#include "search/feasibility.h"
#include "search/gp.h"
#include "search/matern.h"
#include "search/objective.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { POINTS = 30, FEATURES = 4, CANDIDATES = 50 };

typedef struct data {
    double x[POINTS * FEATURES], y[POINTS];
    float candidates[CANDIDATES * FEATURES];
    ht_gp_parameters parameters;
    ht_gp_prior prior;
} data;

static data data_make(uint64_t seed) {
    data data = {
        .prior = {.length_spread = 1, .amplitude_spread = 1, .noise = -4, .noise_spread = 2}};
    ht_random random;
    ht_random_seed(&random, seed);
    for (int i = 0; i < POINTS; ++i) {
        for (int k = 0; k < FEATURES; ++k)
            data.x[i * FEATURES + k] = ht_random_unit(&random);
        data.y[i] = sin(4 * data.x[i * FEATURES]) + data.x[i * FEATURES + 1] +
                    0.1 * ht_random_unit(&random);
    }
    for (int i = 0; i < CANDIDATES * FEATURES; ++i)
        data.candidates[i] = (float)ht_random_unit(&random);
    for (int k = 0; k < FEATURES; ++k)
        data.parameters.log_length[k] = ht_random_unit(&random) - 0.7;
    data.parameters.log_amplitude = 0.2;
    data.parameters.log_noise = -3;
    return data;
}

static double *parameter(ht_gp_parameters *parameters, int k) {
    return k < FEATURES    ? &parameters->log_length[k]
           : k == FEATURES ? &parameters->log_amplitude
                           : &parameters->log_noise;
}

Test(gp, gradient_is_the_slope_of_the_density) {
    data data = data_make(1);
    double gradient[FEATURES + 2], unused[FEATURES + 2];
    ht_gp_density(data.x, data.y, POINTS, FEATURES, &data.prior, &data.parameters, gradient);
    for (int k = 0; k < FEATURES + 2; ++k) {
        ht_gp_parameters low = data.parameters, high = data.parameters;
        *parameter(&low, k) -= 1e-5;
        *parameter(&high, k) += 1e-5;
        double slope =
            (ht_gp_density(data.x, data.y, POINTS, FEATURES, &data.prior, &high, unused) -
             ht_gp_density(data.x, data.y, POINTS, FEATURES, &data.prior, &low, unused)) /
            2e-5;
        cr_assert_lt(fabs(slope - gradient[k]), 1e-4 * (1 + fabs(slope)), "%d: %g, not %g", k,
                     gradient[k], slope);
    }
}

Test(gp, fit_raises_the_density) {
    data data = data_make(2);
    double unused[FEATURES + 2];
    ht_gp_parameters fitted = data.parameters;
    double before =
        ht_gp_density(data.x, data.y, POINTS, FEATURES, &data.prior, &data.parameters, unused);
    double after = ht_gp_fit(data.x, data.y, POINTS, FEATURES, &data.prior, 60, &fitted);
    cr_assert_lt(after, before - 0.1);
    cr_assert_eq(after,
                 ht_gp_density(data.x, data.y, POINTS, FEATURES, &data.prior, &fitted, unused));
    /* The features that mean nothing are found out: longer lengths. */
    cr_assert_gt(fitted.log_length[2], fitted.log_length[0]);
    cr_assert_gt(fitted.log_length[3], fitted.log_length[0]);
}

static double kernel(const data *data, const double *a, const double *b) {
    double square = 0;
    for (int k = 0; k < FEATURES; ++k)
        square += pow((a[k] - b[k]) * exp(-data->parameters.log_length[k]), 2);
    double s = sqrt(5 * square);
    return exp(data->parameters.log_amplitude) * (1 + s + s * s / 3) * exp(-s);
}

/* Solves by Gauss-Jordan: K^-1 b for the first `count` points. */
static void solve(const data *data, int count, double *b) {
    static double k[POINTS][POINTS];
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j)
            k[i][j] = kernel(data, data->x + i * FEATURES, data->x + j * FEATURES) +
                      (i == j ? exp(data->parameters.log_noise) : 0);
    for (int p = 0; p < count; ++p)
        for (int i = 0; i < count; ++i) {
            double factor = k[i][p] / k[p][p];
            for (int j = 0; i != p && j < count; ++j)
                k[i][j] -= factor * k[p][j];
            b[i] -= i != p ? factor * b[p] : 0;
        }
    for (int i = 0; i < count; ++i)
        b[i] /= k[i][i];
}

static void check_prediction(const data *data, const ht_gp *gp, int count, bool mean_too) {
    for (int c = 0; c < CANDIDATES; ++c) {
        double at[FEATURES], column[POINTS], solved[POINTS], mean = 0, variance = 0;
        for (int k = 0; k < FEATURES; ++k)
            at[k] = data->candidates[c * FEATURES + k];
        for (int i = 0; i < count; ++i)
            solved[i] = column[i] = kernel(data, data->x + i * FEATURES, at);
        solve(data, count, solved);
        for (int i = 0; i < count; ++i) {
            mean += solved[i] * data->y[i];
            variance -= solved[i] * column[i];
        }
        variance += exp(data->parameters.log_amplitude);
        cr_assert_lt(fabs(variance - ht_gp_variance(gp)[c]), 2e-3);
        cr_assert(!mean_too || fabs(mean - ht_gp_mean(gp)[c]) < 2e-3, "%g, not %g",
                  (double)ht_gp_mean(gp)[c], mean);
    }
}

Test(gp, predicts_as_the_whole_system_does_however_points_come) {
    data data = data_make(3);
    ht_gp *gp = ht_gp_create(FEATURES);
    for (int step = 1; step <= POINTS; step += 7) {
        ht_gp_begin(gp, &data.parameters, data.candidates, CANDIDATES);
        for (int i = 0; i < POINTS; i += step)
            ht_gp_observe(gp, data.x + (size_t)i * FEATURES, data.y + i,
                          (size_t)(i + step < POINTS ? step : POINTS - i));
        check_prediction(&data, gp, POINTS, true);
    }
    ht_gp_free(gp);
}

Test(gp, imagined_points_lower_the_variance_and_are_taken_back) {
    data data = data_make(4);
    enum { KNOWN = 20 };
    ht_gp *gp = ht_gp_create(FEATURES);
    float mean[CANDIDATES], variance[CANDIDATES];
    ht_gp_begin(gp, &data.parameters, data.candidates, CANDIDATES);
    ht_gp_observe(gp, data.x, data.y, KNOWN);
    memcpy(mean, ht_gp_mean(gp), sizeof mean);
    memcpy(variance, ht_gp_variance(gp), sizeof variance);
    for (int i = KNOWN; i < POINTS; ++i)
        ht_gp_imagine(gp, data.x + (size_t)i * FEATURES);
    check_prediction(&data, gp, POINTS, false);
    cr_assert_arr_eq(ht_gp_mean(gp), mean, sizeof mean);
    ht_gp_wake(gp);
    cr_assert_arr_eq(ht_gp_variance(gp), variance, sizeof variance);
    ht_gp_observe(gp, data.x + (size_t)KNOWN * FEATURES, data.y + KNOWN, POINTS - KNOWN);
    check_prediction(&data, gp, POINTS, true);
    ht_gp_free(gp);
}

Test(gp, kernel_is_the_formula) {
    for (double square = -1e-6; square < 2000; square = square * 1.1 + 1e-4) {
        float value = (float)square;
        double s = sqrt(5 * fmax(square, 0));
        ht_matern_of_squares(&value, 1, 2);
        cr_assert_lt(fabs(value - 2 * (1 + s + s * s / 3) * exp(-s)), 4e-6, "at %g", square);
    }
}

/* Many squares go through vectors, a single one does not. */
Test(gp, kernel_has_the_same_bits_for_many_squares_as_for_each) {
    enum { COUNT = 1003 };
    float many[COUNT], one[COUNT];
    for (int i = 0; i < COUNT; ++i)
        many[i] = one[i] = (float)(i - 2) * (float)(i % 17) * 0.037F;
    ht_matern_of_squares(many, COUNT, 1.7F);
    for (int i = 0; i < COUNT; ++i)
        ht_matern_of_squares(one + i, 1, 1.7F);
    cr_expect_arr_eq(many, one, sizeof many);
}

Test(gp, matrices_that_are_not_positive_definite_are_told) {
    double good[] = {4, 0, 2, 5}, bad[] = {1, 0, 2, 1};
    cr_assert(ht_cholesky(good, 2));
    cr_assert_float_eq(good[0], 2, 1e-12);
    cr_assert_float_eq(good[2], 1, 1e-12);
    cr_assert_float_eq(good[3], 2, 1e-12);
    cr_assert_not(ht_cholesky(bad, 2));
}

Test(objective, expected_improvement_is_the_integral) {
    for (double z = -3; z <= 3; z += 0.5) {
        double best = 0.3, deviation = 0.7, mean = best - z * deviation, sum = 0, step = 1e-3;
        for (double t = -9; t < 9; t += step) {
            double value = mean + deviation * t;
            sum += step * fmax(best - value, 0) * exp(-t * t / 2) / sqrt(2 * M_PI);
        }
        cr_assert_float_eq(ht_expected_improvement(best, mean, deviation * deviation), sum, 1e-5);
    }
    cr_assert_gt(ht_expected_improvement(0, 8, 1), ht_expected_improvement(0, 9, 1));
    cr_assert_gt(ht_expected_improvement(0, 90, 1), 0);
}

Test(objective, keeps_the_order_and_brings_the_far_nearer) {
    double costs[] = {1, 1.5, 2.7, 10, 1000};
    ht_objective objective;
    ht_objective_set(&objective, costs, 5, 1);
    double sum = 0;
    for (int i = 0; i < 5; ++i) {
        sum += ht_objective_of(&objective, costs[i]);
        cr_assert(i == 0 || ht_objective_of(&objective, costs[i]) >
                                ht_objective_of(&objective, costs[i - 1]));
    }
    cr_assert_float_eq(sum, 0, 1e-9);
    double near = ht_objective_of(&objective, 1.5) - ht_objective_of(&objective, 1);
    double far = ht_objective_of(&objective, 1000) - ht_objective_of(&objective, 10);
    cr_assert_lt(far / near, log(100) / log(1.5) / 2);
}

Test(feasibility, finds_a_limit_on_a_product) {
    enum { KNOWN = 120, ASKED = 400 };
    ht_random random;
    double x[KNOWN * 2];
    bool succeeded[KNOWN];
    ht_feasibility model;
    int right = 0;
    ht_random_seed(&random, 5);
    for (int i = 0; i < KNOWN; ++i) {
        x[2 * i] = ht_random_unit(&random);
        x[2 * i + 1] = ht_random_unit(&random);
        succeeded[i] = x[2 * i] + x[2 * i + 1] < 1.2; /* logarithms: a product below a limit */
    }
    ht_feasibility_begin(&model, 2);
    ht_feasibility_fit(&model, x, succeeded, KNOWN);
    for (int i = 0; i < ASKED; ++i) {
        float at[2] = {(float)ht_random_unit(&random), (float)ht_random_unit(&random)}, chance;
        ht_feasibility_of(&model, at, 1, &chance);
        cr_assert(chance >= 0 && chance <= 1);
        right += (chance > 0.5F) == (at[0] + at[1] < 1.2F);
    }
    cr_assert_gt(right, ASKED * 93 / 100);
}
