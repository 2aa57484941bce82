/* Ways to answer with parameter vectors that the predictor is compared with. */
#ifndef HT_BENCHMARKS_PREDICTOR_METHODS_H
#define HT_BENCHMARKS_PREDICTOR_METHODS_H

#include "benchmarks/predictor/table.h"

enum { HT_ANSWERS = 10 };

/* The answers for one row, best first. */
typedef struct ht_answers {
    uint16_t choice[HT_ANSWERS][HT_PARAM_MAX];
    double score[HT_ANSWERS]; /* logarithms of probabilities, where a method has them */
    size_t count;
} ht_answers;

typedef struct ht_method_settings {
    size_t trees;
    double
        tried; /* share of the features that a split of extra trees looks at; 0: the square root */
    uint64_t seed;
    size_t min_leaf;  /* of the chain of extra trees */
    bool constrained; /* only values that can still become legal */
} ht_method_settings;

/* Learns from `train`, answers for `test`: out_answers[test_count], zeroed before. */
typedef void ht_method(const ht_table *table, const uint32_t *train, size_t train_count,
                       const uint32_t *test, size_t test_count, const ht_method_settings *settings,
                       ht_answers *out_answers);

typedef struct ht_method_info {
    const char *name, *what;
    ht_method *run;
    bool pooled; /* trained on all files together */
} ht_method_info;
extern const ht_method_info ht_methods[];
extern const size_t ht_method_count;

ht_method ht_majority_run;      /* the most frequent vectors */
ht_method ht_nearest_run;       /* the vectors of the nearest problems */
ht_method ht_random_forest_run; /* several outputs at once, each by its own share */
ht_method ht_extra_trees_run;   /* the same */
ht_method ht_vector_trees_run;  /* extra trees that vote for whole vectors */
ht_method ht_random_chain_run;  /* a forest for each parameter, given those before it */
ht_method ht_extra_chain_run;   /* the same with extra trees */

/* Replaces each answer's partial vectors [0..step-1] by the best HT_ANSWERS continued by a value
 * with these shares: shares[i] is for answers->choice[i]. A value with share 0 is no continuation.
 */
void ht_answers_advance(ht_answers *answers, size_t step, size_t values,
                        const double *const *shares);

#endif
