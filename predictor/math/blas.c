#include "base/blas.h"
#include "predictor/math/blas_rows.h"

void ht_gemm(bool trans_a, bool trans_b, size_t m, size_t n, size_t k, ht_real alpha,
             const ht_real *a, size_t lda, const ht_real *b, size_t ldb, ht_real beta, ht_real *c,
             size_t ldc) {
    ht_blas_begin();
    if (!m || !n)
        return;
    if (m <= HT_GEMM_ROWS_MAX && n >= HT_GEMM_ROWS_COLUMNS && !trans_a && !trans_b && alpha == 1 &&
        (beta == 0 || beta == 1) && ht_gemm_rows(m, n, k, a, lda, b, ldb, beta == 1, c, ldc))
        return;
    const CBLAS_TRANSPOSE ta = trans_a ? CblasTrans : CblasNoTrans;
    const CBLAS_TRANSPOSE tb = trans_b ? CblasTrans : CblasNoTrans;
#ifdef HT_REAL_DOUBLE
    cblas_dgemm(CblasRowMajor, ta, tb, (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb,
                beta, c, (int)ldc);
#else
    cblas_sgemm(CblasRowMajor, ta, tb, (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb,
                beta, c, (int)ldc);
#endif
}
