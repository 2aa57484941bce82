/* Factors of small matrices. */
#ifndef HT_SEARCH_CHOLESKY_H
#define HT_SEARCH_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* Replaces the lower triangle of `matrix` (size * size, row-major) by L with L L^T = matrix; the
 * rest is not touched. False when it is not positive definite; the matrix is spoilt then. */
bool ht_cholesky(double *matrix, size_t size);

#endif
