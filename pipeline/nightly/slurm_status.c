/* How far a night on Slurm is. A task writes its own state; one that was killed wrote no end, so
 * what Slurm lists of it counts as long as it lists it. */
#include "pipeline/nightly/slurm_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tool.h"
#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double squeue_seconds = 60;

ht_status ht_slurm_state_write(const char *path, const char *state, json_t *more, ht_error *error) {
    json_t *document = json_pack("{s:s}", "state", state);
    if (more)
        json_object_update(document, more);
    char *text = json_dumps(document, JSON_INDENT(2));
    ht_status status = ht_file_write(path, text, strlen(text), error);
    free(text);
    json_decref(document);
    json_decref(more);
    return status;
}

/* ---- Slurm's list */

/* Returns Slurm's list of this user's tasks, "12_3 RUNNING" a line; NULL: it cannot be had. */
static char *queue_read(void) {
    char *user = ht_format("%lu", (unsigned long)geteuid());
    const char *const words[] = {"squeue", "-h", "-r", "-o", "%i %T", "-u", user, NULL};
    const ht_tool_call call = {.arguments = words, .seconds = squeue_seconds, .no_errors = true};
    ht_text out = {0};
    int code = 1;
    ht_status status = ht_tool_run(&call, &out, &code, NULL);
    free(user);
    if (status == HT_OK && code == 0)
        return out.data ? out.data : ht_strdup("");
    ht_text_free(&out);
    return NULL;
}

/* Returns Slurm's word for a task, such as "RUNNING"; NULL: it is not in the list. free(). */
static char *queue_find(const char *queue, const char *task) {
    size_t length = strlen(task);
    for (const char *line = queue; line && *line;) {
        size_t size = strcspn(line, "\n");
        if (size > length && strncmp(line, task, length) == 0 && line[length] == ' ')
            return ht_strndup(line + length + 1, size - length - 1);
        line += size + (line[size] == '\n');
    }
    return NULL;
}

/* Returns our word for one of Slurm's. */
static const char *state_of(const char *word) {
    static const char *const waiting[] = {"PENDING",       "CONFIGURING", "REQUEUED",
                                          "REQUEUE_HOLD",  "REQUEUE_FED", "SPECIAL_EXIT",
                                          "RESV_DEL_HOLD", NULL};
    return ht_text_is_one(word, waiting) ? "pending" : "running";
}

/* ---- a task */

/* Fills in the state of a task: what it wrote itself, else what Slurm lists, else that it ended
 * without a word. `task` is Slurm's name for it; NULL: not submitted. */
static void state_set(json_t *row, const char *path, const char *task, const char *queue) {
    static const char *const members[] = {"host", "exit", "reason", NULL};
    json_t *written = json_load_file(path, 0, NULL);
    const char *own = ht_report_text_of(written, "state");
    bool mine = task && strcmp(ht_report_text_of(written, "slurm"), task) == 0;
    bool ended = mine && (strcmp(own, "done") == 0 || strcmp(own, "failed") == 0);
    char *listed = task && !ended ? queue_find(queue, task) : NULL;
    const char *state = ended ? own : listed ? state_of(listed) : !queue ? "unknown" : "failed";
    ht_report_json_copy(row, mine ? written : NULL, members);
    json_object_set_new(row, "state", json_string(state));
    json_object_set_new(row, "slurm", ht_report_json_text(task));
    if (!ended && !listed)
        json_object_set_new(
            row, "reason",
            json_string(!queue  ? "squeue does not answer; see `scontrol ping`"
                        : !task ? "it was not submitted"
                        : mine  ? "it ended without a word: it was killed, or its machine failed"
                               : "it ended before it began; see its log, and `scontrol show job`"));
    free(listed);
    json_decref(written);
}

static json_t *shard_status(const ht_job_file *job, const json_t *shard, const char *queue) {
    size_t number = (size_t)json_integer_value(json_object_get(shard, "number"));
    const char *array = ht_report_text_of(shard, "array");
    char *task = *array ? ht_format("%s_%zu", array, number) : NULL;
    char *path = ht_slurm_shard_path(job, number, "state.json");
    char *log = ht_slurm_shard_path(job, number, "log");
    json_t *row =
        json_pack("{s:I, s:O, s:O, s:O, s:o}", "number", (json_int_t)number, "device",
                  json_object_get(shard, "device"), "shard", json_object_get(shard, "shard"),
                  "shards", json_object_get(shard, "shards"), "log", ht_report_json_text(log));
    state_set(row, path, task, queue);
    free(log);
    free(path);
    free(task);
    return row;
}

size_t ht_slurm_count(const json_t *status, const char *state) {
    return (size_t)json_integer_value(json_object_get(json_object_get(status, "counts"), state));
}

json_t *ht_slurm_plan_status(const ht_job_file *job, const json_t *plan) {
    static const char *const names[] = {"job", "began", NULL};
    static const char *const states[] = {"pending", "running", "done", "failed", "unknown"};
    char *queue = queue_read(), *path = ht_slurm_path(job, "merge.json"),
         *log = ht_slurm_path(job, "merge.log");
    json_t *document = ht_report_json_new("hiptemper-slurm", 1), *rows = json_array(),
           *counts = json_object(), *merge = json_object(), *shard;
    const char *merging = ht_report_text_of(plan, "merge");
    size_t index;
    ht_report_json_copy(document, plan, names);
    for (size_t i = 0; i < sizeof states / sizeof *states; ++i)
        json_object_set_new(counts, states[i], json_integer(0));
    json_array_foreach(json_object_get(plan, "shards"), index, shard) {
        json_t *row = shard_status(job, shard, queue);
        json_t *count = json_object_get(counts, ht_report_text_of(row, "state"));
        json_integer_set(count, json_integer_value(count) + 1);
        json_array_append_new(rows, row);
    }
    state_set(merge, path, *merging ? merging : NULL, queue);
    json_object_set_new(merge, "log", ht_report_json_text(log));
    json_object_set_new(document, "counts", counts);
    json_object_set_new(document, "shards", rows);
    json_object_set_new(document, "merge", merge);
    free(queue);
    free(path);
    free(log);
    return document;
}

ht_status ht_slurm_status(const ht_job_file *job, json_t **out_status, ht_error *error) {
    json_t *plan;
    *out_status = NULL;
    ht_status status = ht_slurm_plan_load(job, &plan, error);
    if (status == HT_OK)
        *out_status = ht_slurm_plan_status(job, plan);
    json_decref(plan);
    return status;
}
