#include "runtime/job_internal.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ht_status ht_job_start_worker(ht_job *job, ht_process *process, const char *role, ht_error *error) {
    ht_status status = ht_process_start(process, error);
    if (status != HT_OK)
        return status;
    ht_process_ask(process, json_pack("{s:s, s:s}", "op", "start", "role", role), HT_START_SECONDS);
    json_t *reply = NULL;
    size_t index = 0;
    status = ht_process_wait(process, 1, job->options.interrupted, &index, &reply);
    if (status == HT_OK) {
        status = ht_message_get_error(reply, error);
        json_decref(reply);
        process->requests = 0;
        if (status == HT_OK)
            return HT_OK;
        ht_process_kill(process);
        if (ht_job_fatal(status))
            return status;
        ht_error_prefix(error, "a %s worker for %s did not start: ", role, job->device->name);
        return HT_ERROR_MISSING;
    }
    char evidence[200];
    ht_process_evidence(process, evidence, sizeof evidence);
    if (status == HT_ERROR_INTERRUPTED)
        return ht_error_set(error, status, "interrupted");
    /* No fault of any variant: the job cannot go on. */
    return ht_error_set(error, HT_ERROR_MISSING, "a %s worker for %s did not start: %s", role,
                        job->device->name,
                        status == HT_ERROR_TIMEOUT ? "no answer in time" : evidence);
}

static ht_status ready_runner(ht_job *job, ht_error *error) {
    if (job->runner.pid > 0)
        return HT_OK;
    ht_status status = ht_job_start_worker(job, &job->runner, "run", error);
    if (status != HT_OK || job->expect_file == NULL)
        return status;
    json_t *reply = NULL;
    status =
        ht_job_ask_runner(job, json_pack("{s:s, s:s}", "op", "expect", "file", job->expect_file),
                          HT_START_SECONDS, &reply, error);
    json_decref(reply);
    job->runner.requests = 0;
    return status;
}

/* What a worker's end means for what it was asked to do. */
static ht_status describe_end(ht_process *process, ht_status status, double seconds,
                              ht_error *error) {
    char evidence[200];
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

ht_status ht_job_ask_runner(ht_job *job, json_t *request, double seconds, json_t **out_reply,
                            ht_error *error) {
    *out_reply = NULL;
    ht_status status = ready_runner(job, error);
    if (status != HT_OK) {
        json_decref(request);
        return status;
    }
    size_t index = 0;
    ht_process_ask(&job->runner, request, seconds);
    status = ht_process_wait(&job->runner, 1, job->options.interrupted, &index, out_reply);
    if (status == HT_OK)
        return ht_message_get_error(*out_reply, error);
    if (status != HT_ERROR_INTERRUPTED)
        ++job->counts.worker_restarts;
    return describe_end(&job->runner, status, seconds, error);
}

static void retire_runner(ht_job *job) {
    ht_process_kill(&job->runner);
    ++job->counts.worker_restarts;
}

/* A kernel that wrote outside a buffer may have written elsewhere too; a device that refused a
 * launch may be left in any state. Neither process is asked to judge another variant. */
static bool leaves_ruins(ht_status status, const ht_error *error) {
    return status == HT_ERROR_LAUNCH ||
           (status == HT_ERROR_MISMATCH && strncmp(error->message, "guard:", 6) == 0);
}

ht_status ht_job_ask_measure(ht_job *job, json_t *request, double seconds, json_t **out_reply,
                             ht_error *error) {
    ht_error own = {0};
    bool used = job->runner.pid > 0 && job->runner.requests > 0;
    json_incref(request);
    ht_status status = ht_job_ask_runner(job, request, seconds, out_reply, &own);
    if (status == HT_ERROR_CRASH && used) {
        json_decref(*out_reply);
        json_incref(request);
        status = ht_job_ask_runner(job, request, seconds, out_reply, &own);
    }
    json_decref(request);
    if (leaves_ruins(status, &own))
        retire_runner(job);
    if (status != HT_OK && error != NULL)
        *error = own;
    return status;
}

bool ht_job_fatal(ht_status status) {
    return status == HT_ERROR_INTERRUPTED || status == HT_ERROR_IO || status == HT_ERROR_INTERNAL ||
           status == HT_ERROR_MISSING;
}

json_t *ht_job_run_request(const char *op, const ht_config *config, json_t *program,
                           bool reference) {
    json_t *request = json_object();
    json_object_set_new(request, "op", json_string(op));
    json_object_set_new(request, "config", ht_message_config(config));
    json_object_set(request, "program", program);
    json_object_set_new(request, "reference", json_boolean(reference));
    return request;
}

void ht_job_forget_program(ht_job *job, json_t *program) {
    const char *file = json_string_value(json_object_get(program, "code"));
    if (file != NULL) {
        char *path = ht_path_join(job->folder, file);
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
    for (size_t i = 0; i < *out_count; ++i)
        samples[i] = json_number_value(json_array_get(array, i));
    return samples;
}
