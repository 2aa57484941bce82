/* Softmax and cross-entropy over the allowed values. */
#ifndef HT_LAYERS_LOSS_H
#define HT_LAYERS_LOSS_H

#include "predictor/math/blas.h"

#include <stdint.h>

/* The labels of `rows` places. */
typedef struct ht_labels {
    const uint16_t *targets; /* row r: targets[r * target_stride] */
    size_t target_stride;
    const uint8_t *allowed; /* row r: allowed[r * stride + value]; NULL: all values are */
    const float *soft;      /* row r: soft[r * stride + value], a distribution; NULL: the target */
    size_t stride;          /* of allowed and soft */
    const float *weights;   /* of rows; NULL: 1 */
    float smoothing;        /* this share of the target is spread evenly over the allowed values */
} ht_labels;

/* Sum over rows of weight * -sum_v q_v log p_v, where p is the softmax over allowed values (the
 * target always counts as allowed) and q the labels' distribution over them (what of `soft` is not
 * allowed is dropped and the rest scaled up). logits and grad_logits are [rows][values];
 * grad_logits gets the gradient times `scale` (SET, not added; NULL: not wanted). *hits (may be
 * NULL) is raised by the number of rows whose likeliest allowed value is the target. */
double ht_cross_entropy(size_t rows, size_t values, const ht_real *logits, const ht_labels *labels,
                        ht_real scale, ht_real *grad_logits, size_t *hits);
/* log p of each value in place of the logits of one row; values that are not allowed become
 * -infinity. allowed NULL: all are. At least one must be. */
void ht_log_softmax(size_t values, const uint8_t *allowed, ht_real *logits);
#endif
