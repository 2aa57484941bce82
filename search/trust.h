/* How far to trust the sources of a search (search/earlier.h), by its outcomes so far.
 *
 * The logarithm of a time is taken to be a constant, a sum of what some of the sources say, each
 * with a weight of at least 0, and an error. Which of them belong there is not known: every subset
 * is a model, as likely as what it explains allows (a regression with Zellner's g-prior, g = n;
 * Liang, Paulo, Molina, Clyde and Berger 2008, "Mixtures of g priors for Bayesian variable
 * selection"), and the weights are the mean over all. A subset in which a weight would be negative
 * is not a model. So a source that disagrees with the outcomes has no weight, one that says nothing
 * has next to none, and neither needs a threshold. */
#ifndef HT_SEARCH_TRUST_H
#define HT_SEARCH_TRUST_H

#include "search/earlier.h"

typedef struct ht_trust {
    double weight[HT_EARLIER_MAX]; /* at least 0, in the unit of the outcomes */
    double any;                    /* probability that some source belongs there, 0..1 */
    double rest; /* share of the outcomes' variance that the weights leave unexplained, 0..1 */
} ht_trust;

/* Before there are outcomes every source has the same say. */
void ht_trust_begin(size_t sources, ht_trust *out_trust);
/* `values`: count rows of `sources` values; `y`: the outcomes. With fewer than 3, or none that
 * differ, it is as at the beginning. */
void ht_trust_learn(const double *values, const double *y, size_t count, size_t sources,
                    ht_trust *out_trust);
/* Returns true if outcomes have made it less likely than it was before any that some source belongs
 * there. */
bool ht_trust_doubts(const ht_trust *trust);

#endif
