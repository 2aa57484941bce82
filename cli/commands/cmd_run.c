#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/commands/run_slurm.h"
#include "cli/reports/entry_report.h"
#include "cli/reports/night_report.h"
#include "cli/reports/whole_report.h"
#include "pipeline/nightly/night.h"
#include "pipeline/nightly/night_devices.h"
#include "pipeline/nightly/notify.h"
#include "runtime/emulate/anew.h"

#include <stdlib.h>
#include <string.h>

typedef struct run_options {
    bool init;
    bool dry_run;
    const char *why;
    const char *baseline;
    const char *tag;
    const char *shard;
    const char *device;
    const char *json;
    const char *notify;
    const char *sandbox;
    ht_run_slurm slurm;
} run_options;

static const ht_option options[] = {
    {"init", HT_OPTION_FLAG, offsetof(run_options, init),
     .help = "Writes a job with comments to JOB.json, which must not exist, and does no more."},
    {"dry-run", HT_OPTION_FLAG, offsetof(run_options, dry_run),
     .help = "Prints what would be done, in which order, and how long it takes as far as earlier "
             "nights tell; analyses and measures nothing, and writes no file."},
    {"why", HT_OPTION_TEXT, offsetof(run_options, why), "KERNEL",
     .help = "Prints what the key of this kernel's results is made of, and which part of it is "
             "another than when it was last measured; does no more. A source's name does too."},
    {"baseline", HT_OPTION_TEXT, offsetof(run_options, baseline), "TAG|FILE",
     .help = "Gives verdicts against this night, or the latest results of this database, instead "
             "of the night before."},
    {"tag", HT_OPTION_TEXT, offsetof(run_options, tag), "TAG",
     .help = "Gives the night a name, such as a release's, for a later --baseline."},
    {"shard", HT_OPTION_TEXT, offsetof(run_options, shard), "I/N",
     .help = "Takes every N-th source, from the I-th on: N machines, each with a database of its "
             "own, share a job. 'hiptemper db merge' puts the databases together."},
    {"device", HT_OPTION_TEXT, offsetof(run_options, device), "DEVICE",
     .help = "Takes this one of the job's devices only. Without it all are used at once."},
    {"slurm", HT_OPTION_FLAG, offsetof(run_options, slurm.slurm),
     .help = "Submits the night to Slurm: an array of tasks, each a shard of the job on one of "
             "its devices with a database of its own, and a task that merges them."},
    {"slurm-options", HT_OPTION_TEXT, offsetof(run_options, slurm.options), "OPTIONS",
     .passed_on = true,
     .help = "--slurm: further options of sbatch, such as '--partition=gpu --gres=gpu:1'. The "
             "job's \"slurm\" has the same for every night."},
    {"status", HT_OPTION_FLAG, offsetof(run_options, slurm.status),
     .help = "Says how far the night on Slurm is: how many shards are pending, running, done and "
             "failed, and why. Exit code 1: one failed."},
    {"resume", HT_OPTION_FLAG, offsetof(run_options, slurm.resume),
     .help = "Submits the shards that failed again, which go on with their databases, and a "
             "merge."},
    {"merge", HT_OPTION_FLAG, offsetof(run_options, slurm.merge),
     .help = "Merges what the shards have found into the job's database, and reports the night. "
             "The task that --slurm submits does it."},
    {"task", HT_OPTION_COUNT, offsetof(run_options, slurm.task), "N",
     .help = "Runs the N-th shard of the night, from 1 on. Tasks that --slurm submits do it."},
    {"json", HT_OPTION_JSON, offsetof(run_options, json), "FILE",
     .help = "Writes the report as JSON: to standard output, or to FILE. docs/json.md describes "
             "it."},
    {"notify", HT_OPTION_TEXT, offsetof(run_options, notify), "CMD",
     .help = "After the night, runs a program with the report as JSON as its standard input. "
             "Blanks divide its arguments; no shell reads them."},
    HT_SANDBOX_OPTION(run_options),
    {0},
};

static int init(const char *path) {
    ht_error error = {0};
    const char *text = ht_job_file_example();
    if (ht_file_exists(path)) {
        ht_error_set_at(&error, HT_ERROR_INPUT, path, 0, 0,
                        "this file exists and is left as it is; name another");
        return ht_report_error(&error);
    }
    if (ht_file_write(path, text, strlen(text), &error) != HT_OK)
        return ht_report_error(&error);
    printf("%s is a job with comments. Say in it which sources, and for how long; then:\n"
           "  hiptemper run --dry-run %s\n",
           path, path);
    return HT_EXIT_OK;
}

/* Reads "I/N" with 1 <= I <= N. */
static ht_status shard_parse(const char *text, size_t *out_shard, size_t *out_shards,
                             ht_error *error) {
    char *end = NULL;
    unsigned long shard = text ? strtoul(text, &end, 10) : 1, shards = 0;
    if (!text)
        return HT_OK;
    if (end > text && *end == '/' && end[1] >= '0' && end[1] <= '9')
        shards = strtoul(end + 1, &end, 10);
    if (*end || text[0] < '0' || text[0] > '9' || shard < 1 || shard > shards)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "option --shard: '%s' is not I/N with I from 1 to N, as in 1/4", text);
    *out_shard = shard - 1;
    *out_shards = shards;
    return HT_OK;
}

/* Prints the report, and hands it on; returns the exit code. */
static int document_report(const run_options *given, const json_t *document, bool dry) {
    ht_error error = {0};
    FILE *out = ht_report_stream(given->json);
    int code = HT_EXIT_OK;
    if (given->why)
        code = ht_night_report_why(document, given->why, out);
    else
        ht_night_report(document, out);
    int written = ht_report_json(given->json, document);
    if (given->notify && !dry && ht_notify(given->notify, document, &error) != HT_OK) {
        int notified = ht_report_error(&error);
        written = written ? written : notified;
    }
    int own = (int)json_integer_value(json_object_get(document, "exit"));
    return code ? code : own ? own : written;
}

