#include "pipeline/nightly/slurm_internal.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/host_name.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/report.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the time limit: what a task takes past the budget. */
static const double spare_part = 0.1, spare_seconds = 300;
enum { MERGE_MINUTES = 60 };

char *ht_slurm_path(const ht_job_file *job, const char *name) {
    return ht_format("%s/slurm/%s", job->out, name);
}

char *ht_slurm_shard_path(const ht_job_file *job, size_t number, const char *name) {
    return ht_format("%s/slurm/%zu/%s", job->out, number, name);
}

/* ---- the plan */

static void text_set(json_t *plan, const char *key, const char *text) {
    if (text)
        json_object_set_new(plan, key, ht_report_json_text(text));
}

json_t *ht_slurm_plan_make(const ht_slurm_options *options, size_t shards) {
    const ht_job_file *job = options->job;
    char host[HT_HOST_NAME_SIZE], began[HT_CLOCK_UTC_SIZE], *real = realpath(options->path, NULL);
    ht_host_name(host);
    ht_clock_utc(time(NULL), began);
    json_t *plan = ht_report_json_new("hiptemper-slurm-plan", 1), *list = json_array();
    text_set(plan, "job", real ? real : options->path);
    text_set(plan, "path", options->path);
    text_set(plan, "began", began);
    text_set(plan, "host", host);
    text_set(plan, "tag", options->tag);
    text_set(plan, "baseline", options->baseline);
    text_set(plan, "notify", options->notify);
    for (size_t i = 0; i < job->devices.count; ++i)
        for (size_t j = 0; j < shards; ++j)
            json_array_append_new(list, json_pack("{s:I, s:s, s:I, s:I}", "number",
                                                  (json_int_t)json_array_size(list) + 1, "device",
                                                  job->devices.items[i], "shard", (json_int_t)j + 1,
                                                  "shards", (json_int_t)shards));
    json_object_set_new(plan, "shards", list);
    free(real);
    return plan;
}

ht_status ht_slurm_plan_load(const ht_job_file *job, json_t **out_plan, ht_error *error) {
    char *path = ht_slurm_path(job, "plan.json");
    json_t *plan = json_load_file(path, 0, NULL);
    ht_status status = HT_OK;
    if (!ht_file_exists(path))
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "no night of this job was submitted; `hiptemper run JOB.json "
                                 "--slurm` does that");
    else if (!json_is_array(json_object_get(plan, "shards")))
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "is not the plan of a night; remove the folder, and submit the "
                                 "night again with --slurm");
    if (status != HT_OK) {
        json_decref(plan);
        plan = NULL;
    }
    *out_plan = plan;
    free(path);
    return status;
}

ht_status ht_slurm_plan_save(const ht_job_file *job, const json_t *plan, ht_error *error) {
    char *path = ht_slurm_path(job, "plan.json"), *text = json_dumps(plan, JSON_INDENT(2));
    ht_status status = ht_file_write(path, text, strlen(text), error);
    free(text);
    free(path);
    return status;
}

/* ---- scripts */

/* Appends a word as the shell reads it. */
static void word_append(ht_text *out, const char *word) {
    ht_text_append(out, "'");
    for (; *word; ++word)
        ht_text_printf(out, *word == '\'' ? "'\\''" : "%c", *word);
    ht_text_append(out, "'");
}

static void name_append(ht_text *out, const char *path) {
    const char *name = ht_path_name(path);
    size_t length = strcspn(name, ".");
    ht_text_append(out, "#SBATCH --job-name=hiptemper-");
    for (size_t i = 0; i < length; ++i)
        ht_text_printf(out, "%c", isalnum((unsigned char)name[i]) ? name[i] : '-');
    ht_text_append(out, "\n");
}

static void options_append(ht_text *out, const ht_slurm_options *options, const ht_job_words *own) {
    if (options->job->slurm.partition)
        ht_text_printf(out, "#SBATCH --partition=%s\n", options->job->slurm.partition);
    for (size_t i = 0; i < own->count; ++i)
        ht_text_printf(out, "#SBATCH %s\n", own->items[i]);
}

