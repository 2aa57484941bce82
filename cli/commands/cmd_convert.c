#include "cli/command.h"

#include "base/memory.h"
#include "runtime/store/database_export.h"
#include "search/replay.h"

#include <stdlib.h>
#include <string.h>

typedef struct convert_options {
    const char *from;
    const char *to;
    const char *space;
    const char *kernel;
    const char *problem;
    const char *device;
    uint64_t job;
    const char *json;
} convert_options;

static const ht_option options[] = {
    {"from", HT_OPTION_TEXT, offsetof(convert_options, from), "FORMAT",
     .help = "Format of IN: cache (Kernel Tuner cache file), t4 (T4 results) or database (tuning "
             "database). Default: by the content."},
    {"to", HT_OPTION_TEXT, offsetof(convert_options, to), "FORMAT",
     .help = "Format of OUT: cache or t4. Default: t4 when the name ends in T4 (A100_T4.json.gz), "
             "else t4 from a cache and cache from the others."},
    {"space", HT_OPTION_TEXT, offsetof(convert_options, space), "T1.json",
     .help = "The search space of the run: checks that parameters and values fit, writes the "
             "parameters in its order, and counts what is missing."},
    {"kernel", HT_OPTION_TEXT, offsetof(convert_options, kernel), "NAME",
     .help = "Of a database: the results of this template."},
    {"problem", HT_OPTION_TEXT, offsetof(convert_options, problem), "TEXT",
     .help = "Of a database: the results for this problem, as 'N=1 C=64 H=56'."},
    {"device", HT_OPTION_TEXT, offsetof(convert_options, device), "TEXT",
     .help = "Of a database: the results of a device whose description has this text in it."},
    {"job", HT_OPTION_COUNT, offsetof(convert_options, job), "N", .min = 1,
     .help = "Of a database: the results of job N. When several jobs fit, they are listed."},
    {"json", HT_OPTION_JSON, offsetof(convert_options, json), "FILE",
     .help = "Writes what was done as JSON: to standard output, or to FILE."},
    {0},
};

typedef enum format { CACHE, T4, DATABASE, FORMATS } format;

static const struct {
    const char *name;
    const char *words;
    ht_recording_format format;
} formats[FORMATS] = {
    [CACHE] = {"cache", "Kernel Tuner cache file", HT_RECORDING_CACHE},
    [T4] = {"t4", "T4 results", HT_RECORDING_T4},
    [DATABASE] = {"database", "tuning database", HT_RECORDING_GUESS},
};

/* The state of one run of the command. */
typedef struct conversion {
    const convert_options *given;
    const char *in, *out;
    format from, to;
    ht_recording *recording; /* owned */
    ht_replay_counts counts; /* with --space */
    uint64_t failed;
} conversion;

static ht_status format_named(const char *name, bool writing, format *out_format, ht_error *error) {
    for (format f = CACHE; f < (writing ? DATABASE : FORMATS); ++f)
        if (!strcmp(formats[f].name, name)) {
            *out_format = f;
            return HT_OK;
        }
    return ht_error_set(error, HT_ERROR_INPUT, "option --%s: unknown format '%s'; there are %s",
                        writing ? "to" : "from", name,
                        writing ? "cache and t4" : "cache, t4 and database");
}

/* Returns true if the name without its suffixes ends in "T4". */
static bool named_t4(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strcspn(name, ".");
    return length >= 2 && (name[length - 2] == 'T' || name[length - 2] == 't') &&
           name[length - 1] == '4';
}

static ht_status read_input(conversion *job, ht_error *error) {
    const convert_options *given = job->given;
    bool told = given->from != NULL;
    ht_status status = told ? format_named(given->from, false, &job->from, error) : HT_OK;
    if (status != HT_OK)
        return status;
    if (!told && ht_database_is(job->in)) {
        job->from = DATABASE;
        told = true;
    }
    if (told && job->from == DATABASE) {
        ht_database_choice choice = {given->kernel, given->problem, given->device, given->job};
        return ht_database_export(job->in, &choice, &job->recording, error);
    }
    if (given->kernel || given->problem || given->device || given->job)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "options --kernel, --problem, --device and --job choose from a "
                            "database, and %s is not one",
                            job->in);
    ht_recording_format format = told ? formats[job->from].format : HT_RECORDING_GUESS;
    status = ht_recording_read(job->in, format, &job->recording, error);
    if (status == HT_OK && !told)
        job->from = job->recording->format == HT_RECORDING_T4 ? T4 : CACHE;
    return status;
}

