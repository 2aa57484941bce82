/* Products with few rows, as in decoding: OpenBLAS rearranges the matrix first, which costs as much
 * as the product itself when it serves ten rows only. */
#ifndef HT_PREDICTOR_MATH_BLAS_ROWS_H
#define HT_PREDICTOR_MATH_BLAS_ROWS_H

#include "predictor/math/blas.h"

/* Up to HT_GEMM_ROWS_MAX rows, with at least HT_GEMM_ROWS_COLUMNS columns, this is the faster
 * way. */
enum { HT_GEMM_ROWS_MAX = 16, HT_GEMM_ROWS_COLUMNS = 64 };

/* c = a b (add: c += a b) without transposition, as ht_gemm; float and AVX-512 only: false, with
 * nothing done, where the processor lacks it. A row's result does not depend on the other rows. */
bool ht_gemm_rows(size_t m, size_t n, size_t k, const ht_real *a, size_t lda, const ht_real *b,
                  size_t ldb, bool add, ht_real *c, size_t ldc);

#endif