/* Runs all devices at once, each by a process that is given the same options. */
static ht_status devices_run(const run_options *given, const char *path, const ht_job_file *job,
                             json_t **out_document, ht_error *error) {
    const struct {
        const char *name, *value;
    } all[] = {{"--tag", given->tag},
               {"--baseline", given->baseline},
               {"--shard", given->shard},
               {"--sandbox", given->sandbox}};
    const char *words[2 * sizeof all / sizeof *all + 1] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (!all[i].value)
            continue;
        words[count++] = all[i].name;
        words[count++] = all[i].value;
    }
    return ht_night_devices_run(job, path, words, out_document, error);
}

/* Runs the night, or what stands for it. */
static int night(const run_options *given, const char *path, const ht_job_file *job) {
    ht_error error = {0};
    json_t *document = NULL;
    bool dry = given->dry_run || given->why;
    char *out = given->device ? ht_night_device_out(job, given->device) : ht_strdup(job->out);
    ht_job_file own = *job;
    own.out = out;
    ht_night_options night = {.job = &own,
                              .path = path,
                              .dry = dry,
                              .device = given->device,
                              .tag = given->tag,
                              .baseline = given->baseline,
                              .name = ht_night_devices_name(),
                              .progress = stderr,
                              .row = ht_entry_json,
                              .whole = ht_whole_json};
    ht_status status = shard_parse(given->shard, &night.shard, &night.shards, &error);
    if (status == HT_OK)
        status = !dry && !given->device && job->devices.count > 1
                     ? devices_run(given, path, job, &document, &error)
                     : ht_night_run(&night, &document, &error);
    int code = status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
    int own_code = document ? document_report(given, document, dry) : HT_EXIT_OK;
    json_decref(document);
    free(out);
    return code ? code : own_code;
}

static int slurm(const run_options *given, const char *path, const ht_job_file *job) {
    const ht_slurm_options options = {.job = job,
                                      .path = path,
                                      .more = given->slurm.options,
                                      .tag = given->tag,
                                      .baseline = given->baseline,
                                      .notify = given->notify,
                                      .sandbox = given->sandbox};
    if (given->shard || given->device || given->dry_run || given->why) {
        ht_report_message("--shard, --device, --dry-run and --why are of a night on this machine; "
                          "leave them out, or what is for Slurm (see 'hiptemper run --help')");
        return HT_EXIT_INPUT;
    }
    return ht_run_slurm_run(&given->slurm, &options, given->json);
}

static int run(const ht_command_line *line) {
    const run_options *given = line->options;
    const char *path = line->operands[0];
    ht_job_file job;
    ht_error error = {0};
    if (given->init)
        return init(path);
    bool cluster = ht_run_slurm_is_asked(&given->slurm);
    ht_status status = ht_error_named(ht_job_file_load(path, &job, &error), &error);
    if (status == HT_OK && !cluster)
        status = ht_night_devices_expand(&job, &error);
    if (status == HT_OK && !cluster && job.program_count > 0 && !given->dry_run && !given->why)
        ht_emulate_sleep_start();
    int code = status != HT_OK ? ht_report_error(&error)
               : cluster       ? slurm(given, path, &job)
                               : night(given, path, &job);
    ht_job_file_free(&job);
    return code;
}

const ht_command ht_command_run = {
    .name = "run",
    .summary = "tune what a job's file names, within a budget, and go on the next night",
    .usage = "[OPTION]... JOB.json",
    .description =
        "Runs a job: looks at its sources, tunes what is new or changed or was not finished, the "
        "most promising first, until the budget of seconds is used, preparation included, and "
        "gives each kernel a verdict against the night before: faster, same, slower, unclear, "
        "new, gone, not-run. Meant for cron or a timer: it needs nobody, and a run that is "
        "stopped at any moment is continued by the next one.\n\n"
        "Results are kept under keys of what was compiled, not of paths: the same code in another "
        "folder or file, or with other comments, is not measured again. Each kernel is timed in "
        "turns with its original and with a kernel that is the same every night, so that a slower "
        "machine is not taken for a slower kernel. A device is timed on by one job at a time; "
        "others wait, and say so. All devices of the job are used at once.\n\n"
        "The smallest job: {\"sources\": [\"tree\"], \"budget\": {\"seconds\": 120}, \"database\": "
        "\"n.sqlite\", \"out\": \"out\"}. docs/job.md describes all keys. On device host the "
        "machine's own cores run the kernels: such times are host emulation and say nothing about "
        "a GPU.",
    .examples = "hiptemper run --init nightly.json\n"
                "hiptemper run --dry-run nightly.json\n"
                "hiptemper run nightly.json --json last.json\n"
                "hiptemper run --why conv2d nightly.json\n"
                "hiptemper run nightly.json --slurm --slurm-options '--partition=gpu "
                "--gres=gpu:1'\n"
                "hiptemper run nightly.json --status",
    .exit_codes =
        "  0    done, also when the budget ended first (the job's not_run_exit is another)\n"
        "  1    a kernel or its original became slower, failed, or was not verified\n"
        "  2    wrong usage, or a mistake in the job\n"
        "  3    a tool or device is missing\n"
        "  4    a device keeps failing\n"
        "  130  interrupted; the next run goes on",
    .options = options,
    .options_size = sizeof(run_options),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "JOB.json",
    .run = run,
};
