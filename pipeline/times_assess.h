/* How good a time model's choices are on jobs whose times a database knows. */
#ifndef HT_PIPELINE_TIMES_ASSESS_H
#define HT_PIPELINE_TIMES_ASSESS_H

#include "pipeline/times.h"
#include "predictor/reliability.h"

enum { HT_TIMES_AT = 3 };
extern const size_t ht_times_at[HT_TIMES_AT]; /* the first choice, the best of 5, of 10 */

/* Of the first choices, over the jobs: the best time known over that of their best. */
typedef struct ht_times_reached {
    double mean, lo, hi; /* with its 95 % interval, by the bootstrap over jobs */
    double low;          /* the tenth percentile */
    ht_share exact;      /* of jobs whose best configuration is among them */
} ht_times_reached;

typedef struct ht_times_assessment {
    size_t jobs, evaluations;
    ht_times_reached at[HT_TIMES_AT];
} ht_times_assessment;

/* Asks the model about each job of its template in a database: its choices are among the
 * configurations that were timed, of which each job has at least `least`. HT_ERROR_INPUT when there
 * is no such job. */
ht_status ht_times_assess(const ht_time_model *model, const ht_template *template,
                          const ht_device *device, const char *database, size_t least,
                          ht_times_assessment *out_assessment, ht_error *error);

#endif
