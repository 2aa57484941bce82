/* A configuration timed next to the baseline of its template, in the same rounds. */
#ifndef HT_PIPELINE_PAIRED_H
#define HT_PIPELINE_PAIRED_H

#include "pipeline/tuning.h"

/* A ratio with its 95 % interval, as measured next to each other; all 0: not measured. */
typedef struct ht_gain_interval {
    double ratio, lo, hi;
} ht_gain_interval;
ht_gain_interval ht_gain_of(const ht_pair_times *times); /* zero: they are not known */

/* Starts a job on the session's device and times a configuration in it, verified, next to the
 * baseline of its template: for `seconds` at most, as the session's searches are timed. `kept`: a
 * recording answers if there is one, and what is measured is kept in the database. */
ht_status ht_paired_final(const ht_session *session, const ht_binding *binding,
                          const ht_config *config, bool kept, double seconds,
                          ht_timing *out_baseline, ht_final *out_final, ht_error *error);
/* Times a winner, kept, next to the baseline of its template, at the binding's problem. *out_times
 * is not known where the two cannot be timed next to each other, or their outputs differ. */
ht_status ht_paired_time(const ht_session *session, const ht_binding *binding,
                         const ht_config *winner, ht_pair_times *out_times, ht_error *error);
/* The times of a final next to its baseline's; not known if it failed. */
ht_pair_times ht_paired_times(const ht_final *final, const ht_timing *baseline);
/* Hands on what every other try would meet too; the rest says nothing of this one. */
ht_status ht_paired_grave(ht_status status, const ht_error *own, ht_error *error);

#endif
