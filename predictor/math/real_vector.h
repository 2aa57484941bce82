/* Element-wise work on arrays, vectorized. */
#ifndef HT_PREDICTOR_MATH_REAL_VECTOR_H
#define HT_PREDICTOR_MATH_REAL_VECTOR_H

#include "predictor/math/blas.h"

/* y += x. */
void ht_vector_add(size_t count, const ht_real *x, ht_real *y);
/* y += scale * x. */
void ht_vector_add_scaled(size_t count, ht_real scale, const ht_real *x, ht_real *y);
ht_real ht_vector_dot(size_t count, const ht_real *x, const ht_real *y);
/* Every row of y [rows][stride] becomes `row` [width]. */
void ht_rows_fill(size_t rows, size_t width, const ht_real *row, ht_real *y, size_t stride);
/* sum[width] += all rows of x [rows][stride]. */
void ht_rows_sum(size_t rows, size_t width, const ht_real *x, size_t stride, ht_real *sum);
/* y [rows][y_stride] = x [rows][x_stride], `width` of each row. */
void ht_rows_copy(size_t rows, size_t width, const ht_real *x, size_t x_stride, ht_real *y,
                  size_t y_stride);

#endif
