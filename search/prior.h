/* Expectations of configurations before any was tried: facts, each a number for every
 * configuration, with how much longer its unit is expected to take, as a difference of
 * logarithms of times. Their sum is the mean of the model of the strategies `bayes` and `auto`.
 * As outcomes come, the weights are learnt from them; a weight whose sign would turn is 0, and
 * all fade, so that facts that mislead end as nothing. docs/search.md#what-is-known-before says
 * what it is worth. */
#ifndef HT_SEARCH_PRIOR_H
#define HT_SEARCH_PRIOR_H

#include "templates/space/space.h"

#include <stddef.h>

enum { HT_PRIOR_FACTS_MAX = 8 };

typedef struct ht_prior {
    size_t count;                      /* of facts; 0: nothing is expected */
    double weight[HT_PRIOR_FACTS_MAX]; /* expected, at least 0; a deviation is as large */
    /* Writes `count` values, at least 0. Called by several threads, with the context borrowed. */
    void (*values)(const void *context, const ht_config *config, double *out_values);
    const void *context;
} ht_prior;

/* Weights as outcomes have changed them. */
typedef struct ht_prior_weights {
    double weight[HT_PRIOR_FACTS_MAX];
    double constant; /* of the logarithm of times */
} ht_prior_weights;

/* Returns the expected logarithm of a configuration's time. */
double ht_prior_mean(const ht_prior *prior, const ht_prior_weights *weights,
                     const ht_config *config);

/* Learns weights from `count` outcomes. `facts`: count rows of prior->count values; `y`: logarithms
 * of times. The weights have the highest density among those at least 0, where a time is what facts
 * say with a normal error of the deviation `noise`, and weights have normal priors; then, from
 * `fade` outcomes on, they shrink as fade / count does. Without outcomes they are those expected.
 */
void ht_prior_learn(const ht_prior *prior, const double *facts, const double *y, size_t count,
                    double noise, double fade, ht_prior_weights *out_weights);

#endif
