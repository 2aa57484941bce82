/* Sampling one variant until enough is known of it. */
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/measure/timing.h"

#include <math.h>
#include <stdlib.h>

/* Entropy is computed every N samples, its slope over the later half of the values. The slope is
 * NVBench's default (0.048 degrees): less than that in bits a sample is no news. */
enum { ENTROPY_EVERY = 4, ENTROPY_LOOKS_MIN = 16, ENTROPY_BIN_SAMPLES = 5 };
static const double ENTROPY_SLOPE = 0.00084;
static const double ENTROPY_BIN = 0.01; /* of the first samples' median */

/* A variant is dropped when every sample of it is this many times its control neighbour, and longer
 * than every sample of the control. Two equal variants have the second alone in 1 of 20 cases. */
static const double RACE_MARGIN = 1.2;

typedef struct sampling {
    ht_timer *timer;
    ht_variant *variant;
    const ht_measuring *how;
    ht_samples *samples;
    double *raw;     /* as many as samples */
    double *control; /* the control's, next to each; NULL without */
    double *entropy; /* one every ENTROPY_EVERY samples */
    size_t entropy_count;
    size_t next_look; /* sorting costs time too */
    bool control_last;
} sampling;

const char *ht_stop_name(ht_stop stop) {
    switch (stop) {
    case HT_STOP_INTERVAL:
        return "interval";
    case HT_STOP_ENTROPY:
        return "entropy";
    case HT_STOP_RACE:
        return "race";
    case HT_STOP_BUDGET:
        break;
    }
    return "budget";
}

/* Times the variant and its control, in turns first, so that a drift within the pair cancels. */
static ht_status take_pair(sampling *s, double *out_raw, double *out_control, ht_error *error) {
    const ht_measuring *how = s->how;
    bool control_first = s->samples->count % 2 == 0;
    ht_status status = HT_OK;
    for (int turn = 0; turn < 2 && status == HT_OK; ++turn) {
        if ((turn == 0) == control_first)
            status =
                ht_timer_sample(s->timer, how->control, how->control_launches, out_control, error);
        else
            status = ht_timer_sample(s->timer, s->variant, s->samples->launches, out_raw, error);
    }
    s->control_last = !control_first;
    return status;
}

static ht_status take_sample(sampling *s, ht_error *error) {
    size_t count = s->samples->count;
    double raw = 0, control = 0;
    ht_status status = s->how->control != NULL ? take_pair(s, &raw, &control, error)
                                               : ht_timer_sample(s->timer, s->variant,
                                                                 s->samples->launches, &raw, error);
    if (status != HT_OK)
        return status;
    HT_GROW(s->samples->ms, count);
    HT_GROW(s->raw, count);
    s->raw[count] = raw;
    s->samples->ms[count] = raw;
    if (s->how->control != NULL) {
        HT_GROW(s->control, count);
        s->control[count] = control;
        s->samples->ms[count] = s->how->control_ms * raw / control;
    }
    ++s->samples->count;
    return HT_OK;
}

static bool is_dropped(const sampling *s) {
    if (!s->how->race || s->how->control == NULL || s->samples->count != HT_SAMPLES_RACE)
        return false;
    double fastest = INFINITY, slowest = 0, ratio = INFINITY;
    for (size_t i = 0; i < HT_SAMPLES_RACE; ++i) {
        fastest = fmin(fastest, s->raw[i]);
        slowest = fmax(slowest, s->control[i]);
        ratio = fmin(ratio, s->raw[i] / s->control[i]);
    }
    return fastest > slowest && ratio > RACE_MARGIN;
}

static bool is_settled(sampling *s) {
    const ht_samples *samples = s->samples;
    if (samples->count < ENTROPY_BIN_SAMPLES || samples->count % ENTROPY_EVERY != 0)
        return false;
    double bin = ENTROPY_BIN * ht_stats_median(samples->ms, ENTROPY_BIN_SAMPLES);
    HT_GROW(s->entropy, s->entropy_count);
    s->entropy[s->entropy_count++] = ht_stats_entropy(samples->ms, samples->count, bin);
    if (s->entropy_count < ENTROPY_LOOKS_MIN)
        return false;
    size_t half = s->entropy_count / 2;
    return ht_stats_is_level(s->entropy + half, s->entropy_count - half,
                             ENTROPY_SLOPE * ENTROPY_EVERY);
}

static bool is_narrow(sampling *s) {
    const ht_samples *samples = s->samples;
    if (samples->count < s->next_look)
        return false;
    s->next_look = samples->count + 1 + samples->count / 8;
    ht_interval interval = ht_stats_median_interval(samples->ms, samples->count);
    return ht_interval_width(&interval) <= s->how->relative_interval;
}

/* Returns true if the budget has ended. Launches that outlast it by far are long enough to even out
 * noise by themselves. */
static bool is_over(size_t count, double seconds, double budget) {
    return count >= HT_SAMPLES_MAX || (count >= HT_SAMPLES_MIN && seconds >= budget) ||
           (count >= HT_SAMPLES_MIN_LONG && seconds >= 4 * budget);
}

static ht_status sample_until_enough(sampling *s, ht_error *error) {
    double begin = ht_clock_seconds();
    for (;;) {
        ht_status status = take_sample(s, error);
        if (status != HT_OK)
            return status;
        s->samples->stop = HT_STOP_BUDGET;
        if (is_dropped(s))
            s->samples->stop = HT_STOP_RACE;
        else if (is_narrow(s))
            s->samples->stop = HT_STOP_INTERVAL;
        else if (is_settled(s))
            s->samples->stop = HT_STOP_ENTROPY;
        else if (!is_over(s->samples->count, ht_clock_seconds() - begin, s->how->budget))
            continue;
        return HT_OK;
    }
}

ht_status ht_timer_measure(ht_timer *timer, ht_variant *variant, const ht_measuring *how,
                           ht_samples *out_samples, ht_error *error) {
    *out_samples = (ht_samples){0};
    /* With fewer no pair of samples encloses the median. */
    sampling s = {.timer = timer,
                  .variant = variant,
                  .how = how,
                  .samples = out_samples,
                  .next_look = HT_SAMPLES_MIN + 1};
    ht_timer_begin(timer);
    ht_status status = ht_timer_warm_up(timer, variant, &out_samples->launches, error);
    if (status == HT_OK)
        status = sample_until_enough(&s, error);
    double last = 0;
    if (status == HT_OK && s.control_last)
        status = ht_timer_sample(timer, variant, out_samples->launches, &last, error);
    if (status == HT_OK && s.control != NULL)
        out_samples->control_ms = ht_stats_median(s.control, out_samples->count);
    free(s.entropy);
    free(s.control);
    free(s.raw);
    if (status != HT_OK) {
        free(out_samples->ms);
        *out_samples = (ht_samples){0};
    }
    return status;
}