static ht_status choose_output(conversion *job, ht_error *error) {
    if (job->given->to)
        return format_named(job->given->to, true, &job->to, error);
    job->to = named_t4(job->out) || job->from == CACHE ? T4 : CACHE;
    return HT_OK;
}

static ht_status fit_space(conversion *job, ht_error *error) {
    ht_space *space = NULL;
    ht_replay *replay = NULL;
    if (!job->given->space)
        return HT_OK;
    ht_status status = ht_space_read_t1(job->given->space, 0, &space, error);
    if (status == HT_OK)
        status = ht_replay_create(space, job->recording, true, &replay, error);
    if (status == HT_OK) {
        job->counts = ht_replay_count(replay);
        ht_replay_arrange(space, job->recording);
    }
    ht_replay_free(replay);
    ht_space_free(space);
    return status;
}

static void report(const conversion *job, FILE *out) {
    fprintf(out, "%s (%s) -> %s (%s): %zu configurations, %llu failed\n", job->in,
            formats[job->from].words, job->out, formats[job->to].words,
            job->recording->record_count, (unsigned long long)job->failed);
    if (job->counts.missing)
        fprintf(out, "%llu of %llu legal configurations are not recorded\n",
                (unsigned long long)job->counts.missing, (unsigned long long)job->counts.space);
    if (job->counts.extra)
        fprintf(out, "%llu recorded configurations are not legal in %s\n",
                (unsigned long long)job->counts.extra, job->given->space);
}

static int report_json(const conversion *job) {
    json_t *document = ht_report_json_new("hiptemper-convert", 1);
    json_object_set_new(document, "input", ht_report_json_text(job->in));
    json_object_set_new(document, "output", ht_report_json_text(job->out));
    json_object_set_new(document, "from", ht_report_json_text(formats[job->from].name));
    json_object_set_new(document, "to", ht_report_json_text(formats[job->to].name));
    json_object_set_new(document, "configurations",
                        json_integer((json_int_t)job->recording->record_count));
    json_object_set_new(document, "failed", json_integer((json_int_t)job->failed));
    if (job->given->space) {
        json_object_set_new(document, "missing", json_integer((json_int_t)job->counts.missing));
        json_object_set_new(document, "extra", json_integer((json_int_t)job->counts.extra));
    }
    int code = ht_report_json(job->given->json, document);
    json_decref(document);
    return code;
}

static int run_convert(const ht_command_line *line) {
    conversion job = {.given = line->options, .in = line->operands[0], .out = line->operands[1]};
    ht_error error = {0};
    ht_status status = HT_OK;
    if (!strcmp(job.in, job.out))
        status = ht_error_set(&error, HT_ERROR_INPUT, "IN and OUT are the same file");
    if (status == HT_OK)
        status = read_input(&job, &error);
    if (status == HT_OK)
        status = choose_output(&job, &error);
    if (status == HT_OK)
        status = fit_space(&job, &error);
    if (status == HT_OK)
        status = ht_recording_write(job.recording, formats[job.to].format, job.out, &error);
    int code = HT_EXIT_OK;
    if (status == HT_OK) {
        for (size_t r = 0; r < job.recording->record_count; ++r)
            job.failed += job.recording->records[r].status != HT_OK;
        report(&job, ht_report_stream(job.given->json));
        code = report_json(&job);
    } else {
        code = ht_report_error(&error);
    }
    ht_recording_free(job.recording);
    return code;
}

const ht_command ht_command_convert = {
    .name = "convert",
    .summary = "turn a recorded tuning run into another format",
    .usage = "[OPTION]... IN OUT",
    .description =
        "Reads a recorded run - a Kernel Tuner cache file, T4 results, or one job of the tuning "
        "database - and writes it as a cache file or T4 results. A name that ends in .gz is "
        "packed. "
        "docs/convert.md tells what a format cannot carry.",
    .examples = "hiptemper convert A100.json.gz A100_T4.json.gz\n"
                "hiptemper convert --kernel conv2d ~/.local/share/hiptemper/tuning.sqlite "
                "conv2d.json",
    .options = options,
    .options_size = sizeof(convert_options),
    .min_operands = 2,
    .max_operands = 2,
    .operand = "IN or OUT",
    .last_is_written = true,
    .run = run_convert,
};
