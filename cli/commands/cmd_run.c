#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/reports/entry_report.h"
#include "cli/reports/night_report.h"
#include "cli/reports/whole_report.h"
#include "pipeline/nightly/night.h"
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
     .help = "Takes this one of the job's devices only: one process for each device."},
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

/* Runs the night, or what stands for it. */
static int night(const run_options *given, const char *path, const ht_job_file *job) {
    ht_error error = {0};
    json_t *document = NULL;
    FILE *out = ht_report_stream(given->json);
    ht_night_options night = {.job = job,
                              .path = path,
                              .dry = given->dry_run || given->why,
                              .device = given->device,
                              .tag = given->tag,
                              .baseline = given->baseline,
                              .progress = stderr,
                              .row = ht_entry_json,
                              .whole = ht_whole_json};
    ht_status status = shard_parse(given->shard, &night.shard, &night.shards, &error);
    if (status == HT_OK)
        status = ht_night_run(&night, &document, &error);
    int code = status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
    if (document) {
        if (given->why)
            code = code ? code : ht_night_report_why(document, given->why, out);
        else
            ht_night_report(document, out);
        int written = ht_report_json(given->json, document);
        if (given->notify && !night.dry && ht_notify(given->notify, document, &error) != HT_OK) {
            int notified = ht_report_error(&error);
            written = written ? written : notified;
        }
        int own = (int)json_integer_value(json_object_get(document, "exit"));
        code = code ? code : own ? own : written;
    }
    json_decref(document);
    return code;
}

static int run(const ht_command_line *line) {
    const run_options *given = line->options;
    const char *path = line->operands[0];
    ht_job_file job;
    ht_error error = {0};
    if (given->init)
        return init(path);
    ht_status status = ht_job_file_load(path, &job, &error);
    if (status == HT_ERROR_IO)
        error.status = HT_ERROR_INPUT;
    if (status == HT_OK && job.program_count > 0 && !given->dry_run && !given->why)
        ht_emulate_sleep_start();
    int code = status == HT_OK ? night(given, path, &job) : ht_report_error(&error);
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
        "others wait, and say so.\n\n"
        "The smallest job: {\"sources\": [\"tree\"], \"budget\": {\"seconds\": 120}, \"database\": "
        "\"n.sqlite\", \"out\": \"out\"}. docs/job.md describes all keys. On device host the "
        "machine's own cores run the kernels: such times are host emulation and say nothing about "
        "a GPU.",
    .examples = "hiptemper run --init nightly.json\n"
                "hiptemper run --dry-run nightly.json\n"
                "hiptemper run nightly.json --json last.json\n"
                "hiptemper run --why conv2d nightly.json",
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
