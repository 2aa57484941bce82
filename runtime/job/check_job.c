/* Checking, seen from the tuner: compile for it, ask the worker, keep its answer. */
#include "runtime/job/check.h"

#include "base/clock.h"
#include "base/memory.h"
#include "runtime/host/check.h"
#include "runtime/job/job_verify.h"

#include <stdlib.h>
#include <string.h>

/* A check is some hundred times slower than a plain run, four times over, of a part of the
 * blocks. */
enum { CHECK_SECONDS = 120, ALL_BLOCKS_FACTOR = 30 };

bool ht_check_possible(const ht_device *device) {
    return strcmp(device->provider, "host") == 0;
}

bool ht_check_has_sanitizer(void) {
    return ht_check_environment()[0] != NULL;
}

const char *ht_check_finding_kind(const ht_check_result *result) {
    return json_string_value(json_object_get(json_object_get(result->details, "finding"), "kind"));
}

void ht_check_result_free(ht_check_result *result) {
    json_decref(result->details);
    *result = (ht_check_result){0};
}

static ht_status ask(ht_job *job, json_t *request, double seconds, json_t **out_reply,
                     ht_error *error) {
    size_t index = 0;
    *out_reply = NULL;
    ht_process_ask(&job->workers.checker, request, seconds);
    ht_status status =
        ht_process_wait(&job->workers.checker, 1, job->options.interrupted, &index, out_reply);
    if (status == HT_OK)
        return ht_message_get_error(*out_reply, error);
    char evidence[HT_EVIDENCE_MAX];
    ++job->counts.worker_restarts;
    if (status == HT_ERROR_TIMEOUT)
        return ht_error_set(error, status, "check: no end within %.3g s", seconds);
    if (status == HT_ERROR_INTERRUPTED)
        return ht_error_set(error, status, "interrupted");
    ht_process_evidence(&job->workers.checker, evidence, sizeof evidence);
    return ht_error_set(error, status, "check: %s", evidence);
}

/* Starts the checker with an environment of its own: ours is put back. */
static ht_status start_checker(ht_job *job, ht_error *error) {
    const char *const *wanted = ht_check_environment();
    size_t count = 0;
    while (wanted[count])
        count += 2;
    char **before = ht_alloc(count / 2 + 1, sizeof *before);
    for (size_t i = 0; i < count; i += 2) {
        const char *value = getenv(wanted[i]);
        before[i / 2] = value ? ht_strdup(value) : NULL;
        setenv(wanted[i], wanted[i + 1], 1);
    }
    ht_status status = ht_job_start_worker(job, &job->workers.checker, "check", error);
    for (size_t i = 0; i < count; i += 2) {
        if (before[i / 2])
            setenv(wanted[i], before[i / 2], 1);
        else
            unsetenv(wanted[i]);
        free(before[i / 2]);
    }
    free(before);
    return status;
}

static ht_status ready(ht_job *job, ht_error *error) {
    ht_status status = HT_OK;
    if (job->workers.checker.pid <= 0)
        status = start_checker(job, error);
    if (status != HT_OK)
        return status;
    json_t *reply = NULL;
    status = ask(job, json_pack("{s:s, s:s}", "op", "expect", "file", job->reference.expect_file),
                 HT_START_SECONDS, &reply, error);
    json_decref(reply);
    return status;
}

/* Asks (`request` is stolen), once more when somebody outside killed the checker. Its words on the
 * program are in `out`; an error is one of the checker itself. */
static ht_status ask_steady(ht_job *job, json_t *request, double seconds, json_t **out_reply,
                            ht_check_result *out, ht_error *error) {
    ht_status status = HT_OK;
    for (int kills = 0; kills < HT_OUTSIDE_KILLS; ++kills) {
        json_decref(*out_reply);
        *out_reply = NULL;
        out->status = status = ready(job, error);
        if (status == HT_OK)
            out->status = ask(job, json_incref(request), seconds, out_reply, error);
        if (out->status != HT_ERROR_CRASH || job->workers.checker.pid > 0 ||
            !ht_process_killed_outside(&job->workers.checker))
            break;
    }
    json_decref(request);
    return status;
}

ht_status ht_check_result_finish(ht_check_result *out, const ht_error *own, ht_error *error) {
    if (ht_job_fatal(out->status)) {
        if (error != NULL)
            *error = *own;
        return out->status;
    }
    if (out->status != HT_OK) {
        ht_text reason = {0};
        ht_job_reason(out->status, own, &reason);
        ht_text_shorten(reason.data, out->reason, sizeof out->reason);
        ht_text_shorten(own->message, out->message, sizeof out->message);
        ht_text_free(&reason);
    }
    return HT_OK;
}

