/* Gaussian process regression (Rasmussen and Williams 2006, "Gaussian Processes for Machine
 * Learning", algorithm 2.1) with a Matern 5/2 kernel and a length scale per feature, made for a
 * search: observations come one by one, and mean and variance are wanted at the same few thousand
 * candidates each time.
 *
 * With K = L L^T over the observations and k(c) the kernel between them and candidate c, the
 * columns V(c) = L^-1 k(c) are kept for all candidates. A new observation adds a row to L and one
 * to V, so that it costs a product of a vector with V, not a new solution:
 *   mean(c) = V(c)^T beta, beta = L^-1 y;   variance(c) = amplitude - V(c)^T V(c)
 * L is float64; V is float32, whose error stays under the noise that is always assumed.
 *
 * Matrices are row-major. Features are in 0..1, observations standardised by the caller. */
#ifndef HT_SEARCH_GP_H
#define HT_SEARCH_GP_H

#include "search/features.h"

typedef struct ht_gp_parameters {
    double log_length[HT_FEATURES_MAX]; /* of each feature's length scale */
    double log_amplitude;               /* of the kernel's variance */
    double log_noise;                   /* of the observations' variance */
} ht_gp_parameters;

/* The prior of the parameters: normal distributions of the logarithms. */
typedef struct ht_gp_prior {
    double length[HT_FEATURES_MAX]; /* means */
    double length_spread;           /* standard deviation */
    double amplitude, amplitude_spread;
    double noise, noise_spread;
} ht_gp_prior;

/* Parameters of the highest posterior density, by `steps` steps of Rprop (Igel and Huesken 2000,
 * iRprop-) from those in `parameters`, which they replace. `x`: count * features; `y`: count.
 * Returns minus the logarithm of the density, up to a constant. */
double ht_gp_fit(const double *x, const double *y, size_t count, size_t features,
                 const ht_gp_prior *prior, int steps, ht_gp_parameters *parameters);
/* The same value and its gradient (features + 2: lengths, amplitude, noise) at given parameters;
 * INFINITY where the kernel matrix is not positive definite. */
double ht_gp_density(const double *x, const double *y, size_t count, size_t features,
                     const ht_gp_prior *prior, const ht_gp_parameters *parameters,
                     double *out_gradient);

typedef struct ht_gp ht_gp;

ht_gp *ht_gp_create(size_t features);
void ht_gp_free(ht_gp *gp);
/* Sets parameters and candidates (count * features; borrowed) and forgets all observations. */
void ht_gp_begin(ht_gp *gp, const ht_gp_parameters *parameters, const float *candidates,
                 size_t count);
/* Adds observations at `x` (count * features). */
void ht_gp_observe(ht_gp *gp, const double *x, const double *y, size_t count);
/* Adds a point whose value is not known yet: the variance falls as if it were, the mean stays
 * (Ginsbourger, Le Riche and Carraro 2010, the kriging believer). */
void ht_gp_imagine(ht_gp *gp, const double *x);
/* Takes back all that was imagined. Observations cannot be added before. */
void ht_gp_wake(ht_gp *gp);
/* Over the candidates; valid until the next call. */
const float *ht_gp_mean(const ht_gp *gp);
const float *ht_gp_variance(const ht_gp *gp);

#endif
