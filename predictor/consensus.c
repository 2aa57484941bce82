#include "predictor/consensus.h"

#include <math.h>
#include <string.h>

static double agreement(const ht_proposal *a, const ht_proposal *b, size_t params) {
    size_t same = 0;
    for (size_t t = 0; t < params; t++)
        same += a->choice[t] == b->choice[t];
    return params ? (double)same / (double)params : 1;
}

void ht_consensus_lead(ht_proposal *proposals, size_t count, size_t params, double weight) {
    double sum = 0, best_value = -INFINITY;
    size_t best = 0;
    for (size_t i = 0; i < count; i++)
        sum += exp(proposals[i].log_probability);
    if (!(sum > 0) || !(weight > 0))
        return;
    for (size_t i = 0; i < count; i++) {
        double expected = 0;
        for (size_t j = 0; j < count; j++)
            expected +=
                exp(proposals[j].log_probability) * agreement(&proposals[i], &proposals[j], params);
        double value = exp(proposals[i].log_probability) + weight * expected / sum;
        if (value > best_value) {
            best_value = value;
            best = i;
        }
    }
    ht_proposal first = proposals[best];
    memmove(proposals + 1, proposals, best * sizeof *proposals);
    proposals[0] = first;
}
