/* The tasks that Slurm runs: a shard, and the merge. */
#include "pipeline/nightly/night_devices.h"
#include "pipeline/nightly/night_join.h"
#include "pipeline/nightly/slurm_internal.h"

#include "base/file.h"
#include "base/host_name.h"
#include "base/memory.h"
#include "pipeline/report.h"
#include "runtime/store/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* ---- a shard */

/* Copies a database that nobody writes. A part of one never has the name. */
static ht_status database_copy(const char *from, const char *to, ht_error *error) {
    enum { CHUNK = 1 << 26 };
    char *part = ht_format("%s.part", to);
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    ssize_t copied = in >= 0 && out >= 0 ? 1 : -1;
    while (copied > 0)
        copied = sendfile(out, in, NULL, CHUNK);
    bool done = copied == 0 && fsync(out) == 0 && rename(part, to) == 0;
    ht_status status = done ? HT_OK
                            : ht_error_set_at(error, HT_ERROR_IO, to, 0, 0,
                                              "cannot be made from %s: %s; free space on the disk, "
                                              "or mend the permissions",
                                              from, strerror(errno));
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    free(part);
    return status;
}

/* Returns Slurm's name for this task, as --status looks for it; free(). */
static char *task_name(size_t number) {
    const char *array = getenv("SLURM_ARRAY_JOB_ID"), *own = getenv("SLURM_JOB_ID");
    return array ? ht_format("%s_%zu", array, number) : own ? ht_strdup(own) : ht_strdup("");
}

static json_t *state_members(size_t number) {
    char host[HT_HOST_NAME_SIZE], *task = task_name(number);
    ht_host_name(host);
    json_t *more = json_pack("{s:o, s:o, s:I}", "slurm", ht_report_json_text(task), "host",
                             ht_report_json_text(host), "process", (json_int_t)getpid());
    free(task);
    return more;
}

/* Returns true if a night came to its end, whatever it found. */
static bool is_done(const ht_job_file *job, const json_t *document) {
    int code = (int)json_integer_value(json_object_get(document, "exit"));
    return document && !json_is_true(json_object_get(document, "interrupted")) &&
           (code == HT_EXIT_OK || code == HT_EXIT_FAILED || code == (int)job->not_run_exit);
}

static ht_status shard_end(const ht_job_file *job, size_t number, const json_t *document,
                           const ht_error *failure, ht_error *error) {
    char *path = ht_slurm_shard_path(job, number, "state.json"),
         *report = ht_slurm_shard_path(job, number, "report.json");
    bool done = is_done(job, document);
    json_t *more = state_members(number);
    int code = document ? (int)json_integer_value(json_object_get(document, "exit"))
                        : ht_status_exit_code(failure->status);
    char *why = done        ? NULL
                : !document ? ht_strdup(failure->message)
                            : ht_format("its night ended with exit code %d", code);
    json_object_set_new(more, "exit", json_integer(code));
    json_object_set_new(more, "reason", ht_report_json_text(why));
    ht_status status = document ? ht_report_json_write(report, document, error) : HT_OK;
    if (status == HT_OK)
        status = ht_slurm_state_write(path, done ? "done" : "failed", more, error);
    else
        json_decref(more);
    free(why);
    free(report);
    free(path);
    return status;
}

static ht_status shard_begin(const ht_job_file *job, size_t number, const char *database,
                             ht_error *error) {
    char *path = ht_slurm_shard_path(job, number, "state.json"),
         *known = ht_slurm_path(job, "known.sqlite");
    ht_status status = ht_slurm_state_write(path, "running", state_members(number), error);
    if (status == HT_OK && !ht_file_exists(database) && ht_file_exists(known))
        status = database_copy(known, database, error);
    free(known);
    free(path);
    return status;
}

/* Runs the night of a shard on its own database. */
static ht_status shard_run(const ht_job_file *job, const json_t *plan, const json_t *shard,
                           const ht_night_options *night, json_t **out_document, ht_error *error) {
    size_t number = (size_t)json_integer_value(json_object_get(shard, "number"));
    const char *tag = ht_report_text_of(plan, "tag"), *base = ht_report_text_of(plan, "baseline");
    char *device = ht_night_device_any(ht_report_text_of(shard, "device"));
    char *database = ht_slurm_shard_path(job, number, "db.sqlite");
    char *out = ht_night_device_out(job, ht_report_text_of(shard, "device"));
    ht_job_file own = *job;
    own.devices = (ht_job_words){&device, 1};
    own.database = database;
    own.out = out;
    ht_night_options options = *night;
    options.job = &own;
    options.shards = (size_t)json_integer_value(json_object_get(shard, "shards"));
    options.shard = (size_t)json_integer_value(json_object_get(shard, "shard")) - 1;
    options.device = device;
    options.tag = *tag ? tag : NULL;
    options.baseline = *base ? base : NULL;
    options.name =
        (ht_night_name){ht_report_text_of(plan, "began"), ht_report_text_of(plan, "host")};
    ht_status status = shard_begin(job, number, database, error);
    if (status == HT_OK)
        status = ht_night_run(&options, out_document, error);
    free(out);
    free(database);
    free(device);
    return status;
}

