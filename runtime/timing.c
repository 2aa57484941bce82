#include "runtime/timing.h"

#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static const double SAMPLE_MS = 1.0;       /* a sample is at least this long... */
static const double RESOLUTION_STEPS = 20; /* ...and this many timer steps */
static const double WARM_UP_SECONDS =
    0.02; /* keep launching for so long, but at most WARM_UP_RUNS */
enum { WARM_UP_RUNS = 10, LAUNCHES_MAX = 4096, LAUNCHES_MAX_INOUT = 8, RESOLUTION_TRIES = 32 };

static ht_status elapsed(ht_timer *timer, double *out_ms, ht_error *error) {
    float ms = 0;
    ht_status status =
        ht_hip_check(timer->hip, timer->hip->hipEventSynchronize(timer->stop), "running", error);
    if (status == HT_OK)
        status = ht_hip_check(timer->hip,
                              timer->hip->hipEventElapsedTime(&ms, timer->start, timer->stop),
                              "reading the timer", error);
    *out_ms = ms;
    return status;
}

static ht_status time_launches(ht_timer *timer, ht_variant *variant, unsigned launches,
                               double *out_ms, ht_error *error) {
    const ht_hip *hip = timer->hip;
    ht_status status =
        ht_hip_check(hip, hip->hipEventRecord(timer->start, NULL), "starting the timer", error);
    for (unsigned i = 0; i < launches && status == HT_OK; ++i)
        status = ht_variant_launch(variant, error);
    if (status == HT_OK)
        status =
            ht_hip_check(hip, hip->hipEventRecord(timer->stop, NULL), "stopping the timer", error);
    return status == HT_OK ? elapsed(timer, out_ms, error) : status;
}

ht_status ht_timer_create(const ht_hip *hip, ht_timer *out_timer, ht_error *error) {
    *out_timer = (ht_timer){.hip = hip, .resolution_ms = INFINITY};
    ht_status status =
        ht_hip_check(hip, hip->hipEventCreate(&out_timer->start), "creating a timer", error);
    if (status == HT_OK)
        status =
            ht_hip_check(hip, hip->hipEventCreate(&out_timer->stop), "creating a timer", error);
    for (int i = 0; i < RESOLUTION_TRIES && status == HT_OK; ++i) {
        double ms = 0;
        status = time_launches(out_timer, NULL, 0, &ms, error);
        if (ms > 0)
            out_timer->resolution_ms = fmin(out_timer->resolution_ms, ms);
    }
    if (isinf(out_timer->resolution_ms))
        out_timer->resolution_ms =
            0.001; /* never saw a step: assume HIP's documented microsecond */
    return status;
}

void ht_timer_destroy(ht_timer *timer) {
    if (timer->start != NULL)
        timer->hip->hipEventDestroy(timer->start);
    if (timer->stop != NULL)
        timer->hip->hipEventDestroy(timer->stop);
    *timer = (ht_timer){0};
}

ht_status ht_timer_sample(ht_timer *timer, ht_variant *variant, unsigned launches, double *out_ms,
                          ht_error *error) {
    ht_status status = ht_buffers_restore(ht_variant_buffers(variant), error);
    if (status == HT_OK)
        status = time_launches(timer, variant, launches, out_ms, error);
    if (status != HT_OK)
        return status;
    if (!(*out_ms > 0) || !isfinite(*out_ms))
        return ht_error_set(error, HT_ERROR_LAUNCH, "the timer gave %g ms for %u launches", *out_ms,
                            launches);
    *out_ms /= launches;
    return HT_OK;
}

ht_status ht_timer_warm_up(ht_timer *timer, ht_variant *variant, unsigned *out_launches,
                           ht_error *error) {
    *out_launches = 1;
    if (ht_variant_seconds(variant) > WARM_UP_SECONDS)
        return HT_OK; /* the checked run was warm-up enough */
    double wanted = fmax(SAMPLE_MS, RESOLUTION_STEPS * timer->resolution_ms);
    double begin = ht_clock_seconds(), fastest = INFINITY;
    for (int run = 0; run < WARM_UP_RUNS; ++run) {
        double ms = 0;
        ht_status status = ht_buffers_restore(ht_variant_buffers(variant), error);
        if (status == HT_OK)
            status = time_launches(timer, variant, 1, &ms, error);
        if (status != HT_OK)
            return status;
        fastest = fmin(fastest, fmax(ms, timer->resolution_ms));
        if (ht_clock_seconds() - begin > WARM_UP_SECONDS)
            break;
    }
    /* Repeated runs of an inout kernel feed on their own results, which must stay ordinary numbers.
     */
    double most =
        ht_buffers_has_inout(ht_variant_buffers(variant)) ? LAUNCHES_MAX_INOUT : LAUNCHES_MAX;
    *out_launches = (unsigned)fmax(1, fmin(ceil(wanted / fastest), most));
    return HT_OK;
}

/* Has the budget ended? Launches that outlast it by far are long enough to even out noise by
 * themselves. */
static bool enough(size_t count, double seconds, double budget) {
    return (count >= HT_SAMPLES_MIN && seconds >= budget) ||
           (count >= HT_SAMPLES_MIN_LONG && seconds >= 4 * budget);
}

ht_status ht_timer_measure(ht_timer *timer, ht_variant *variant, double budget,
                           double relative_interval, ht_samples *out_samples, ht_error *error) {
    *out_samples = (ht_samples){0};
    unsigned launches = 1;
    ht_status status = ht_timer_warm_up(timer, variant, &launches, error);
    double begin = ht_clock_seconds();
    size_t next_look = HT_SAMPLES_MIN + 1; /* with fewer no pair of samples encloses the median */
    while (status == HT_OK && out_samples->count < HT_SAMPLES_MAX) {
        double ms = 0;
        status = ht_timer_sample(timer, variant, launches, &ms, error);
        if (status != HT_OK)
            break;
        HT_GROW(out_samples->ms, out_samples->count);
        out_samples->ms[out_samples->count++] = ms;
        if (enough(out_samples->count, ht_clock_seconds() - begin, budget))
            break;
        if (out_samples->count < next_look)
            continue;
        ht_interval interval = ht_stats_median_interval(out_samples->ms, out_samples->count);
        if (ht_interval_width(&interval) <= relative_interval)
            break;
        next_look = out_samples->count + 1 + out_samples->count / 8; /* sorting costs time too */
    }
    if (status != HT_OK) {
        free(out_samples->ms);
        *out_samples = (ht_samples){0};
    }
    return status;
}
