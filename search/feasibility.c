#include "search/feasibility.h"

#include "base/blas.h"
#include "base/memory.h"
#include "search/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RIDGE = 0.1;
enum { STEPS = 6 }; /* of Newton's method, each time */

void ht_feasibility_begin(ht_feasibility *model, size_t features) {
    *model = (ht_feasibility){.features = features};
    ht_blas_begin();
}

static void expand(const double *x, size_t features, double *out_row) {
    out_row[0] = 1;
    for (size_t k = 0; k < features; ++k) {
        out_row[1 + k] = x[k] - 0.5;
        out_row[1 + features + k] = (x[k] - 0.5) * (x[k] - 0.5);
    }
}

/* Takes one step of Newton's method (iteratively reweighted least squares; Hastie, Tibshirani and
 * Friedman 2009, formula 4.26). Returns false when the system cannot be solved. */
static bool newton(double *weights, const double *rows, const bool *succeeded, size_t count,
                   size_t width) {
    int size = (int)width;
    double *hessian = ht_alloc(width * width, sizeof *hessian);
    double *gradient = ht_alloc(width, sizeof *gradient);
    for (size_t k = 0; k < width; ++k) {
        double ridge = k ? RIDGE : 1e-3;
        hessian[k * width + k] = ridge;
        gradient[k] = -ridge * weights[k];
    }
    for (size_t i = 0; i < count; ++i) {
        const double *row = rows + i * width;
        double chance = 1 / (1 + exp(-cblas_ddot(size, row, 1, weights, 1)));
        cblas_daxpy(size, (succeeded[i] ? 1 : 0) - chance, row, 1, gradient, 1);
        cblas_dsyr(CblasRowMajor, CblasLower, size, chance * (1 - chance), row, 1, hessian, size);
    }
    bool solved = ht_cholesky(hessian, width);
    if (solved) {
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, size, hessian, size,
                    gradient, 1);
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, size, hessian, size,
                    gradient, 1);
        cblas_daxpy(size, 1, gradient, 1, weights, 1);
    }
    free(hessian);
    free(gradient);
    return solved;
}

void ht_feasibility_fit(ht_feasibility *model, const double *x, const bool *succeeded,
                        size_t count) {
    size_t d = model->features, width = 1 + 2 * d;
    double *rows = ht_alloc(count * width + 1, sizeof *rows);
    for (size_t i = 0; i < count; ++i)
        expand(x + i * d, d, rows + i * width);
    for (int step = 0; step < STEPS; ++step) {
        double before[1 + 2 * HT_FEATURES_MAX], moved = 0;
        memcpy(before, model->weights, width * sizeof *before);
        if (!newton(model->weights, rows, succeeded, count, width))
            break;
        for (size_t k = 0; k < width; ++k)
            moved = fmax(moved, fabs(model->weights[k] - before[k]));
        if (moved < 1e-3)
            break;
    }
    free(rows);
}

void ht_feasibility_of(const ht_feasibility *model, const float *x, size_t count,
                       float *out_chances) {
    size_t d = model->features;
    for (size_t i = 0; i < count; ++i) {
        double sum = model->weights[0];
        for (size_t k = 0; k < d; ++k) {
            double f = (double)x[i * d + k] - 0.5;
            sum += f * (model->weights[1 + k] + f * model->weights[1 + d + k]);
        }
        out_chances[i] = (float)(1 / (1 + exp(-sum)));
    }
}