ht_status ht_slurm_task(const ht_job_file *job, size_t number, const ht_night_options *night,
                        json_t **out_document, ht_error *error) {
    json_t *plan;
    ht_error last = {0};
    *out_document = NULL;
    ht_status status = ht_slurm_plan_load(job, &plan, error);
    if (status != HT_OK)
        return status;
    const json_t *shard =
        number > 0 ? json_array_get(json_object_get(plan, "shards"), number - 1) : NULL;
    if (shard) {
        status = shard_run(job, plan, shard, night, out_document, error);
        ht_status ended = shard_end(job, number, *out_document, error, &last);
        if (status == HT_OK && ended != HT_OK) {
            *error = last;
            status = ended;
        }
    } else {
        status = ht_error_set(error, HT_ERROR_INPUT,
                              "option --task: the night has %zu shards, from 1 on",
                              json_array_size(json_object_get(plan, "shards")));
    }
    json_decref(plan);
    return status;
}

/* ---- the merge */

static ht_status databases_merge(const ht_job_file *job, size_t shards, ht_error *error) {
    char **paths = ht_alloc(shards + 1, sizeof *paths);
    size_t count = 0;
    for (size_t i = 0; i < shards; ++i) {
        char *path = ht_slurm_shard_path(job, i + 1, "db.sqlite");
        if (ht_file_exists(path))
            paths[count++] = path;
        else
            free(path);
    }
    ht_status status =
        count ? ht_database_merge(job->database, (const char *const *)paths, count, error)
              : ht_error_set(error, HT_ERROR_INPUT,
                             "no shard has a database: none has run; their logs say why");
    ht_strings_free(paths, count);
    return status;
}

/* Returns a report of nothing, for a night whose shards all failed. */
static json_t *report_empty(const ht_job_file *job, const json_t *plan) {
    static const char *const names[] = {"job", "host", "began", NULL};
    json_t *document = ht_report_json_new("hiptemper-run", 1);
    ht_report_json_copy(document, plan, names);
    json_object_set_new(document, "budget", json_real(job->budget.seconds));
    json_object_set_new(document, "least_effect", json_real(job->least_effect));
    json_object_set_new(document, "kernels", json_array());
    json_object_set_new(document, "errors", json_array());
    return document;
}

/* Joins the reports that there are. */
static json_t *reports_join(const ht_job_file *job, const json_t *plan) {
    size_t count = json_array_size(json_object_get(plan, "shards"));
    char **paths = ht_alloc(count + 1, sizeof *paths);
    for (size_t i = 0; i < count; ++i)
        paths[i] = ht_slurm_shard_path(job, i + 1, "report.json");
    json_t *document = ht_night_join_files(paths, count);
    ht_strings_free(paths, count);
    if (!document) {
        json_t *empty = report_empty(job, plan);
        document = ht_night_join(&empty, 1);
        json_decref(empty);
    }
    return document;
}

/* A shard that is not done is an error of the night. */
static void failures_add(json_t *document, const json_t *status) {
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(status, "shards"), index, row) {
        const char *state = ht_report_text_of(row, "state");
        if (strcmp(state, "done") == 0)
            continue;
        char *what = ht_format("shard %zu", index + 1);
        char *message =
            ht_format("%s: %s; `hiptemper run JOB.json --resume` starts it again, %s is its log",
                      state, ht_report_text_of(row, "reason"), ht_report_text_of(row, "log"));
        ht_night_join_failure(document, what, message, HT_EXIT_FAILED);
        free(message);
        free(what);
    }
}

static ht_status merged_keep(const ht_job_file *job, const json_t *plan, json_t *document,
                             ht_error *error) {
    const ht_night_name name = {ht_report_text_of(plan, "began"), ht_report_text_of(plan, "host")};
    char *report = ht_slurm_path(job, "report.json"), *state = ht_slurm_path(job, "merge.json");
    ht_status status =
        ht_night_join_keep(job->database, ht_report_text_of(plan, "job"), &name, document, error);
    if (status == HT_OK)
        status = ht_report_json_write(report, document, error);
    json_t *more = state_members(0);
    json_object_set_new(more, "exit", json_incref(json_object_get(document, "exit")));
    if (*ht_report_text_of(plan, "merge")) /* by hand, too, it is that one which is done */
        json_object_set(more, "slurm", json_object_get(plan, "merge"));
    if (status == HT_OK)
        status = ht_slurm_state_write(state, "done", more, error);
    else
        json_decref(more);
    free(state);
    free(report);
    return status;
}

ht_status ht_slurm_merge(const ht_job_file *job, json_t **out_document, char **out_notify,
                         ht_error *error) {
    json_t *plan;
    *out_document = NULL;
    *out_notify = NULL;
    ht_status status = ht_slurm_plan_load(job, &plan, error);
    if (status != HT_OK)
        return status;
    size_t shards = json_array_size(json_object_get(plan, "shards"));
    status = databases_merge(job, shards, error);
    if (status == HT_OK) {
        json_t *tasks = ht_slurm_plan_status(job, plan);
        *out_document = reports_join(job, plan);
        failures_add(*out_document, tasks);
        json_decref(tasks);
        status = merged_keep(job, plan, *out_document, error);
    }
    const char *notify = ht_report_text_of(plan, "notify");
    if (status == HT_OK && *notify)
        *out_notify = ht_strdup(notify);
    json_decref(plan);
    return status;
}
