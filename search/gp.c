#include "search/gp.h"

#include "base/blas.h"
#include "base/memory.h"
#include "search/cholesky.h"
#include "search/matern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Added to the noise: V is float32. */
static const double JITTER = 1e-6;

struct ht_gp {
    size_t features;
    float inverse[HT_FEATURES_MAX]; /* of the lengths */
    double amplitude, noise;
    size_t candidate_count;
    float *z;       /* candidates over the lengths, candidate_count * features */
    float *lengths; /* squared, of the rows of z */

    size_t count, observed; /* rows; those after `observed` are imagined */
    size_t room;
    double *x;      /* count * features, over the lengths */
    double *factor; /* L: room * room */
    double *beta;
    float *v; /* room * candidate_count */
    float *mean, *variance;
    float *variance_observed; /* before the first imagined one */
};

ht_gp *ht_gp_create(size_t features) {
    ht_gp *gp = ht_alloc(1, sizeof *gp);
    ht_blas_begin();
    gp->features = features;
    return gp;
}

static void candidates_free(ht_gp *gp) {
    free(gp->z);
    free(gp->lengths);
    free(gp->mean);
    free(gp->variance);
    free(gp->variance_observed);
}

void ht_gp_free(ht_gp *gp) {
    if (!gp)
        return;
    candidates_free(gp);
    free(gp->x);
    free(gp->factor);
    free(gp->beta);
    free(gp->v);
    free(gp);
}

static void candidates_room(ht_gp *gp, size_t count) {
    if (count == gp->candidate_count)
        return;
    candidates_free(gp);
    gp->candidate_count = count;
    gp->z = ht_alloc(count * gp->features + 1, sizeof *gp->z);
    gp->lengths = ht_alloc(count + 1, sizeof *gp->lengths);
    gp->mean = ht_alloc(count + 1, sizeof *gp->mean);
    gp->variance = ht_alloc(count + 1, sizeof *gp->variance);
    gp->variance_observed = ht_alloc(count + 1, sizeof *gp->variance_observed);
    free(gp->v);
    gp->v = ht_alloc(gp->room * count + 1, sizeof *gp->v);
}

void ht_gp_begin(ht_gp *gp, const ht_gp_parameters *parameters, const float *candidates,
                 size_t count) {
    size_t d = gp->features;
    candidates_room(gp, count);
    gp->count = gp->observed = 0;
    gp->amplitude = exp(parameters->log_amplitude);
    gp->noise = exp(parameters->log_noise);
    for (size_t k = 0; k < d; ++k)
        gp->inverse[k] = (float)exp(-parameters->log_length[k]);
    for (size_t c = 0; c < count; ++c) {
        float sum = 0;
        for (size_t k = 0; k < d; ++k) {
            float z = (candidates[c * d + k] - 0.5F) * gp->inverse[k];
            gp->z[c * d + k] = z;
            sum += z * z;
        }
        gp->lengths[c] = sum;
        gp->mean[c] = 0;
        gp->variance[c] = (float)gp->amplitude;
    }
}

static void room_for(ht_gp *gp, size_t more) {
    size_t need = gp->count + more, room = gp->room ? gp->room : 64;
    if (need <= gp->room)
        return;
    while (room < need)
        room *= 2;
    double *factor = ht_alloc(room * room, sizeof *factor);
    for (size_t i = 0; i < gp->count; ++i)
        memcpy(factor + i * room, gp->factor + i * gp->room, gp->count * sizeof *factor);
    free(gp->factor);
    gp->factor = factor;
    gp->x = ht_realloc(gp->x, room * gp->features + 1, sizeof *gp->x);
    gp->beta = ht_realloc(gp->beta, room, sizeof *gp->beta);
    gp->v = ht_realloc(gp->v, room * gp->candidate_count + 1, sizeof *gp->v);
    gp->room = room;
}

static double kernel(const ht_gp *gp, const double *a, const double *b) {
    double square = 0;
    for (size_t k = 0; k < gp->features; ++k)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    return gp->amplitude * ht_matern(5 * square);
}

