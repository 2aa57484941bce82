/* A job that tunes nothing: everything that tuning needs, once, and a kernel against itself. */
#include "base/clock.h"
#include "base/memory.h"
#include "runtime/doctor/doctor.h"
#include "runtime/job/job.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Differences smaller than this are what tuning is about; a machine that hides them is noisy. */
static const double FLOOR_FINE = 0.03;
static const double RESOLUTION_FINE_MS = 0.01;

static const char source[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(trial)\n"
    "#pragma tune param(BLOCK : 64 = 64)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(512)\n"
    "#pragma tune arg(in : in float[32768])\n"
    "#pragma tune arg(out : out float[32768])\n"
    "template <int BLOCK> __global__ void trial(const float *in, float *out) {\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    float value = in[i];\n"
    "    for (int k = 0; k < 16; ++k) value = value * 0.5f + in[i];\n"
    "    out[i] = value;\n"
    "}\n";

typedef struct trial {
    ht_findings *findings;
    const ht_device *device;
    double seconds;
} trial;

static void add(trial *trial, const char *what, ht_level level, const char *fix,
                const char *found) {
    char *name = ht_format("%s %s", trial->device->name, what);
    ht_findings_add(trial->findings, "timing", name, level, fix, "%s", found);
    free(name);
}

static void judge_conditions(trial *trial, const char *text) {
    json_t *conditions = text != NULL ? json_loads(text, 0, NULL) : NULL;
    double step = json_number_value(json_object_get(conditions, "timer_ms"));
    const json_t *mhz = json_object_get(conditions, "mhz");
    char *found = ht_format("steps of %.4g us", step * 1000);
    add(trial, "timer", step <= RESOLUTION_FINE_MS ? HT_LEVEL_FINE : HT_LEVEL_WARNING,
        "short kernels are launched many times a sample; nothing else to do", found);
    free(found);
    if (mhz != NULL) {
        found =
            ht_format("%.0f to %.0f MHz while timing", json_number_value(json_array_get(mhz, 0)),
                      json_number_value(json_array_get(mhz, 1)));
        add(trial, "clock", HT_LEVEL_FINE, NULL, found);
        free(found);
    }
    long long throttled = json_integer_value(json_object_get(conditions, "throttled")) +
                          json_integer_value(json_object_get(conditions, "discarded"));
    if (throttled > 0)
        add(trial, "throttling", HT_LEVEL_WARNING, "better cooling, or a lower power limit",
            "the device slowed itself down while it was timed");
    json_decref(conditions);
}

static void judge_floor(trial *trial, const ht_final *final) {
    double floor = fmax(final->speedup_hi - 1, 1 - final->speedup_lo);
    bool differs = ht_final_compare(final) != HT_COMPARISON_UNCLEAR;
    char *found = ht_format(
        "a kernel takes %.4f [%.4f, %.4f] of its own time in %zu rounds: differences "
        "below %.1f %% do not show in %.3g s%s",
        1 / final->speedup, 1 / final->speedup_hi, 1 / final->speedup_lo, final->timing.samples,
        100 * floor, trial->seconds,
        differs ? "; it should not differ from itself (once in a hundred times it may)" : "");
    bool fine = floor <= FLOOR_FINE && !differs;
    add(trial, "noise floor", fine ? HT_LEVEL_FINE : HT_LEVEL_WARNING,
        "a quieter machine: end other programs, fix clocks; what differs by less is said to be "
        "unclear",
        found);
    free(found);
}

static ht_status run_trial(trial *trial, const ht_binding *binding, const volatile int *interrupted,
                           ht_error *error) {
    ht_job_options options = {.seed = 1, .interrupted = interrupted};
    ht_job *job = NULL;
    double begin = ht_clock_seconds();
    ht_status status = ht_job_start(binding, trial->device, &options, &job, error);
    if (status != HT_OK)
        return status;
    ht_timing baseline = ht_job_baseline(job);
    char *found = ht_format("a small kernel was compiled, checked and timed in %.2f s: %.4g ms%s",
                            ht_clock_seconds() - begin, baseline.median_ms,
                            trial->device->emulated ? " (host emulation)" : "");
    add(trial, "job", HT_LEVEL_FINE, NULL, found);
    free(found);
    judge_conditions(trial, ht_job_conditions(job));
    ht_config config = ht_config_default(binding->template);
    ht_timing original;
    ht_final final;
    status = ht_job_finals(job, &config, 1, trial->seconds, &original, &final, error);
    if (status == HT_OK && final.status != HT_OK)
        status = ht_error_set(error, final.status, "%s", final.reason);
    if (status == HT_OK)
        judge_floor(trial, &final);
    ht_job_free(job);
    return status;
}

void ht_doctor_trial(ht_findings *findings, const ht_device *device, double seconds,
                     const volatile int *interrupted) {
    trial trial = {.findings = findings, .device = device, .seconds = seconds};
    ht_template *templates = NULL;
    size_t count = 0;
    ht_error error = {0};
    ht_status status = ht_template_parse(source, "trial.hip", &templates, &count, &error);
    if (status == HT_OK) {
        ht_binding binding = {.template = &templates[0], .device = &device->fields};
        status = run_trial(&trial, &binding, interrupted, &error);
        ht_template_free(templates, count);
    }
    if (status != HT_OK)
        add(&trial, "job", HT_LEVEL_MISSING, "the message tells what; then run doctor again",
            error.message);
}
