/* A night is submitted: an array of shards, and a merge that waits for them. */
#include "pipeline/nightly/slurm_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tool.h"
#include "pipeline/outputs.h"
#include "pipeline/report.h"
#include "runtime/store/merge.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const double sbatch_seconds = 120;
enum { SHARDS_MOST = 16 }; /* of a device, where the job names no number */

/* ---- sbatch */

static ht_status sbatch_check(ht_error *error) {
    char *found = ht_tool_find("sbatch");
    bool there = found != NULL;
    free(found);
    return there ? HT_OK
                 : ht_error_set(error, HT_ERROR_MISSING,
                                "sbatch is not in PATH: --slurm needs Slurm's programs on this "
                                "machine (Debian: slurm-client); without Slurm, start "
                                "`hiptemper run JOB.json --shard I/N` on each machine");
}

/* Returns the job's number in what `sbatch --parsable` printed ("12" or "12;cluster", warnings
 * before); free(). NULL: there is none. */
static char *number_of(const char *text) {
    const char *last = NULL;
    for (const char *line = text; line && *line;) {
        size_t size = strcspn(line, "\n"), digits = strspn(line, "0123456789");
        if (digits > 0 && (digits == size || line[digits] == ';'))
            last = line;
        line += size + (line[size] == '\n');
    }
    return last ? ht_strndup(last, strspn(last, "0123456789")) : NULL;
}

/* Submits a script of the plan; `option` may be NULL. *out_number: free(). */
static ht_status sbatch(const ht_job_file *job, const char *script, const char *option,
                        char **out_number, ht_error *error) {
    char *path = ht_slurm_path(job, script);
    const char *const words[] = {"sbatch", "--parsable", option ? option : path,
                                 option ? path : NULL, NULL};
    const ht_tool_call call = {.arguments = words, .seconds = sbatch_seconds};
    ht_text out = {0};
    int code = 1;
    ht_status status = ht_tool_run(&call, &out, &code, error);
    *out_number = status == HT_OK && code == 0 ? number_of(out.data) : NULL;
    if (status == HT_OK && !*out_number) {
        size_t length = out.data ? strlen(out.data) : 0;
        while (length > 0 && isspace((unsigned char)out.data[length - 1]))
            out.data[--length] = 0;
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "sbatch did not take it: %s; partition and other options are "
                                 "the job's \"slurm\" and --slurm-options",
                                 length ? out.data : "it said nothing");
    }
    ht_text_free(&out);
    free(path);
    return status;
}

/* ---- submitting */

/* Submits shards (all, or those of `tasks`: "--array=2,5") and the merge, which waits for `others`,
 * too (":12:13"). The plan has what was submitted, whatever goes wrong then. */
static ht_status plan_submit(const ht_job_file *job, json_t *plan, const char *tasks,
                             const char *others, const bool *chosen, ht_error *error) {
    char *array = NULL, *merge = NULL;
    size_t index;
    json_t *shard;
    ht_status status = sbatch(job, "shards.sh", tasks, &array, error);
    if (status != HT_OK)
        return status;
    json_array_foreach(json_object_get(plan, "shards"), index, shard) {
        if (!chosen || chosen[index])
            json_object_set_new(shard, "array", json_string(array));
    }
    json_object_del(plan, "merge");
    status = ht_slurm_plan_save(job, plan, error);
    char *after = ht_format("--dependency=afterany:%s%s", array, others);
    if (status == HT_OK)
        status = sbatch(job, "merge.sh", after, &merge, error);
    if (status == HT_OK)
        json_object_set_new(plan, "merge", json_string(merge));
    else
        ht_error_prefix(error, "the shards were submitted, but not the merge: `hiptemper run "
                               "JOB.json --merge` does it when they have ended: ");
    if (status == HT_OK)
        status = ht_slurm_plan_save(job, plan, error);
    free(after);
    free(merge);
    free(array);
    return status;
}

/* HT_ERROR_INPUT while results of the last night could be lost. */
static ht_status last_check(const ht_job_file *job, ht_error *error) {
    char *path = ht_slurm_path(job, "plan.json");
    bool there = ht_file_exists(path);
    json_t *last = NULL;
    ht_status status = there ? ht_slurm_status(job, &last, error) : HT_OK;
    size_t open = ht_slurm_count(last, "pending") + ht_slurm_count(last, "running");
    const json_t *merge = json_object_get(last, "merge");
    const char *merged = ht_report_text_of(merge, "state");
    if (last && open > 0)
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "%zu shards of the night of %s are pending or running; wait for "
                                 "them, or end them with `scancel`; --status lists them",
                                 open, ht_report_text_of(last, "began"));
    else if (last && (strcmp(merged, "pending") == 0 || strcmp(merged, "running") == 0))
        status =
            ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                            "the night of %s is being merged by Slurm's job %s; wait for it",
                            ht_report_text_of(last, "began"), ht_report_text_of(merge, "slurm"));
    else if (last && strcmp(merged, "done") != 0)
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "the night of %s is not merged: its merge failed or was not "
                                 "submitted; `hiptemper run JOB.json --merge` does it",
                                 ht_report_text_of(last, "began"));
    json_decref(last);
    free(path);
    return status;
}

