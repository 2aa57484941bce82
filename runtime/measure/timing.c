#include "runtime/measure/timing.h"

#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const double SAMPLE_MS = 1.0;       /* a sample is at least this long... */
static const double RESOLUTION_STEPS = 20; /* ...and this many timer steps */
static const double WARM_UP_SECONDS =
    0.02; /* keep launching for this long, but at most WARM_UP_RUNS */
enum {
    WARM_UP_RUNS = 10,
    LAUNCHES_MAX = 4096,
    LAUNCHES_MAX_INOUT = 8,
    LAUNCHES_MAX_COLD = 64,
    RESOLUTION_TRIES = 32,
    THROTTLE_TRIES = 4,     /* a sample */
    THROTTLE_DISCARDS = 40, /* a measurement: after this many the device will not recover */
    THROTTLE_REST_US = 20000
};
static const double CLOSE_TO_WANTED = 0.7; /* of a sample's length: no reason to enlarge it */
static const double CLOCK_KEPT = 0.9;      /* of the highest clock seen; lower is throttled */

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

static ht_clocks read_clocks(const ht_timer *timer) {
    ht_clocks clocks = {.mhz = -1, .throttled = -1};
    if (timer->provider != NULL && timer->provider->clocks != NULL)
        timer->provider->clocks(timer->device, &clocks);
    return clocks;
}

void ht_timer_begin(ht_timer *timer) {
    timer->mhz_lo = timer->mhz_hi = -1;
    timer->discarded = timer->throttled = 0;
}

static void note_clock(ht_timer *timer, double mhz) {
    if (mhz <= 0)
        return;
    timer->mhz_lo = timer->mhz_lo < 0 ? mhz : fmin(timer->mhz_lo, mhz);
    timer->mhz_hi = fmax(timer->mhz_hi, mhz);
    timer->mhz_peak = fmax(timer->mhz_peak, mhz);
}

/* Returns true if the device has throttled. The cores of an emulated device change their clocks
 * with whatever else runs, many times a second: there only the counter counts. */
static bool has_throttled(const ht_timer *timer, const ht_clocks *before, const ht_clocks *after) {
    if (before->throttled >= 0 && after->throttled > before->throttled)
        return true;
    return !timer->device->emulated && after->mhz > 0 && after->mhz < CLOCK_KEPT * timer->mhz_peak;
}

ht_status ht_timer_create(const ht_hip *hip, const ht_provider *provider, const ht_device *device,
                          bool cold, ht_timer *out_timer, ht_error *error) {
    *out_timer = (ht_timer){.hip = hip, .resolution_ms = INFINITY, .provider = provider};
    out_timer->device = device;
    if (device == NULL)
        out_timer->provider = NULL;
    ht_timer_begin(out_timer);
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
    if (status == HT_OK && cold)
        status = ht_flush_create(hip, device != NULL && device->emulated, &out_timer->flush, error);
    return status;
}

void ht_timer_destroy(ht_timer *timer) {
    if (timer->start != NULL)
        timer->hip->hipEventDestroy(timer->start);
    if (timer->stop != NULL)
        timer->hip->hipEventDestroy(timer->stop);
    ht_flush_free(timer->flush);
    *timer = (ht_timer){0};
}

/* Times runs one by one, each on emptied caches. */
static ht_status time_cold(ht_timer *timer, ht_variant *variant, unsigned launches, double *out_ms,
                           ht_error *error) {
    *out_ms = 0;
    ht_status status = HT_OK;
    for (unsigned i = 0; i < launches && status == HT_OK; ++i) {
        double ms = 0;
        status = ht_buffers_restore(ht_variant_buffers(variant), error);
        if (status == HT_OK)
            status = ht_flush_run(timer->flush, error);
        if (status == HT_OK)
            status = time_launches(timer, variant, 1, &ms, error);
        *out_ms += ms;
    }
    return status;
}

static ht_status take(ht_timer *timer, ht_variant *variant, unsigned launches, double *out_ms,
                      ht_error *error) {
    ht_status status = HT_OK;
    if (timer->flush != NULL) {
        status = time_cold(timer, variant, launches, out_ms, error);
    } else {
        status = ht_buffers_restore(ht_variant_buffers(variant), error);
        if (status == HT_OK)
            status = time_launches(timer, variant, launches, out_ms, error);
    }
    if (status != HT_OK)
        return status;
    if (!(*out_ms > 0) || !isfinite(*out_ms))
        return ht_error_set(error, HT_ERROR_LAUNCH, "the timer gave %g ms for %u launches", *out_ms,
                            launches);
    *out_ms /= launches;
    return HT_OK;
}

ht_status ht_timer_sample(ht_timer *timer, ht_variant *variant, unsigned launches, double *out_ms,
                          ht_error *error) {
    for (int attempt = 1;; ++attempt) {
        ht_clocks before = read_clocks(timer);
        ht_status status = take(timer, variant, launches, out_ms, error);
        if (status != HT_OK)
            return status;
        ht_clocks after = read_clocks(timer);
        note_clock(timer, after.mhz);
        if (timer->device == NULL || !has_throttled(timer, &before, &after))
            return HT_OK;
        if (attempt == THROTTLE_TRIES || timer->discarded == THROTTLE_DISCARDS) {
            ++timer->throttled;
            return HT_OK;
        }
        ++timer->discarded;
        usleep(THROTTLE_REST_US);
    }
}

/* Returns the most launches of a sample. Repeated runs of an inout kernel feed on their own
 * results, which must stay ordinary numbers; emptying caches takes long. */
static double launches_most(const ht_timer *timer, const ht_variant *variant) {
    if (timer->flush != NULL)
        return LAUNCHES_MAX_COLD;
    return ht_buffers_has_inout(ht_variant_buffers(variant)) ? LAUNCHES_MAX_INOUT : LAUNCHES_MAX;
}

/* Adds launches until a sample is as long as wanted: one alone may be shorter than a step. */
static ht_status enlarge(ht_timer *timer, ht_variant *variant, double wanted, unsigned most,
                         unsigned *launches, ht_error *error) {
    while (*launches < most) {
        double ms = 0;
        ht_status status = ht_buffers_restore(ht_variant_buffers(variant), error);
        if (status == HT_OK)
            status = time_launches(timer, variant, *launches, &ms, error);
        if (status != HT_OK || ms >= CLOSE_TO_WANTED * wanted)
            return status;
        double factor = fmax(2, fmin(wanted / fmax(ms, timer->resolution_ms), most));
        *launches = (unsigned)fmin(most, ceil(*launches * factor));
    }
    return HT_OK;
}

ht_status ht_timer_warm_up(ht_timer *timer, ht_variant *variant, unsigned *out_launches,
                           ht_error *error) {
    *out_launches = 1;
    if (ht_variant_seconds(variant) > WARM_UP_SECONDS)
        return HT_OK; /* the checked run was warm-up enough */
    double wanted = RESOLUTION_STEPS * timer->resolution_ms;
    if (timer->flush == NULL)
        wanted = fmax(SAMPLE_MS, wanted);
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
    double most = launches_most(timer, variant);
    *out_launches = (unsigned)fmax(1, fmin(ceil(wanted / fastest), most));
    return enlarge(timer, variant, wanted, (unsigned)most, out_launches, error);
}
