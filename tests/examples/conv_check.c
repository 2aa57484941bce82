#include "conv_check.h"

#include <criterion/criterion.h>
#include <math.h>

static int between(ht_random *random, int lo, int hi) {
    return lo + (int)ht_random_below(random, (uint64_t)(hi - lo + 1));
}

static int extent(int size, int pad, int filter, int stride, int dilation) {
    int room = size + 2 * pad - dilation * (filter - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
}

conv_shape conv_shape_random(ht_random *random) {
    for (;;) {
        conv_shape s = {0};
        s.groups = between(random, 0, 1) ? 1 : between(random, 1, 5);
        s.N = between(random, 1, 3);
        s.C = s.groups * between(random, 1, 7);
        s.K = s.groups * between(random, 1, 9);
        s.H = between(random, 1, 25);
        s.W = between(random, 1, 37);
        s.R = between(random, 1, 7);
        s.S = between(random, 0, 3) ? s.R : between(random, 1, 5);
        s.pad_h = between(random, 0, 3);
        s.pad_w = between(random, 0, 3);
        s.stride_h = between(random, 1, 3);
        s.stride_w = between(random, 1, 3);
        s.dilation_h = between(random, 1, 3);
        s.dilation_w = between(random, 1, 3);
        s.P = extent(s.H, s.pad_h, s.R, s.stride_h, s.dilation_h);
        s.Q = extent(s.W, s.pad_w, s.S, s.stride_w, s.dilation_w);
        if (s.P > 0 && s.Q > 0)
            return s;
    }
}

ht_problem conv_shape_problem(const conv_shape *s) {
    const struct {
        const char *name;
        int value;
    } fields[] = {
        {"N", s->N},
        {"C", s->C},
        {"H", s->H},
        {"W", s->W},
        {"K", s->K},
        {"R", s->R},
        {"S", s->S},
        {"pad_h", s->pad_h},
        {"pad_w", s->pad_w},
        {"stride_h", s->stride_h},
        {"stride_w", s->stride_w},
        {"dilation_h", s->dilation_h},
        {"dilation_w", s->dilation_w},
        {"groups", s->groups},
    };
    enum { COUNT = sizeof fields / sizeof fields[0] };
    ht_problem_value given[COUNT];
    for (int i = 0; i < COUNT; ++i)
        given[i] = (ht_problem_value){(char *)fields[i].name, fields[i].value};

    ht_problem_spec spec;
    ht_problem problem;
    ht_error error = {0};
    cr_assert(ht_problem_spec_builtin("conv2d", &spec));
    ht_status status =
        ht_problem_make(&spec, "random", given, COUNT, (ht_place){0}, &problem, &error);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    ht_problem_spec_free(&spec);

    int64_t p = 0, q = 0;
    cr_assert(ht_problem_get(&problem, "P", &p) && ht_problem_get(&problem, "Q", &q));
    cr_assert(p == s->P && q == s->Q, "the family's P Q are %d %d, by hand %d %d", (int)p, (int)q,
              s->P, s->Q);
    return problem;
}

static double output_error(const conv_shape *s, const float *in, const float *weights, double got,
                           int n, int k, int p, int q) {
    int group_c = s->C / s->groups, group_k = s->K / s->groups;
    double exact = 0, magnitude = 0;
    for (int c = 0; c < group_c; ++c)
        for (int r = 0; r < s->R; ++r)
            for (int t = 0; t < s->S; ++t) {
                int h = p * s->stride_h - s->pad_h + r * s->dilation_h;
                int w = q * s->stride_w - s->pad_w + t * s->dilation_w;
                if (h < 0 || h >= s->H || w < 0 || w >= s->W)
                    continue;
                int channel = k / group_k * group_c + c;
                double term = (double)in[((n * s->C + channel) * s->H + h) * s->W + w] *
                              weights[((k * group_c + c) * s->R + r) * s->S + t];
                exact += term;
                magnitude += fabs(term);
            }
    if (magnitude == 0)
        return got == 0 ? 0 : INFINITY;
    double error = fabs(got - exact) / magnitude;
    return isnan(error) ? INFINITY : error;
}

double conv_worst_error(const conv_shape *s, const float *in, const float *weights,
                        const float *out) {
    double worst = 0;
    size_t i = 0;
    for (int n = 0; n < s->N; ++n)
        for (int k = 0; k < s->K; ++k)
            for (int p = 0; p < s->P; ++p)
                for (int q = 0; q < s->Q; ++q)
                    worst = fmax(worst, output_error(s, in, weights, out[i++], n, k, p, q));
    return worst;
}
