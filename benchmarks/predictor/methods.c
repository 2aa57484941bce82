#include "benchmarks/predictor/methods.h"

#include <math.h>
#include <string.h>

const ht_method_info ht_methods[] = {
    {"majority", "the most frequent vectors", ht_majority_run, false},
    {"nearest", "the nearest problem's vector", ht_nearest_run, false},
    {"random_forest", "random forest, all parameters at once", ht_random_forest_run, false},
    {"random_chain", "a random forest for each parameter, given those before", ht_random_chain_run,
     false},
    {"extra_trees", "extra trees, all parameters at once", ht_extra_trees_run, false},
    {"vector_trees", "the same trees, voting for whole vectors", ht_vector_trees_run, false},
    {"extra_chain", "extra trees for each parameter, given those before", ht_extra_chain_run,
     false},
    {"pooled_chain", "the same, trained on all files together", ht_extra_chain_run, true},
};
const size_t ht_method_count = sizeof ht_methods / sizeof *ht_methods;

typedef struct next {
    double score;
    size_t parent;
    uint16_t value;
} next;

/* Keeps the best, sorted; among equals the one that came first. */
static size_t next_insert(next *best, size_t count, next candidate) {
    size_t at = count;
    while (at > 0 && best[at - 1].score < candidate.score)
        --at;
    if (at == HT_ANSWERS)
        return count;
    size_t kept = count < HT_ANSWERS ? count : HT_ANSWERS - 1;
    memmove(best + at + 1, best + at, (kept - at) * sizeof *best);
    best[at] = candidate;
    return kept + 1;
}

void ht_answers_advance(ht_answers *answers, size_t step, size_t values,
                        const double *const *shares) {
    next best[HT_ANSWERS];
    size_t count = 0;
    for (size_t i = 0; i < answers->count; ++i)
        for (size_t v = 0; v < values; ++v)
            if (shares[i][v] > 0)
                count = next_insert(best, count,
                                    (next){answers->score[i] + log(shares[i][v]), i, (uint16_t)v});
    ht_answers before = *answers;
    answers->count = count;
    for (size_t i = 0; i < count; ++i) {
        memcpy(answers->choice[i], before.choice[best[i].parent], step * sizeof(uint16_t));
        answers->choice[i][step] = best[i].value;
        answers->score[i] = best[i].score;
    }
}
