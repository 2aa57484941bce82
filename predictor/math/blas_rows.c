#include "predictor/math/blas_rows.h"

#if defined(__x86_64__) && !defined(HT_REAL_DOUBLE)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f")))
#define AVX512_INLINE static inline __attribute__((always_inline, target("avx512f")))

/* A block of the result that fits in the registers: ROWS by COLUMNS vectors of 16. */
enum { ROWS = 6, COLUMNS = 4, VECTOR = 16 };

typedef struct product {
    size_t m, n, k, lda, ldb, ldc;
    const float *a, *b;
    float *c;
    bool add;
} product;

/* Computes rows `row` .. + rows - 1, `columns` vectors from `column` on; of the last vector the
 * lanes in `mask`. `rows` and `columns` are constants wherever this is called, so that the loops
 * over them unroll. */
AVX512_INLINE void block(const product *p, size_t row, size_t column, size_t rows, size_t columns,
                         __mmask16 mask) {
    __m512 sums[ROWS][COLUMNS];
    const __mmask16 all = 0xffff;
    float *c = p->c + row * p->ldc + column;
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; ++r)
#pragma GCC unroll 8
        for (size_t v = 0; v < columns; ++v)
            sums[r][v] = p->add ? _mm512_maskz_loadu_ps(v + 1 == columns ? mask : all,
                                                        c + r * p->ldc + v * VECTOR)
                                : _mm512_setzero_ps();
    const float *a = p->a + row * p->lda;
    for (size_t i = 0; i < p->k; ++i) {
        const float *b = p->b + i * p->ldb + column;
        __m512 line[COLUMNS];
#pragma GCC unroll 8
        for (size_t v = 0; v < columns; ++v)
            line[v] = _mm512_maskz_loadu_ps(v + 1 == columns ? mask : all, b + v * VECTOR);
#pragma GCC unroll 8
        for (size_t r = 0; r < rows; ++r) {
            const __m512 factor = _mm512_set1_ps(a[r * p->lda + i]);
#pragma GCC unroll 8
            for (size_t v = 0; v < columns; ++v)
                sums[r][v] = _mm512_fmadd_ps(factor, line[v], sums[r][v]);
        }
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; ++r)
#pragma GCC unroll 8
        for (size_t v = 0; v < columns; ++v)
            _mm512_mask_storeu_ps(c + r * p->ldc + v * VECTOR, v + 1 == columns ? mask : all,
                                  sums[r][v]);
}

/* Computes all columns of some rows: four vectors at a time, then one. */
AVX512_INLINE void strip(const product *p, size_t row, size_t rows) {
    enum { STEP = COLUMNS * VECTOR };
    size_t column = 0;
    for (; column + STEP <= p->n; column += STEP)
        block(p, row, column, rows, COLUMNS, 0xffff);
    for (; column < p->n; column += VECTOR) {
        const size_t rest = p->n - column;
        block(p, row, column, rows, 1,
              rest < VECTOR ? (__mmask16)((1U << rest) - 1) : (__mmask16)0xffff);
    }
}

AVX512 static void product_run(const product *p) {
    size_t strips = (p->m + ROWS - 1) / ROWS;
    for (size_t row = 0; strips > 0; --strips) { /* of about equal heights */
        const size_t rows = (p->m - row + strips - 1) / strips;
        switch (rows) {
        case 1:
            strip(p, row, 1);
            break;
        case 2:
            strip(p, row, 2);
            break;
        case 3:
            strip(p, row, 3);
            break;
        case 4:
            strip(p, row, 4);
            break;
        case 5:
            strip(p, row, 5);
            break;
        default:
            strip(p, row, ROWS);
            break;
        }
        row += rows;
    }
}

bool ht_gemm_rows(size_t m, size_t n, size_t k, const ht_real *a, size_t lda, const ht_real *b,
                  size_t ldb, bool add, ht_real *c, size_t ldc) {
    if (!__builtin_cpu_supports("avx512f"))
        return false;
    const product product = {.m = m,
                             .n = n,
                             .k = k,
                             .lda = lda,
                             .ldb = ldb,
                             .ldc = ldc,
                             .a = a,
                             .b = b,
                             .c = c,
                             .add = add};
    product_run(&product);
    return true;
}
#else
bool ht_gemm_rows(size_t m, size_t n, size_t k, const ht_real *a, size_t lda, const ht_real *b,
                  size_t ldb, bool add, ht_real *c, size_t ldc) {
    (void)m, (void)n, (void)k, (void)a, (void)lda, (void)b, (void)ldb, (void)add, (void)c,
        (void)ldc;
    return false;
}
#endif
