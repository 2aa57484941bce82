#include "search/prior.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 60 };

static double sum_of(size_t count, const double *weight, const double *values) {
    double sum = 0;
    for (size_t k = 0; k < count; ++k)
        sum += weight[k] * values[k];
    return sum;
}

double ht_prior_mean(const ht_prior *prior, const ht_prior_weights *weights,
                     const ht_config *config) {
    double values[HT_PRIOR_FACTS_MAX];
    prior->values(prior->context, config, values);
    return weights->constant + sum_of(prior->count, weights->weight, values);
}

/* Returns the constant that leaves no mean error. */
static double constant_of(const ht_prior *prior, const double *facts, const double *y, size_t count,
                          const double *weight) {
    double rest = 0;
    for (size_t i = 0; i < count; ++i)
        rest += y[i] - sum_of(prior->count, weight, facts + i * prior->count);
    return rest / (double)count;
}

/* Returns the best value of one weight, given the others: where its parabola has its peak, or 0. */
static double best_of(const ht_prior *prior, const double *facts, const double *y, size_t count,
                      double noise, size_t which, const ht_prior_weights *given) {
    double expected = prior->weight[which], precision = 1 / (expected * expected);
    double pull = expected * precision;
    for (size_t i = 0; i < count; ++i) {
        const double *row = facts + i * prior->count;
        double others = given->constant + sum_of(prior->count, given->weight, row) -
                        given->weight[which] * row[which];
        pull += row[which] * (y[i] - others) / (noise * noise);
        precision += row[which] * row[which] / (noise * noise);
    }
    return fmax(0, pull / precision);
}

/* By coordinates: the density has one peak. */
void ht_prior_learn(const ht_prior *prior, const double *facts, const double *y, size_t count,
                    double noise, double fade, ht_prior_weights *out_weights) {
    memset(out_weights, 0, sizeof *out_weights);
    memcpy(out_weights->weight, prior->weight, prior->count * sizeof *prior->weight);
    if (count == 0)
        return;
    for (int round = 0; round < ROUNDS; ++round) {
        out_weights->constant = constant_of(prior, facts, y, count, out_weights->weight);
        for (size_t k = 0; k < prior->count; ++k)
            if (prior->weight[k] > 0)
                out_weights->weight[k] = best_of(prior, facts, y, count, noise, k, out_weights);
    }
    for (size_t k = 0; k < prior->count && fade < (double)count; ++k)
        out_weights->weight[k] *= fade / (double)count;
    out_weights->constant = constant_of(prior, facts, y, count, out_weights->weight);
}
