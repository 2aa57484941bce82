/* The built-in reference `conv2d`: direct convolution in float64. */
#ifndef HT_RUNTIME_REFERENCE_CONV2D_H
#define HT_RUNTIME_REFERENCE_CONV2D_H

#include "base/error.h"
#include "templates/problem/problem.h"

#include <stddef.h>
#include <stdint.h>

/* Layouts: input N x C x H x W, weights K x C/groups x R x S, bias K, output N x K x P x Q; all
 * dense. The filter is not flipped (cross-correlation, as in every deep-learning library). */
typedef struct ht_conv2d {
    int64_t N, C, H, W, K, R, S, P, Q;
    int64_t pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, groups;
} ht_conv2d;

/* Reads the fields of a conv2d problem; a missing or impossible one is HT_ERROR_INPUT. */
ht_status ht_conv2d_from_problem(const ht_problem *problem, ht_conv2d *out_shape, ht_error *error);

/* Multiply-adds of the whole convolution. */
double ht_conv2d_work(const ht_conv2d *shape);

/* Every output, and for each the sum of the absolute products (and absolute bias) that make it.
 * `bias` may be NULL. Parallel over output planes. */
void ht_conv2d_compute(const ht_conv2d *shape, const double *input, const double *weights,
                       const double *bias, double *out, double *out_scale);

/* The same for chosen outputs, by linear index. */
void ht_conv2d_sample(const ht_conv2d *shape, const double *input, const double *weights,
                      const double *bias, const uint64_t *indices, size_t count, double *out,
                      double *out_scale);

#endif
