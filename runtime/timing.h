/* Timing a loaded variant with HIP events. docs/measuring.md tells why each step is there. */
#ifndef HT_RUNTIME_TIMING_H
#define HT_RUNTIME_TIMING_H

#include "runtime/stats.h"
#include "runtime/variant.h"

typedef struct ht_timer {
    const ht_hip *hip;
    hipEvent_t start, stop;
    double resolution_ms; /* smallest step seen between two events */
} ht_timer;

ht_status ht_timer_create(const ht_hip *hip, ht_timer *out_timer, ht_error *error);
void ht_timer_destroy(ht_timer *timer);

/* Warms the variant up and chooses how many launches make one sample: at least 1 ms or 20 timer
 * steps. */
ht_status ht_timer_warm_up(ht_timer *timer, ht_variant *variant, unsigned *out_launches,
                           ht_error *error);
/* One sample: `launches` runs between two events, in milliseconds a run. Restores inout buffers
 * before, outside of the timed part. A time that is not positive is HT_ERROR_LAUNCH. */
ht_status ht_timer_sample(ht_timer *timer, ht_variant *variant, unsigned launches, double *out_ms,
                          ht_error *error);

typedef struct ht_samples {
    double *ms; /* owned */
    size_t count;
} ht_samples;

enum { HT_SAMPLES_MIN = 5, HT_SAMPLES_MIN_LONG = 3, HT_SAMPLES_MAX = 4000 };

/* Samples until the 95 % interval of the median is `relative_interval` of it wide, or `budget`
 * seconds have passed; but at least HT_SAMPLES_MIN, or HT_SAMPLES_MIN_LONG once four times the
 * budget has passed. Free samples->ms. */
ht_status ht_timer_measure(ht_timer *timer, ht_variant *variant, double budget,
                           double relative_interval, ht_samples *out_samples, ht_error *error);

#endif
