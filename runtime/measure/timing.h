/* Timing a loaded variant with HIP events. docs/measuring.md says why each step is there. */
#ifndef HT_RUNTIME_MEASURE_TIMING_H
#define HT_RUNTIME_MEASURE_TIMING_H

#include "runtime/buffers/variant.h"
#include "runtime/measure/flush.h"
#include "runtime/measure/stats.h"
#include "runtime/provider/provider.h"

typedef struct ht_timer {
    const ht_hip *hip;
    const ht_provider *provider; /* for its clocks; NULL: none are read */
    const ht_device *device;     /* borrowed */
    hipEvent_t start, stop;
    double resolution_ms;  /* smallest step seen between two events */
    ht_flush *flush;       /* cold caches: run before every run; NULL: hot */
    double mhz_lo, mhz_hi; /* device clocks seen since ht_timer_begin; -1: not known */
    double mhz_peak;       /* in the timer's life */
    size_t discarded;      /* samples thrown away since then because the device throttled */
    size_t throttled;      /* samples kept although it did: it would not stop */
} ht_timer;

/* `device` and `provider` tell clocks; both may be NULL. With `cold`, allocates the flush buffer.
 */
ht_status ht_timer_create(const ht_hip *hip, const ht_provider *provider, const ht_device *device,
                          bool cold, ht_timer *out_timer, ht_error *error);
void ht_timer_destroy(ht_timer *timer);
/* Forgets clocks seen and samples counted. */
void ht_timer_begin(ht_timer *timer);

/* Warms the variant up and chooses how many launches make one sample: at least 1 ms or 20 timer
 * steps; with cold caches at least 20 steps, at most 64 launches. */
ht_status ht_timer_warm_up(ht_timer *timer, ht_variant *variant, unsigned *out_launches,
                           ht_error *error);
/* One sample, in milliseconds a run. Hot: `launches` runs between two events; restores inout
 * buffers before, outside of the timed part. Cold: as many single runs, each with restored buffers,
 * emptied caches and events of its own. A time that is not positive is HT_ERROR_LAUNCH. While the
 * device reports that it throttles, the sample is thrown away and taken again, a few times. */
ht_status ht_timer_sample(ht_timer *timer, ht_variant *variant, unsigned launches, double *out_ms,
                          ht_error *error);

/* Why sampling ended. */
typedef enum ht_stop {
    HT_STOP_BUDGET,   /* the time for it was over */
    HT_STOP_INTERVAL, /* the median's 95 % interval is narrow enough */
    HT_STOP_ENTROPY,  /* more samples tell nothing new: their entropy has stopped to change */
    HT_STOP_RACE      /* clearly slower than the control after three samples each */
} ht_stop;
const char *ht_stop_name(ht_stop stop);

/* How to measure. With a control, a variant already known, each sample is taken next to one of it
 * (A B, B A, ...) and given as control_ms * sample / its sample: what the time would have been on
 * the machine as it was when the control took control_ms. */
typedef struct ht_measuring {
    double budget; /* seconds */
    double relative_interval;
    ht_variant *control; /* NULL: none */
    unsigned control_launches;
    double control_ms;
    bool race; /* drop what is clearly slower than the control */
} ht_measuring;

typedef struct ht_samples {
    double *ms; /* owned; free() */
    size_t count;
    unsigned launches; /* of each */
    ht_stop stop;
    double control_ms; /* median of the control's samples taken next to it; 0 without */
} ht_samples;

enum { HT_SAMPLES_MIN = 5, HT_SAMPLES_MIN_LONG = 3, HT_SAMPLES_RACE = 3, HT_SAMPLES_MAX = 4000 };

/* Samples until the 95 % interval of the median is `relative_interval` of it wide, or the entropy
 * of the samples has stopped to change, or `budget` seconds have passed; but at least
 * HT_SAMPLES_MIN, or HT_SAMPLES_MIN_LONG once four times the budget has passed, or HT_SAMPLES_RACE
 * when dropped. The last to run is the variant itself. Free samples->ms. */
ht_status ht_timer_measure(ht_timer *timer, ht_variant *variant, const ht_measuring *how,
                           ht_samples *out_samples, ht_error *error);

#endif
