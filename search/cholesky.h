/* Factors of small matrices, on OpenBLAS with one thread: the same result whatever the number of
 * cores, and no fight over them between searches that run side by side. */
#ifndef HT_SEARCH_CHOLESKY_H
#define HT_SEARCH_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* Replaces the lower triangle of `matrix` (size * size, row-major) by L with L L^T = matrix; the
 * rest is not touched. False when it is not positive definite; the matrix is spoilt then. */
bool ht_cholesky(double *matrix, size_t size);
/* To be called before the first product of a thread. */
void ht_blas_begin(void);

#endif
