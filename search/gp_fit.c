/* The posterior density of a Gaussian process's parameters (Rasmussen and Williams 2006, formulas
 * 5.8 and 5.9), and the way up. */
#include "search/gp.h"

#include "base/blas.h"
#include "base/memory.h"
#include "search/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LENGTH_LIMIT = 4;   /* of |log length| */
static const double NOISE_LOWEST = -14; /* of log noise */
static const double JITTER = 1e-8;

typedef struct problem {
    const double *x, *y;
    size_t count, features;
    const ht_gp_prior *prior;
    double *z;       /* x over the lengths */
    double *kernel;  /* lower triangle, without noise */
    double *slope;   /* minus its derivative by half the squared distance */
    double *factor;  /* of kernel and noise */
    double *inverse; /* of the factor, then of the whole */
    double *alpha;
} problem;

static void begin(problem *problem) {
    size_t n = problem->count;
    problem->z = ht_alloc(n * problem->features + 1, sizeof(double));
    problem->kernel = ht_alloc(n * n, sizeof(double));
    problem->slope = ht_alloc(n * n, sizeof(double));
    problem->factor = ht_alloc(n * n, sizeof(double));
    problem->inverse = ht_alloc(n * n, sizeof(double));
    problem->alpha = ht_alloc(n, sizeof(double));
}

static void end(problem *problem) {
    free(problem->z);
    free(problem->kernel);
    free(problem->slope);
    free(problem->factor);
    free(problem->inverse);
    free(problem->alpha);
}

static double distance_squared(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t k = 0; k < count; ++k)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

static void kernel_fill(problem *problem, const ht_gp_parameters *parameters) {
    size_t n = problem->count, d = problem->features;
    double amplitude = exp(parameters->log_amplitude), inverse[HT_FEATURES_MAX];
    for (size_t k = 0; k < d; ++k)
        inverse[k] = exp(-parameters->log_length[k]);
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < d; ++k)
            problem->z[i * d + k] = problem->x[i * d + k] * inverse[k];
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) {
            double square =
                5 * distance_squared(problem->z + i * d, problem->z + j * d, d); /* s^2 */
            double s = sqrt(square), decay = amplitude * exp(-s);
            problem->kernel[i * n + j] = (1 + s + square / 3) * decay;
            problem->slope[i * n + j] = 5.0 / 3 * (1 + s) * decay;
        }
        problem->kernel[i * n + i] = amplitude;
    }
}

/* Returns minus the logarithm of the likelihood; leaves alpha and the inverse (lower triangle). */
static double likelihood(problem *problem, double noise) {
    size_t n = problem->count;
    int size = (int)n;
    double sum = 0;
    memcpy(problem->factor, problem->kernel, n * n * sizeof(double));
    for (size_t i = 0; i < n; ++i)
        problem->factor[i * n + i] += noise + JITTER;
    if (!ht_cholesky(problem->factor, n))
        return INFINITY;
    memcpy(problem->alpha, problem->y, n * sizeof(double));
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, size, problem->factor, size,
                problem->alpha, 1);
    for (size_t i = 0; i < n; ++i)
        sum += problem->alpha[i] * problem->alpha[i] / 2 + log(problem->factor[i * n + i]);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, size, problem->factor, size,
                problem->alpha, 1);
    memset(problem->inverse, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; ++i)
        problem->inverse[i * n + i] = 1;
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, size, size, 1,
                problem->factor, size, problem->inverse, size);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, size, size, 1, problem->inverse, size, 0,
                problem->factor, size);
    return sum;
}