static ht_status folder_prepare(const ht_slurm_options *options, const json_t *plan,
                                ht_error *error) {
    const ht_job_file *job = options->job;
    char *folder = ht_slurm_path(job, "."), *known = ht_slurm_path(job, "known.sqlite");
    const char *database = job->database;
    ht_dir_remove(folder);
    ht_status status = ht_dir_make(folder, error);
    for (size_t i = 0; i < json_array_size(json_object_get(plan, "shards")) && status == HT_OK;
         ++i) {
        char *own = ht_slurm_shard_path(job, i + 1, ".");
        status = ht_dir_make(own, error);
        free(own);
    }
    if (status == HT_OK && ht_file_exists(database))
        status = ht_database_merge(known, &database, 1, error);
    if (status == HT_OK)
        status = ht_slurm_scripts_write(options, plan, error);
    free(known);
    free(folder);
    return status;
}

/* Returns how many shards each device has. */
static ht_status shards_choose(const ht_slurm_options *options, size_t *out_shards,
                               ht_error *error) {
    const ht_night_options night = {.job = options->job, .path = options->path};
    size_t sources = 0, asked = options->job->slurm.shards;
    ht_status status = ht_night_source_count(&night, &sources, error);
    size_t most = asked ? asked : SHARDS_MOST;
    *out_shards = sources < most ? sources : most;
    return status;
}

ht_status ht_slurm_submit(const ht_slurm_options *options, json_t **out_status, ht_error *error) {
    const ht_job_file *job = options->job;
    size_t shards = 0;
    json_t *plan = NULL;
    *out_status = NULL;
    ht_status status = sbatch_check(error);
    if (status == HT_OK)
        status = ht_outputs_prepare(job->out, NULL, error);
    if (status == HT_OK)
        status = last_check(job, error);
    if (status == HT_OK)
        status = shards_choose(options, &shards, error);
    if (status != HT_OK)
        return status;
    plan = ht_slurm_plan_make(options, shards);
    status = folder_prepare(options, plan, error);
    if (status == HT_OK)
        status = plan_submit(job, plan, NULL, "", NULL, error);
    if (status == HT_OK)
        *out_status = ht_slurm_plan_status(job, plan);
    json_decref(plan);
    return status;
}

/* ---- failed shards again */

static bool is_open(const json_t *row) {
    const char *state = ht_report_text_of(row, "state");
    return strcmp(state, "pending") == 0 || strcmp(state, "running") == 0;
}

/* Appends ":NUMBER" of what is under way, once each. */
static void others_append(ht_text *out, const json_t *last) {
    size_t index;
    json_t *row;
    const char *before = "";
    json_array_foreach(json_object_get(last, "shards"), index, row) {
        const char *task = ht_report_text_of(row, "slurm");
        size_t length = strcspn(task, "_");
        if (!is_open(row) || (strncmp(before, task, length) == 0 && before[length] == '_'))
            continue;
        ht_text_printf(out, ":%.*s", (int)length, task);
        before = task;
    }
    const json_t *merge = json_object_get(last, "merge");
    if (is_open(merge))
        ht_text_printf(out, ":%s", ht_report_text_of(merge, "slurm"));
}

static ht_status failed_submit(const ht_job_file *job, json_t *plan, const json_t *last,
                               ht_error *error) {
    size_t count = json_array_size(json_object_get(last, "shards")), index;
    bool *chosen = ht_alloc(count + 1, sizeof *chosen);
    ht_text tasks = {0}, others = {0};
    json_t *row;
    json_array_foreach(json_object_get(last, "shards"), index, row) {
        chosen[index] = strcmp(ht_report_text_of(row, "state"), "failed") == 0;
        if (chosen[index])
            ht_text_printf(&tasks, "%s%zu", tasks.length ? "," : "--array=", index + 1);
    }
    ht_text_append(&others, "");
    others_append(&others, last);
    ht_status status = plan_submit(job, plan, tasks.data, others.data, chosen, error);
    ht_text_free(&tasks);
    ht_text_free(&others);
    free(chosen);
    return status;
}

ht_status ht_slurm_resume(const ht_slurm_options *options, json_t **out_status, ht_error *error) {
    json_t *plan = NULL;
    *out_status = NULL;
    ht_status status = sbatch_check(error);
    if (status == HT_OK)
        status = ht_slurm_plan_load(options->job, &plan, error);
    if (status != HT_OK)
        return status;
    json_t *last = ht_slurm_plan_status(options->job, plan);
    if (ht_slurm_count(last, "unknown") > 0)
        status =
            ht_error_set(error, HT_ERROR_MISSING,
                         "squeue does not say which shards are under way; see `scontrol ping`");
    else if (ht_slurm_count(last, "failed") > 0)
        status = failed_submit(options->job, plan, last, error);
    if (status == HT_OK)
        *out_status = ht_slurm_plan_status(options->job, plan);
    json_decref(last);
    json_decref(plan);
    return status;
}
