#include "predictor/math/real_vector.h"

#include "predictor/math/real_math.h"

#include <string.h>

HT_CLONES void ht_vector_add(size_t count, const ht_real *x, ht_real *y) {
    HT_SIMD
    for (size_t i = 0; i < count; ++i)
        y[i] += x[i];
}

HT_CLONES void ht_vector_add_scaled(size_t count, ht_real scale, const ht_real *x, ht_real *y) {
    HT_SIMD
    for (size_t i = 0; i < count; ++i)
        y[i] += scale * x[i];
}

HT_CLONES ht_real ht_vector_dot(size_t count, const ht_real *x, const ht_real *y) {
    ht_real sum = 0;
    HT_SIMD_SUM(sum)
    for (size_t i = 0; i < count; ++i)
        sum += x[i] * y[i];
    return sum;
}

void ht_rows_fill(size_t rows, size_t width, const ht_real *row, ht_real *y, size_t stride) {
    for (size_t r = 0; r < rows; ++r)
        memcpy(y + r * stride, row, width * sizeof *y);
}

/* Sums four rows at a time, so that the sums are read and written a quarter as often. */
HT_CLONES void ht_rows_sum(size_t rows, size_t width, const ht_real *x, size_t stride,
                           ht_real *sum) {
    size_t r = 0;
    for (; r + 4 <= rows; r += 4) {
        const ht_real *a = x + r * stride, *b = a + stride, *c = b + stride, *d = c + stride;
        HT_SIMD
        for (size_t i = 0; i < width; ++i)
            sum[i] += (a[i] + b[i]) + (c[i] + d[i]);
    }
    for (; r < rows; ++r) {
        const ht_real *a = x + r * stride;
        HT_SIMD
        for (size_t i = 0; i < width; ++i)
            sum[i] += a[i];
    }
}

void ht_rows_copy(size_t rows, size_t width, const ht_real *x, size_t x_stride, ht_real *y,
                  size_t y_stride) {
    for (size_t r = 0; r < rows; ++r)
        memcpy(y + r * y_stride, x + r * x_stride, width * sizeof *y);
}
