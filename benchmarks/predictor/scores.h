/* How good answers are: the predictor's measures (predictor.h), for any method. */
#ifndef HT_BENCHMARKS_PREDICTOR_SCORES_H
#define HT_BENCHMARKS_PREDICTOR_SCORES_H

#include "benchmarks/predictor/methods.h"

enum { HT_TOP_COUNT = 4 };
extern const size_t ht_top[HT_TOP_COUNT]; /* 1, 3, 5, 10 */

typedef struct ht_match_counts {
    double parameters;        /* records' mean share of parameters that match in the first answer */
    double top[HT_TOP_COUNT]; /* records with a match in all parameters among the first k */
} ht_match_counts;

/* Sums over records; divide by `records`. */
typedef struct ht_scores {
    size_t records;
    ht_match_counts exact, canonical;
    size_t answers, legal;
    size_t refused;                   /* records whose own configuration is not legal */
    double refused_top[HT_TOP_COUNT]; /* of `exact`, those of refused records */
} ht_scores;

/* Adds one record. `completion` is of the table's rules; it is moved to the record's problem. */
void ht_scores_add(const ht_table *table, ht_completion *completion, size_t row,
                   const ht_answers *answers, ht_scores *scores);

#endif
