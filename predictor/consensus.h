/* Which proposal comes first.
 *
 * The likeliest configuration is the best guess at all parameters together. But where one
 * configuration stands alone against many alike (an untuned default against the tuned ones of a
 * problem), it can be the likeliest and have nearly every parameter wrong when it is wrong. So the
 * first proposal is the one with the greatest
 *
 *     p(c) + weight * sum_d p(d) a(c, d) / sum_d p(d)
 *
 * over the proposals, a(c, d) the share of parameters in which c and d agree: its probability of
 * being right as a whole, and the share of parameters it is expected to have right (minimum Bayes
 * risk decoding, Kumar and Byrne 2004). The others stay in the order of their probability. */
#ifndef HT_PREDICTOR_CONSENSUS_H
#define HT_PREDICTOR_CONSENSUS_H

#include "predictor/predictor.h"

/* Moves that proposal to the front; with weight 0, or equal values, the likeliest stays there. */
void ht_consensus_lead(ht_proposal *proposals, size_t count, size_t params, double weight);

#endif
