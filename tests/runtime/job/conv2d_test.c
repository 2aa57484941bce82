/* The float64 convolution against the definition, in long double and with a naive loop over
 * everything. */
#include "runtime/reference/conv2d.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *random_values(ht_random *random, int64_t count) {
    double *values = malloc((size_t)(count ? count : 1) * sizeof *values);
    for (int64_t i = 0; i < count; ++i)
        values[i] = ht_random_unit(random) * 2 - 1;
    return values;
}

static int64_t pick(ht_random *random, int64_t lo, int64_t hi) {
    return lo + (int64_t)ht_random_below(random, (uint64_t)(hi - lo + 1));
}

static ht_conv2d random_shape(ht_random *random) {
    ht_conv2d s;
    do {
        s.groups = pick(random, 1, 3);
        s.N = pick(random, 1, 3);
        s.C = s.groups * pick(random, 1, 3);
        s.K = s.groups * pick(random, 1, 3);
        s.H = pick(random, 1, 9);
        s.W = pick(random, 1, 9);
        s.R = pick(random, 1, 4);
        s.S = pick(random, 1, 4);
        s.pad_h = pick(random, 0, 4);
        s.pad_w = pick(random, 0, 4);
        s.stride_h = pick(random, 1, 3);
        s.stride_w = pick(random, 1, 3);
        s.dilation_h = pick(random, 1, 3);
        s.dilation_w = pick(random, 1, 3);
        int64_t h = s.H + 2 * s.pad_h - s.dilation_h * (s.R - 1) - 1;
        int64_t w = s.W + 2 * s.pad_w - s.dilation_w * (s.S - 1) - 1;
        s.P = h < 0 ? 0 : h / s.stride_h + 1;
        s.Q = w < 0 ? 0 : w / s.stride_w + 1;
    } while (s.P < 1 || s.Q < 1);
    return s;
}

/* Returns the padded input as a function: zero outside. */
static long double at(const ht_conv2d *s, const double *in, int64_t n, int64_t c, int64_t h,
                      int64_t w) {
    bool inside = h >= 0 && h < s->H && w >= 0 && w < s->W;
    return inside ? in[((n * s->C + c) * s->H + h) * s->W + w] : 0;
}

static void check_shape(const ht_conv2d *s, const double *in, const double *weights,
                        const double *bias, const double *out, const double *scale) {
    for (int64_t n = 0; n < s->N; ++n)
        for (int64_t k = 0; k < s->K; ++k)
            for (int64_t p = 0; p < s->P; ++p)
                for (int64_t q = 0; q < s->Q; ++q) {
                    long double sum = bias ? bias[k] : 0, size = fabsl(sum);
                    /* All channels are walked; those of other groups have no weight. */
                    for (int64_t c = 0; c < s->C; ++c)
                        for (int64_t r = 0; r < s->R; ++r)
                            for (int64_t t = 0; t < s->S; ++t) {
                                int64_t deep = s->C / s->groups;
                                if (c / deep != k / (s->K / s->groups))
                                    continue;
                                long double x =
                                    at(s, in, n, c, p * s->stride_h - s->pad_h + r * s->dilation_h,
                                       q * s->stride_w - s->pad_w + t * s->dilation_w);
                                x *= weights[((k * deep + c % deep) * s->R + r) * s->S + t];
                                sum += x;
                                size += fabsl(x);
                            }
                    int64_t i = ((n * s->K + k) * s->P + p) * s->Q + q;
                    cr_assert(fabsl(out[i] - sum) <= 1e-14L * (size + 1), "%g, not %Lg", out[i],
                              sum);
                    cr_assert(fabsl(scale[i] - size) <= 1e-14L * (size + 1));
                }
}

Test(conv2d, agrees_with_the_definition) {
    ht_random random;
    ht_random_seed(&random, 2024);
    for (int round = 0; round < 300; ++round) {
        ht_conv2d s = random_shape(&random);
        int64_t outputs = s.N * s.K * s.P * s.Q;
        double *in = random_values(&random, s.N * s.C * s.H * s.W);
        double *weights = random_values(&random, s.K * (s.C / s.groups) * s.R * s.S);
        double *bias = round % 2 ? random_values(&random, s.K) : NULL;
        double *out = random_values(&random, outputs), *scale = random_values(&random, outputs);
        ht_conv2d_compute(&s, in, weights, bias, out, scale);
        check_shape(&s, in, weights, bias, out, scale);

        /* Chosen outputs are the same ones. */
        uint64_t indices[5];
        double few[5], few_scale[5];
        for (size_t i = 0; i < 5; ++i)
            indices[i] = ht_random_below(&random, (uint64_t)outputs);
        ht_conv2d_sample(&s, in, weights, bias, indices, 5, few, few_scale);
        for (size_t i = 0; i < 5; ++i) {
            cr_assert_float_eq(few[i], out[indices[i]], 1e-13);
            cr_assert_float_eq(few_scale[i], scale[indices[i]], 1e-12);
        }
        free(in);
        free(weights);
        free(bias);
        free(out);
        free(scale);
    }
}

Test(conv2d, fields_come_from_the_problem) {
    ht_problem_spec spec;
    ht_problem problem;
    ht_error error = {0};
    cr_assert(ht_problem_spec_builtin("conv2d", &spec));
    cr_assert_eq(ht_problem_parse(&spec, "N=2 C=6 H=9 W=8 K=4 R=3 S=2 pad_h=1 stride_w=2 groups=2",
                                  &problem, &error),
                 HT_OK, "%s", error.message);
    ht_conv2d s;
    cr_assert_eq(ht_conv2d_from_problem(&problem, &s, &error), HT_OK, "%s", error.message);
    cr_assert_eq(s.P, 9);
    cr_assert_eq(s.Q, 4);
    cr_assert_eq(s.groups, 2);
    cr_assert_float_eq(ht_conv2d_work(&s), 2. * 4 * 9 * 4 * 3 * 3 * 2, 0);
    ht_problem_free(&problem);
    ht_problem_spec_free(&spec);
}

Test(conv2d, another_family_of_problems_is_refused) {
    ht_problem_value values[] = {{(char *)"N", 1}, {(char *)"C", 5}};
    ht_problem problem = {.values = values, .value_count = 2};
    ht_conv2d s;
    ht_error error = {0};
    cr_assert_eq(ht_conv2d_from_problem(&problem, &s, &error), HT_ERROR_INPUT);
    cr_assert_not_null(strstr(error.message, "'H'"), "%s", error.message);
    cr_assert_eq(ht_conv2d_from_problem(NULL, &s, &error), HT_ERROR_INPUT);
}
