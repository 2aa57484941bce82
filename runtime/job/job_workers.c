#include "runtime/job/job_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the limit of memory. A worker that checks remembers much of every element, most of it
 * never touched, and may have AddressSanitizer's shadow. */
static json_int_t memory_limit(const ht_job *job, const char *role) {
    return strcmp(role, "check") == 0 ? (json_int_t)1 << 50 : (json_int_t)job->options.memory_limit;
}

/* Starts a worker once. */
static ht_status try_start(ht_job *job, ht_process *process, const char *role, ht_error *error) {
    ht_status status = ht_process_start(process, error);
    if (status != HT_OK)
        return status;
    json_t *request = json_pack("{s:s, s:s, s:b, s:I, s:s}", "op", "start", "role", role, "cold",
                                job->options.cold_cache, "memory", memory_limit(job, role),
                                "sandbox", ht_sandbox_mode_name(ht_sandbox_chosen()));
    ht_process_ask(process, request, HT_START_SECONDS);
    json_t *reply = NULL;
    size_t index = 0;
    status = ht_process_wait(process, 1, job->options.interrupted, &index, &reply);
    if (status == HT_OK) {
        status = ht_message_get_error(reply, error);
        json_decref(reply);
        process->requests = 0;
        if (status != HT_OK)
            ht_process_kill(process);
        return status;
    }
    char evidence[HT_EVIDENCE_MAX];
    ht_process_evidence(process, evidence, sizeof evidence);
    if (status == HT_ERROR_INTERRUPTED)
        return ht_error_set(error, status, "interrupted");
    return ht_error_set(error, status, "%s",
                        status == HT_ERROR_TIMEOUT ? "no answer in time" : evidence);
}

ht_status ht_job_start_worker(ht_job *job, ht_process *process, const char *role, ht_error *error) {
    ht_status status = HT_OK;
    for (int kills = 0; kills < HT_OUTSIDE_KILLS; ++kills) {
        status = try_start(job, process, role, error);
        if (status != HT_ERROR_CRASH || !ht_process_killed_outside(process))
            break;
    }
    if (status == HT_OK || ht_job_fatal(status))
        return status;
    /* No fault of any variant: the job cannot go on. */
    ht_error_prefix(error, "a %s worker for %s did not start: ", role, job->device->name);
    if (error != NULL)
        error->status = HT_ERROR_MISSING;
    return HT_ERROR_MISSING;
}

void ht_job_order(ht_job *job, ht_process *process, const char *op) {
    json_t *reply = NULL;
    size_t index = 0;
    if (process->pid <= 0)
        return;
    ht_process_ask(process, json_pack("{s:s}", "op", op), HT_START_SECONDS);
    ht_status status = ht_process_wait(process, 1, job->options.interrupted, &index, &reply);
    if (status != HT_OK || ht_message_get_error(reply, NULL) != HT_OK)
        ht_process_kill(process);
    json_decref(reply);
}

static ht_status ready_runner(ht_job *job, ht_error *error) {
    bool runs = job->workers.runner.pid > 0;
    if (runs && !job->workers.forgot)
        return HT_OK;
    job->workers.forgot = false;
    ht_status status = runs ? HT_OK : ht_job_start_worker(job, &job->workers.runner, "run", error);
    if (status != HT_OK || job->reference.expect_file == NULL)
        return status;
    json_t *reply = NULL;
    status = ht_job_ask_runner(
        job, json_pack("{s:s, s:s}", "op", "expect", "file", job->reference.expect_file),
        HT_START_SECONDS, &reply, error);
    json_decref(reply);
    job->workers.runner.requests = 0;
    return status;
}

/* Describes what a worker's end means for its request. */
static ht_status describe_end(ht_process *process, ht_status status, double seconds,
                              ht_error *error) {
    char evidence[HT_EVIDENCE_MAX];
    switch (status) {
    case HT_ERROR_CRASH:
        ht_process_evidence(process, evidence, sizeof evidence);
        return ht_error_set(error, status, "%s", evidence);
    case HT_ERROR_TIMEOUT:
        return ht_error_set(error, status, "no end within %.3g s", seconds);
    default:
        return ht_error_set(error, status, "interrupted");
    }
}

