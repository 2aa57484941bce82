/* A configuration timed next to the baseline of its template, in the same rounds. */
#ifndef HT_PIPELINE_PAIRED_H
#define HT_PIPELINE_PAIRED_H

#include "pipeline/tuning.h"

/* A ratio with its 95 % interval, as measured next to each other; all 0: not measured. */
typedef struct ht_gain_interval {
    double ratio, lo, hi;
} ht_gain_interval;

/* Starts a job and times a configuration in it, verified, next to the baseline of its template: for
 * `seconds` at most. */
ht_status ht_paired_final(const ht_binding *binding, const ht_device *device,
                          const ht_job_options *options, const ht_config *config, double seconds,
                          ht_timing *out_baseline, ht_final *out_final, ht_error *error);
/* Times a winner next to the baseline of its template, at the binding's problem. *out_speedup is
 * zero where the two cannot be timed next to each other, or their outputs differ. */
ht_status ht_paired_time(const ht_session *session, const ht_binding *binding,
                         const ht_config *winner, ht_gain_interval *out_speedup, ht_error *error);
/* Hands on what every other try would meet too; the rest says nothing of this one. */
ht_status ht_paired_grave(ht_status status, const ht_error *own, ht_error *error);

#endif
