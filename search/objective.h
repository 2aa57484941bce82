/* The costs as a model learns them: logarithms, softly clipped far above the best, so that how bad
 * a bad configuration is does not hide what makes a good one good; then standardised. */
#ifndef HT_SEARCH_OBJECTIVE_H
#define HT_SEARCH_OBJECTIVE_H

#include <stddef.h>

typedef struct ht_objective {
    double best; /* log of the lowest cost */
    double clip; /* beyond best + clip, a difference d counts as clip * (1 + log(d / clip)) */
    double mean, deviation;
} ht_objective;

/* Over `count` costs, at least one, all above 0. */
void ht_objective_set(ht_objective *objective, const double *costs, size_t count, double clip);
double ht_objective_of(const ht_objective *objective, double cost);

/* Expected improvement below `best` of a normal distribution (Jones, Schonlau and Welch 1998,
 * formula 15); falls on without ever being 0 where it would be too small to be distinguished. */
double ht_expected_improvement(double best, double mean, double variance);

#endif