/* Returns true for statuses that a process which runs kernels has no business to report of a
 * request: these end a job. */
static bool is_no_verdict(ht_status status) {
    return status == HT_ERROR_INTERRUPTED || status == HT_ERROR_MISSING ||
           status == HT_ERROR_DEVICE || status == HT_ERROR_INTERNAL;
}

static ht_status end_liar(ht_job *job, json_t **out_reply, ht_error *error) {
    json_decref(*out_reply);
    *out_reply = NULL;
    ht_error_prefix(error, "the worker went wrong: ");
    if (error != NULL)
        error->status = HT_ERROR_CRASH;
    ht_process_kill(&job->workers.runner);
    ++job->counts.worker_restarts;
    return HT_ERROR_CRASH;
}

ht_status ht_job_ask_runner(ht_job *job, json_t *request, double seconds, json_t **out_reply,
                            ht_error *error) {
    *out_reply = NULL;
    ht_status status = ready_runner(job, error);
    if (status != HT_OK) {
        json_decref(request);
        return status;
    }
    size_t index = 0;
    ht_process_ask(&job->workers.runner, request, seconds);
    status = ht_process_wait(&job->workers.runner, 1, job->options.interrupted, &index, out_reply);
    if (status == HT_OK) {
        status = ht_message_get_error(*out_reply, error);
        return is_no_verdict(status) ? end_liar(job, out_reply, error) : status;
    }
    if (status != HT_ERROR_INTERRUPTED)
        ++job->counts.worker_restarts;
    return describe_end(&job->workers.runner, status, seconds, error);
}

ht_status ht_job_ask_steady(ht_job *job, json_t *request, double seconds, json_t **out_reply,
                            ht_error *error) {
    ht_status status = HT_OK;
    *out_reply = NULL;
    for (int kills = 0; kills < HT_OUTSIDE_KILLS; ++kills) {
        json_decref(*out_reply);
        json_incref(request);
        status = ht_job_ask_runner(job, request, seconds, out_reply, error);
        if (status != HT_ERROR_CRASH || job->workers.runner.pid > 0 ||
            !ht_process_killed_outside(&job->workers.runner))
            break;
    }
    json_decref(request);
    return status;
}

void ht_job_retire_runner(ht_job *job) {
    if (job->workers.runner.pid <= 0)
        return;
    ht_process_kill(&job->workers.runner);
    ++job->counts.worker_restarts;
}

bool ht_job_fatal(ht_status status) {
    return status == HT_ERROR_INTERRUPTED || status == HT_ERROR_IO || status == HT_ERROR_INTERNAL ||
           status == HT_ERROR_MISSING || status == HT_ERROR_DEVICE;
}

json_t *ht_job_run_request(const char *op, const ht_config *config, json_t *program,
                           ht_launch_set set) {
    json_t *request = json_object();
    json_object_set_new(request, "op", json_string(op));
    json_object_set_new(request, "config", ht_message_config(config));
    json_object_set(request, "program", program);
    json_object_set_new(request, "launches", json_integer(set));
    return request;
}

void ht_job_forget_program(ht_job *job, json_t *program) {
    const char *file = json_string_value(json_object_get(program, "code"));
    if (file != NULL) {
        char *path = ht_path_join(job->folder.path, file);
        unlink(path);
        free(path);
    }
    json_decref(program);
}

double *ht_job_samples(const json_t *reply, size_t *out_count) {
    const json_t *array = json_object_get(reply, "samples");
    *out_count = json_array_size(array);
    if (*out_count == 0)
        return NULL;
    double *samples = ht_alloc(*out_count, sizeof *samples);
    bool good = true;
    for (size_t i = 0; i < *out_count; ++i) {
        samples[i] = json_number_value(json_array_get(array, i));
        good = good && samples[i] > 0;
    }
    if (!good) {
        free(samples);
        samples = NULL;
        *out_count = 0;
    }
    return samples;
}