/* Computes the factor's new rows, from `first` on. */
static void factor_extend(ht_gp *gp, size_t first) {
    size_t d = gp->features;
    for (size_t i = first; i < gp->count; ++i) {
        double *row = gp->factor + i * gp->room;
        for (size_t j = 0; j < i; ++j) {
            const double *other = gp->factor + j * gp->room;
            double k = kernel(gp, gp->x + i * d, gp->x + j * d);
            row[j] = (k - cblas_ddot((int)j, row, 1, other, 1)) / other[j];
        }
        double rest = gp->amplitude + gp->noise + JITTER - cblas_ddot((int)i, row, 1, row, 1);
        row[i] = sqrt(fmax(rest, JITTER));
    }
}

/* Writes the kernel between the rows from `first` on and the candidates into V: the squared
 * distances are |a|^2 + |b|^2 - 2 a b. */
static void kernel_rows(ht_gp *gp, size_t first) {
    size_t d = gp->features, n = gp->count - first, c = gp->candidate_count;
    float *z = ht_alloc(n * d + 1, sizeof *z), *v = gp->v + first * c;
    for (size_t i = 0; i < n; ++i) {
        float sum = 0;
        for (size_t k = 0; k < d; ++k) {
            z[i * d + k] = (float)gp->x[(first + i) * d + k];
            sum += z[i * d + k] * z[i * d + k];
        }
        for (size_t j = 0; j < c; ++j)
            v[i * c + j] = sum + gp->lengths[j];
    }
    if (d)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)c, (int)d, -2, z, (int)d,
                    gp->z, (int)d, 1, v, (int)c);
    ht_matern_of_squares(v, n * c, (float)gp->amplitude);
    free(z);
}

/* Computes V's new rows: the solution of L V = K, given the rows before. */
static void columns_extend(ht_gp *gp, size_t first) {
    size_t n = gp->count - first, c = gp->candidate_count;
    float *v = gp->v + first * c;
    float *old = ht_alloc(n * first + 1, sizeof *old), *corner = ht_alloc(n * n, sizeof *corner);
    for (size_t i = 0; i < n; ++i) {
        const double *row = gp->factor + (first + i) * gp->room;
        for (size_t j = 0; j < first; ++j)
            old[i * first + j] = (float)row[j];
        for (size_t j = 0; j <= i; ++j)
            corner[i * n + j] = (float)row[first + j];
    }
    if (first && n == 1)
        cblas_sgemv(CblasRowMajor, CblasTrans, (int)first, (int)c, -1, gp->v, (int)c, old, 1, 1, v,
                    1);
    else if (first)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)c, (int)first, -1, old,
                    (int)first, gp->v, (int)c, 1, v, (int)c);
    cblas_strsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, (int)c, 1,
                corner, (int)n, v, (int)c);
    free(old);
    free(corner);
}

/* Adds rows at x; y NULL: imagined. */
static void extend(ht_gp *gp, const double *x, const double *y, size_t count) {
    size_t d = gp->features, c = gp->candidate_count, first = gp->count;
    room_for(gp, count);
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < d; ++k)
            gp->x[(first + i) * d + k] = (x[i * d + k] - 0.5) * gp->inverse[k];
    gp->count += count;
    factor_extend(gp, first);
    kernel_rows(gp, first);
    columns_extend(gp, first);
    for (size_t i = first; i < gp->count; ++i) {
        const double *row = gp->factor + i * gp->room;
        const float *v = gp->v + i * c;
        gp->beta[i] = y ? (y[i - first] - cblas_ddot((int)i, row, 1, gp->beta, 1)) / row[i] : 0;
        float beta = (float)gp->beta[i];
        for (size_t j = 0; j < c; ++j) {
            gp->mean[j] += beta * v[j];
            gp->variance[j] -= v[j] * v[j];
        }
    }
}

void ht_gp_observe(ht_gp *gp, const double *x, const double *y, size_t count) {
    if (count == 0)
        return;
    extend(gp, x, y, count);
    gp->observed = gp->count;
}

void ht_gp_imagine(ht_gp *gp, const double *x) {
    if (gp->count == gp->observed)
        memcpy(gp->variance_observed, gp->variance, gp->candidate_count * sizeof *gp->variance);
    extend(gp, x, NULL, 1);
}

void ht_gp_wake(ht_gp *gp) {
    if (gp->count == gp->observed)
        return;
    gp->count = gp->observed;
    memcpy(gp->variance, gp->variance_observed, gp->candidate_count * sizeof *gp->variance);
}

const float *ht_gp_mean(const ht_gp *gp) {
    return gp->mean;
}

const float *ht_gp_variance(const ht_gp *gp) {
    return gp->variance;
}