/* Computes the gradient by formula 5.9: half the trace of (K^-1 - alpha alpha^T) dK. */
static void gradient_of(const problem *problem, double noise, double *gradient) {
    size_t n = problem->count, d = problem->features;
    memset(gradient, 0, (d + 2) * sizeof *gradient);
    for (size_t i = 0; i < n; ++i) {
        const double *a = problem->z + i * d;
        for (size_t j = 0; j < i; ++j) {
            const double *b = problem->z + j * d;
            double weight =
                problem->factor[i * n + j] - problem->alpha[i] * problem->alpha[j]; /* twice half */
            double sloped = weight * problem->slope[i * n + j];
            gradient[d] += weight * problem->kernel[i * n + j];
            for (size_t k = 0; k < d; ++k)
                gradient[k] += sloped * (a[k] - b[k]) * (a[k] - b[k]);
        }
        double weight = problem->factor[i * n + i] - problem->alpha[i] * problem->alpha[i];
        gradient[d] += weight * problem->kernel[i * n + i] / 2;
        gradient[d + 1] += weight * noise / 2;
    }
}

/* Returns minus the logarithm of a normal density, and its slope. */
static double prior_of(double value, double mean, double spread, double *slope) {
    double t = (value - mean) / spread;
    *slope += t / spread;
    return t * t / 2;
}

static double density(problem *problem, const ht_gp_parameters *parameters, double *gradient) {
    const ht_gp_prior *prior = problem->prior;
    size_t d = problem->features;
    double noise = exp(parameters->log_noise);
    kernel_fill(problem, parameters);
    double sum = likelihood(problem, noise);
    if (sum == INFINITY)
        return INFINITY;
    gradient_of(problem, noise, gradient);
    for (size_t k = 0; k < d; ++k)
        sum += prior_of(parameters->log_length[k], prior->length[k], prior->length_spread,
                        &gradient[k]);
    sum += prior_of(parameters->log_amplitude, prior->amplitude, prior->amplitude_spread,
                    &gradient[d]);
    return sum +
           prior_of(parameters->log_noise, prior->noise, prior->noise_spread, &gradient[d + 1]);
}

double ht_gp_density(const double *x, const double *y, size_t count, size_t features,
                     const ht_gp_prior *prior, const ht_gp_parameters *parameters,
                     double *out_gradient) {
    problem problem = {.x = x, .y = y, .count = count, .features = features, .prior = prior};
    begin(&problem);
    double value = density(&problem, parameters, out_gradient);
    end(&problem);
    return value;
}

/* Steps of the parameters: each walks by its own, longer while its slope keeps its sign, shorter
 * when it turned. */
typedef struct rprop {
    double step[HT_FEATURES_MAX + 2];
    double before[HT_FEATURES_MAX + 2];
} rprop;

static double walk(rprop *rprop, size_t k, double slope) {
    double turn = slope * rprop->before[k];
    if (turn > 0)
        rprop->step[k] = fmin(rprop->step[k] * 1.3, 0.8);
    if (turn < 0) {
        rprop->step[k] *= 0.5;
        slope = 0;
    }
    rprop->before[k] = slope;
    return slope > 0 ? -rprop->step[k] : slope < 0 ? rprop->step[k] : 0;
}

static double clamp(double value, double low, double high) {
    return fmin(fmax(value, low), high);
}

double ht_gp_fit(const double *x, const double *y, size_t count, size_t features,
                 const ht_gp_prior *prior, int steps, ht_gp_parameters *parameters) {
    problem problem = {.x = x, .y = y, .count = count, .features = features, .prior = prior};
    ht_gp_parameters best = *parameters, at = *parameters;
    double gradient[HT_FEATURES_MAX + 2] = {0}, lowest = INFINITY;
    rprop rprop = {0};
    begin(&problem);
    for (size_t k = 0; k < features + 2; ++k)
        rprop.step[k] = 0.2;
    for (int step = 0; step < steps; ++step) {
        double value = density(&problem, &at, gradient);
        if (value == INFINITY)
            break;
        if (value < lowest) {
            lowest = value;
            best = at;
        }
        for (size_t k = 0; k < features; ++k)
            at.log_length[k] =
                clamp(at.log_length[k] + walk(&rprop, k, gradient[k]), -LENGTH_LIMIT, LENGTH_LIMIT);
        at.log_amplitude += walk(&rprop, features, gradient[features]);
        at.log_noise = clamp(at.log_noise + walk(&rprop, features + 1, gradient[features + 1]),
                             NOISE_LOWEST, 0);
    }
    end(&problem);
    *parameters = best;
    return lowest;
}
