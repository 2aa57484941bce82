/* Matrix products, by OpenBLAS. One BLAS thread: parallelism is over shards of a batch
 * (training.h).
 *
 * A file is compiled for float and, for the gradient tests, for double (HT_REAL_DOUBLE). */
#ifndef HT_PREDICTOR_MATH_BLAS_H
#define HT_PREDICTOR_MATH_BLAS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef HT_REAL_DOUBLE
typedef double ht_real;
#else
typedef float ht_real;
#endif

/* c[m][n] = alpha * op(a)[m][k] * op(b)[k][n] + beta * c. Row-major; lda, ldb and ldc are the
 * distances between rows as they are stored. beta 0: c need not be initialised. */
void ht_gemm(bool trans_a, bool trans_b, size_t m, size_t n, size_t k, ht_real alpha,
             const ht_real *a, size_t lda, const ht_real *b, size_t ldb, ht_real beta, ht_real *c,
             size_t ldc);

#endif
