#include "runtime/reference/conv2d.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static ht_status get_field(const ht_problem *problem, const char *name, int64_t lowest,
                           int64_t *out, ht_error *error) {
    if (problem == NULL || !ht_problem_get(problem, name, out))
        return ht_error_set(error, HT_ERROR_INPUT,
                            "reference(conv2d) needs the problem field '%s'; use problem(conv2d)",
                            name);
    if (*out < lowest || *out > INT64_C(1) << 31)
        return ht_error_set(error, HT_ERROR_INPUT, "problem.%s = %lld is outside %lld..2^31", name,
                            (long long)*out, (long long)lowest);
    return HT_OK;
}

ht_status ht_conv2d_from_problem(const ht_problem *problem, ht_conv2d *out_shape, ht_error *error) {
    const struct {
        const char *name;
        int64_t lowest;
        int64_t *out;
    } fields[] = {
        {"N", 1, &out_shape->N},
        {"C", 1, &out_shape->C},
        {"H", 1, &out_shape->H},
        {"W", 1, &out_shape->W},
        {"K", 1, &out_shape->K},
        {"R", 1, &out_shape->R},
        {"S", 1, &out_shape->S},
        {"P", 1, &out_shape->P},
        {"Q", 1, &out_shape->Q},
        {"pad_h", 0, &out_shape->pad_h},
        {"pad_w", 0, &out_shape->pad_w},
        {"stride_h", 1, &out_shape->stride_h},
        {"stride_w", 1, &out_shape->stride_w},
        {"dilation_h", 1, &out_shape->dilation_h},
        {"dilation_w", 1, &out_shape->dilation_w},
        {"groups", 1, &out_shape->groups},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
        ht_status status =
            get_field(problem, fields[i].name, fields[i].lowest, fields[i].out, error);
        if (status != HT_OK)
            return status;
    }
    if (out_shape->C % out_shape->groups != 0 || out_shape->K % out_shape->groups != 0)
        return ht_error_set(
            error, HT_ERROR_INPUT, "problem.groups = %lld must divide C = %lld and K = %lld",
            (long long)out_shape->groups, (long long)out_shape->C, (long long)out_shape->K);
    return HT_OK;
}

double ht_conv2d_work(const ht_conv2d *s) {
    return (double)s->N * (double)s->K * (double)s->P * (double)s->Q *
           ((double)s->C / (double)s->groups) * (double)s->R * (double)s->S;
}

/* Finds the first and one-past-last output position along an axis whose input position lies inside
 * [0, size). */
static void valid_range(int64_t outputs, int64_t size, int64_t stride, int64_t offset,
                        int64_t *first, int64_t *last) {
    int64_t lo = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
    int64_t hi = size - offset <= 0 ? 0 : (size - offset + stride - 1) / stride;
    *last = hi < outputs ? hi : outputs;
    *first = lo < *last ? lo : *last;
}

/* Adds one filter tap to a row of outputs: the innermost loop runs along the row, so that it
 * vectorises. */
static void add_row(const double *restrict in, int64_t stride, double weight, int64_t count,
                    double *restrict out, double *restrict scale) {
    double size = fabs(weight);
    if (stride == 1) {
        for (int64_t q = 0; q < count; ++q) {
            out[q] += in[q] * weight;
            scale[q] += fabs(in[q]) * size;
        }
        return;
    }
    for (int64_t q = 0; q < count; ++q) {
        out[q] += in[q * stride] * weight;
        scale[q] += fabs(in[q * stride]) * size;
    }
}

static void compute_plane(const ht_conv2d *s, const double *input, const double *weights,
                          const double *bias, int64_t n, int64_t k, double *out, double *scale) {
    int64_t depth = s->C / s->groups, group = k / (s->K / s->groups);
    for (int64_t i = 0; i < s->P * s->Q; ++i) {
        out[i] = bias ? bias[k] : 0;
        scale[i] = bias ? fabs(bias[k]) : 0;
    }
    for (int64_t c = 0; c < depth; ++c) {
        const double *plane = input + (n * s->C + group * depth + c) * s->H * s->W;
        const double *filter = weights + (k * depth + c) * s->R * s->S;
        for (int64_t r = 0; r < s->R; ++r) {
            int64_t first_p, last_p, shift_h = r * s->dilation_h - s->pad_h;
            valid_range(s->P, s->H, s->stride_h, shift_h, &first_p, &last_p);
            for (int64_t t = 0; t < s->S; ++t) {
                int64_t first_q, last_q, shift_w = t * s->dilation_w - s->pad_w;
                valid_range(s->Q, s->W, s->stride_w, shift_w, &first_q, &last_q);
                for (int64_t p = first_p; p < last_p; ++p) {
                    const double *row = plane + (p * s->stride_h + shift_h) * s->W;
                    add_row(row + first_q * s->stride_w + shift_w, s->stride_w,
                            filter[r * s->S + t], last_q - first_q, out + p * s->Q + first_q,
                            scale + p * s->Q + first_q);
                }
            }
        }
    }
}

void ht_conv2d_compute(const ht_conv2d *shape, const double *input, const double *weights,
                       const double *bias, double *out, double *out_scale) {
    int64_t planes = shape->N * shape->K, area = shape->P * shape->Q;
#pragma omp parallel for schedule(dynamic)
    for (int64_t plane = 0; plane < planes; ++plane)
        compute_plane(shape, input, weights, bias, plane / shape->K, plane % shape->K,
                      out + plane * area, out_scale + plane * area);
}

static void compute_one(const ht_conv2d *s, const double *input, const double *weights,
                        const double *bias, uint64_t index, double *out, double *scale) {
    int64_t at = (int64_t)index;
    int64_t q = at % s->Q, p = at / s->Q % s->P, k = at / (s->Q * s->P) % s->K,
            n = at / (s->Q * s->P * s->K);
    int64_t depth = s->C / s->groups, group = k / (s->K / s->groups);
    double sum = bias ? bias[k] : 0, size = fabs(sum);
    for (int64_t c = 0; c < depth; ++c)
        for (int64_t r = 0; r < s->R; ++r) {
            int64_t h = p * s->stride_h - s->pad_h + r * s->dilation_h;
            if (h < 0 || h >= s->H)
                continue;
            for (int64_t t = 0; t < s->S; ++t) {
                int64_t w = q * s->stride_w - s->pad_w + t * s->dilation_w;
                if (w < 0 || w >= s->W)
                    continue;
                double product = input[((n * s->C + group * depth + c) * s->H + h) * s->W + w] *
                                 weights[((k * depth + c) * s->R + r) * s->S + t];
                sum += product;
                size += fabs(product);
            }
        }
    *out = sum;
    *scale = size;
}

void ht_conv2d_sample(const ht_conv2d *shape, const double *input, const double *weights,
                      const double *bias, const uint64_t *indices, size_t count, double *out,
                      double *out_scale) {
#pragma omp parallel for schedule(dynamic, 16)
    for (size_t i = 0; i < count; ++i)
        compute_one(shape, input, weights, bias, indices[i], &out[i], &out_scale[i]);
}