/* Appends the command, and where its output goes. */
static void command_append(ht_text *out, const ht_slurm_options *options, const char *program,
                           const char *words, const char *log) {
    char *folder = realpath(".", NULL);
    ht_text_append(out, "cd ");
    word_append(out, folder ? folder : ".");
    ht_text_append(out, " || exit 2\nexec ");
    word_append(out, program);
    ht_text_append(out, " run ");
    word_append(out, options->path);
    ht_text_printf(out, " %s", words);
    if (options->sandbox) {
        ht_text_append(out, " --sandbox ");
        word_append(out, options->sandbox);
    }
    ht_text_append(out, " >>");
    word_append(out, options->job->out);
    ht_text_printf(out, "/slurm/%s 2>&1\n", log);
    free(folder);
}

static void head_append(ht_text *out, const ht_slurm_options *options, const char *what,
                        double minutes) {
    ht_text_printf(
        out, "#!/bin/sh\n# %s\n# Written by `hiptemper run --slurm`; docs/run.md says more.\n",
        what);
    name_append(out, options->path);
    ht_text_printf(out, "#SBATCH --time=%.0f\n#SBATCH --output=/dev/null\n", ceil(minutes));
}

static ht_status script_write(const ht_job_file *job, const char *name, ht_text *text,
                              ht_error *error) {
    char *path = ht_slurm_path(job, name);
    ht_status status = ht_file_write(path, text->data, text->length, error);
    ht_text_free(text);
    free(path);
    return status;
}

/* A line break in an option would be a line of the script. */
static ht_status options_check(const ht_slurm_options *options, ht_error *error) {
    const ht_job_slurm *own = &options->job->slurm;
    const ht_job_words *const lists[] = {&own->options, &own->merge_options};
    bool broken = (options->more && strpbrk(options->more, "\r\n")) ||
                  (own->partition && strpbrk(own->partition, "\r\n"));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        for (size_t j = 0; j < lists[i]->count; ++j)
            broken = broken || strpbrk(lists[i]->items[j], "\r\n");
    return broken ? ht_error_set_at(error, HT_ERROR_INPUT, options->path, 0, 0,
                                    "an option for sbatch has a line break; write one option as "
                                    "one line")
                  : HT_OK;
}

ht_status ht_slurm_scripts_write(const ht_slurm_options *options, const json_t *plan,
                                 ht_error *error) {
    const ht_job_slurm *own = &options->job->slurm;
    double limit = own->limit_seconds > 0
                       ? own->limit_seconds
                       : options->job->budget.seconds * (1 + spare_part) + spare_seconds;
    char *program = realpath("/proc/self/exe", NULL);
    const char *image = program ? program : "hiptemper";
    const ht_job_words *merging = own->merge_options.count ? &own->merge_options : &own->options;
    ht_text shards = {0}, merge = {0};
    ht_status status = options_check(options, error);
    head_append(&shards, options,
                "A shard of a night of hiptemper, SLURM_ARRAY_TASK_ID says which.", limit / 60);
    ht_text_printf(&shards, "#SBATCH --array=1-%zu\n",
                   json_array_size(json_object_get(plan, "shards")));
    options_append(&shards, options, &own->options);
    if (options->more)
        ht_text_printf(&shards, "#SBATCH %s\n", options->more);
    command_append(&shards, options, image, "--task \"$SLURM_ARRAY_TASK_ID\"",
                   "\"$SLURM_ARRAY_TASK_ID\"/log");
    head_append(&merge, options, "Merges what the shards of a night of hiptemper have found.",
                MERGE_MINUTES);
    options_append(&merge, options, merging);
    if (options->more && !own->merge_options.count)
        ht_text_printf(&merge, "#SBATCH %s\n", options->more);
    command_append(&merge, options, image, "--merge", "merge.log");
    if (status == HT_OK)
        status = script_write(options->job, "shards.sh", &shards, error);
    if (status == HT_OK)
        status = script_write(options->job, "merge.sh", &merge, error);
    ht_text_free(&shards);
    ht_text_free(&merge);
    free(program);
    return status;
}
