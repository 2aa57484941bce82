#include "search/cholesky.h"

#include "base/blas.h"

#include <math.h>

bool ht_cholesky(double *matrix, size_t size) {
    ht_blas_begin();
    for (size_t i = 0; i < size; ++i) {
        double *row = matrix + i * size;
        for (size_t j = 0; j < i; ++j) {
            const double *other = matrix + j * size;
            row[j] = (row[j] - cblas_ddot((int)j, row, 1, other, 1)) / other[j];
        }
        double rest = row[i] - cblas_ddot((int)i, row, 1, row, 1);
        if (!(rest > 1e-12))
            return false;
        row[i] = sqrt(rest);
    }
    return true;
}
