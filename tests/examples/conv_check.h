/* An independent convolution in float64, to hold the library's templates against. */
#ifndef HT_TESTS_EXAMPLES_CONV_CHECK_H
#define HT_TESTS_EXAMPLES_CONV_CHECK_H

#include "base/random.h"
#include "templates/problem/problem.h"

typedef struct conv_shape {
    int N, C, H, W, K, R, S, P, Q;
    int pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, groups;
} conv_shape;

/* A small shape of any kind: odd sizes, groups, strides, paddings wider than the filter, dilations.
 */
conv_shape conv_shape_random(ht_random *random);
/* The shape as an instance of the built-in family; asserts that its P and Q are the family's. */
ht_problem conv_shape_problem(const conv_shape *shape);

/* The largest |out - exact| / (sum of |products|) over the outputs; infinite where an output
 * without any term is not 0, and where an output is not a number. */
double conv_worst_error(const conv_shape *shape, const float *in, const float *weights,
                        const float *out);

#endif