ht_status ht_job_check_program(ht_job *job, const ht_compile_task *task,
                               const ht_check_settings *settings, ht_check_result *out,
                               ht_error *error) {
    double begin = ht_clock_seconds();
    ht_error own = {0};
    out->status = task->status;
    json_t *reply = NULL;
    if (job->options.only_check && !job->workers.forgot) {
        ht_job_order(job, &job->workers.runner, "forget"); /* it made the reference: memory */
        job->workers.forgot = true;
    }
    if (task->status == HT_OK) {
        json_t *request = ht_job_run_request("check", task->config, task->program, task->set);
        uint64_t accesses = settings->all_blocks ? 0
                            : settings->accesses ? settings->accesses
                                                 : HT_CHECK_ACCESSES;
        json_object_set_new(request, "accesses", json_integer((json_int_t)accesses));
        if (settings->ended)
            json_object_set_new(request, "ended", json_true());
        if (settings->every_output)
            json_object_set_new(
                request, "affordable",
                json_integer(
                    (json_int_t)(settings->affordable ? settings->affordable : HT_CHECK_ACCESSES)));
        double usual = CHECK_SECONDS * (settings->all_blocks ? (double)ALL_BLOCKS_FACTOR : 1);
        double seconds = settings->seconds > 0 ? settings->seconds : usual;
        ht_status status = ask_steady(job, request, seconds, &reply, out, &own);
        if (status != HT_OK) {
            if (error != NULL)
                *error = own;
            return status;
        }
    } else {
        own = task->error;
    }
    job->workers.doubtful = job->workers.doubtful || out->status != HT_OK;
    if (json_is_true(json_object_get(reply, "spent")))
        ht_process_kill(&job->workers.checker);
    out->details = json_incref(json_object_get(reply, "check"));
    json_decref(reply);
    out->seconds = task->seconds + ht_clock_seconds() - begin;
    return ht_check_result_finish(out, &own, error);
}

static ht_status run_checks(ht_job *job, ht_compile_task *tasks, size_t count,
                            const ht_check_settings *settings, ht_check_result *out_results,
                            ht_error *error) {
    memset(out_results, 0, count * sizeof *out_results);
    if (!ht_check_possible(job->device))
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "device %s has no checking mode; check on --device host",
                            job->device->name);
    ht_status status = ht_job_compile(job, tasks, count, error);
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        status = ht_job_check_program(job, &tasks[i], settings, &out_results[i], error);
    for (size_t i = 0; i < count; ++i)
        ht_job_forget_program(job, tasks[i].program);
    return status;
}

ht_status ht_job_check(ht_job *job, const ht_config *configs, size_t count,
                       const ht_check_settings *settings, ht_check_result *out_results,
                       ht_error *error) {
    ht_compile_task *tasks = ht_alloc(count, sizeof *tasks);
    for (size_t i = 0; i < count; ++i)
        tasks[i] =
            (ht_compile_task){.config = &configs[i], .checked = true, .counted = settings->count};
    ht_status status = run_checks(job, tasks, count, settings, out_results, error);
    free(tasks);
    return status;
}

const char *ht_job_original_finding(const ht_job *job) {
    return job->original_check.finding;
}

static const char *kind_of(const ht_check_result *result) {
    const json_t *finding = json_object_get(result->details, "finding");
    const char *kind = json_string_value(json_object_get(finding, "kind"));
    return kind ? kind : ht_status_name(result->status);
}

static const ht_check_settings tuning_settings = {.accesses = HT_CHECK_TUNING_ACCESSES};

/* Keeps what the original's check found: findings of its kind are not held against variants. */
static void original_take(ht_job *job, const ht_check_result *result) {
    job->original_check.done = true;
    if (result->status == HT_OK)
        return;
    job->original_check.finding = ht_strdup(result->reason);
    snprintf(job->original_check.kind, sizeof job->original_check.kind, "%s", kind_of(result));
}

static void variant_judge(const ht_job *job, const ht_check_result *result, ht_status *out_status,
                          ht_error *why) {
    *out_status = HT_OK;
    if (result->status == HT_OK || strcmp(job->original_check.kind, kind_of(result)) == 0)
        return;
    *out_status = result->status;
    ht_error_set(why, result->status, "%s", result->message);
}

ht_status ht_job_check_variants(ht_job *job, const ht_config *const *configs, size_t count,
                                ht_check_when turn, ht_status *out_statuses, ht_error *whys,
                                ht_error *error) {
    memset(out_statuses, 0, count * sizeof *out_statuses);
    if (count == 0 || job->options.check < turn || !ht_check_possible(job->device))
        return HT_OK;
    /* Once a job; a default configuration that stands for an original is judged as a variant. */
    bool original = !job->original_check.done && job->reference.set != HT_LAUNCHES_OWN;
    ht_compile_task *tasks = ht_alloc(count + 1, sizeof *tasks);
    ht_check_result *results = ht_alloc(count + 1, sizeof *results);
    if (original)
        tasks[0] = (ht_compile_task){
            .config = &job->default_config, .set = job->reference.set, .checked = true};
    for (size_t i = 0; i < count; ++i)
        tasks[original + i] = (ht_compile_task){.config = configs[i], .checked = true};
    ht_status status = run_checks(job, tasks, original + count, &tuning_settings, results, error);
    if (status == HT_OK && original)
        original_take(job, &results[0]);
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        variant_judge(job, &results[original + i], &out_statuses[i], &whys[i]);
    for (size_t i = 0; i < original + count; ++i)
        ht_check_result_free(&results[i]);
    free(results);
    free(tasks);
    return status;
}

ht_status ht_job_check_original(ht_job *job, const ht_check_settings *settings,
                                ht_check_result *out_result, ht_error *error) {
    ht_compile_task task = {.config = &job->default_config,
                            .set = job->reference.set,
                            .checked = true,
                            .counted = settings->count};
    return run_checks(job, &task, 1, settings, out_result, error);
}
