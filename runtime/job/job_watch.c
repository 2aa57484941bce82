/* Times a kernel next to one that never changes, so that a slower machine shows as such. */
#include "runtime/job/job_internal.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdlib.h>

enum { ROUNDS_MIN = 8, SIDES = 2 + HT_WATCH_CONFIGS };

/* One that is timed. */
typedef struct side {
    ht_job *job;
    const ht_config *config;
    json_t *program; /* borrowed */
    ht_launch_set set;
    json_int_t slot;
    double *samples;
} side;

static ht_status ask(const side *side, const char *op, double *out_ms, ht_error *error) {
    bool load = op[0] == 'l';
    json_t *reply = NULL;
    json_t *request = load ? ht_job_run_request(op, side->config, side->program, side->set)
                           : json_pack("{s:s}", "op", op);
    json_object_set_new(request, "slot", json_integer(side->slot));
    ht_status status = ht_job_ask_runner(side->job, request, side->job->limits.run, &reply, error);
    if (out_ms)
        *out_ms = json_number_value(json_object_get(reply, "ms"));
    json_decref(reply);
    if (status == HT_OK && out_ms && !(*out_ms > 0))
        status = ht_error_set(error, HT_ERROR_INTERNAL, "a sample has no time");
    return status;
}

static ht_status rounds_run(const side *sides, size_t count, double seconds, ht_watch *out,
                            ht_error *error) {
    double begun = ht_clock_seconds();
    ht_status status = HT_OK;
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        status = ask(&sides[i], "load", NULL, error);
    while (status == HT_OK && out->rounds < HT_WATCH_ROUNDS &&
           (out->rounds < ROUNDS_MIN || ht_clock_seconds() - begun < seconds)) {
        for (size_t step = 0; step < count && status == HT_OK; ++step) {
            const side *side = &sides[out->rounds % 2 == 0 ? step : count - 1 - step];
            status = ask(side, "sample", &side->samples[out->rounds], error);
        }
        out->rounds += status == HT_OK;
    }
    for (size_t i = 0; i < count; ++i)
        if (sides[i].slot == 0 && sides[i].job->workers.runner.pid > 0)
            ask(&sides[i], "unload", NULL, NULL);
    return status;
}

static side original_of(ht_job *job, double *samples) {
    return (side){.job = job,
                  .config = &job->default_config,
                  .program = job->baseline.program,
                  .set = job->baseline.set,
                  .samples = samples};
}

/* Takes the samples of a recording, of a machine that is as fast every night. */
static ht_status recorded(ht_job *job, const ht_config *configs, size_t count, ht_watch *out,
                          ht_error *error) {
    out->rounds = HT_WATCH_ROUNDS;
    ht_status status = ht_job_recorded(job, NULL, out->original, &out->rounds, error);
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        status = ht_job_recorded(job, &configs[i], out->configs[i], &out->rounds, error);
    for (size_t i = 0; i < out->rounds; ++i)
        out->calibration[i] = 1;
    return status;
}

ht_status ht_job_watch(ht_job *job, ht_job *calibration, const ht_config *configs, size_t count,
                       double seconds, bool anew, ht_watch *out_watch, ht_error *error) {
    side sides[SIDES];
    ht_compile_task tasks[HT_WATCH_CONFIGS] = {0};
    out_watch->rounds = 0;
    count = count < HT_WATCH_CONFIGS ? count : HT_WATCH_CONFIGS;
    if (job->options.recording)
        return recorded(job, configs, count, out_watch, error);
    sides[0] = original_of(calibration, out_watch->calibration);
    sides[1] = original_of(job, out_watch->original);
    for (size_t i = 0; i < count; ++i)
        tasks[i].config = &configs[i];
    ht_status status = ht_job_gate_take(job, error);
    if (status != HT_OK)
        return status;
    if (anew) {
        ht_job_retire_runner(calibration);
        ht_job_retire_runner(job);
    }
    status = ht_job_compile(job, tasks, count, error);
    for (size_t i = 0; i < count; ++i) {
        sides[2 + i] = (side){.job = job,
                              .config = &configs[i],
                              .program = tasks[i].program,
                              .set = HT_LAUNCHES_OWN,
                              .slot = 1 + (json_int_t)i,
                              .samples = out_watch->configs[i]};
        if (status == HT_OK && tasks[i].status != HT_OK) {
            status = tasks[i].status;
            if (error)
                *error = tasks[i].error;
        }
    }
    if (status == HT_OK)
        status = rounds_run(sides, 2 + count, seconds, out_watch, error);
    ht_job_gate_release(job);
    for (size_t i = 0; i < count; ++i)
        ht_job_forget_program(job, tasks[i].program);
    return status;
}
