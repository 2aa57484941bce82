#include "cli/commands/optimize_model.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "cli/reports/entry_report.h"
#include "cli/reports/profile_report.h"
#include "cli/reports/refactor_groups.h"
#include "cli/reports/whole_report.h"
#include "cli/tuning_options.h"
#include "pipeline/losses.h"
#include "pipeline/optimize_kept.h"
#include "pipeline/outputs.h"
#include "pipeline/profile.h"
#include "pipeline/style.h"
#include "refactor/transformations/transformations.h"
#include "runtime/emulate/anew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct optimize_options {
    ht_tuning_options tuning;
    ht_compiler_options compiler;
    const char *sandbox;
    const char *problem;
    const char *kernel;
    const char *out;
    const char *json;
    const char *html;
    const char *profile;
    const char *read;
    const char *commands;
    double share;
    uint64_t inputs;
    bool run;
    bool verbose;
    const char *style;
} optimize_options;

/* One command under way. */
typedef struct optimization {
    const optimize_options *given;
    ht_session *session;
    ht_survey survey;
    ht_whole whole; /* with --run */
    ht_command_list commands;
    ht_profile profile; /* with --profile */
    char profile_text[HT_HASH_SIZE + 32];
    ht_outputs *outputs;
    double reading_since;              /* clock; 0: nothing was read yet */
    ht_progress *reading;              /* NULL: it has not taken long */
    ht_optimize_kept *kept;            /* NULL: nothing is */
    const ht_model_devices *predicted; /* NULL: the session's device measures */
    FILE *out;                         /* the report */
} optimization;

static const ht_option options[] = {
    {"problem", HT_OPTION_TEXT, offsetof(optimize_options, problem), "FILE",
     .help = "Sizes to tune for and what each kernel's arguments mean, for all sources. Without it "
             "the file NAME.problem.json next to NAME.hip is read, when there is one."},
    {"kernel", HT_OPTION_TEXT, offsetof(optimize_options, kernel), "NAME",
     .help = "Only the kernel of this name."},
    {"run", HT_OPTION_FLAG, offsetof(optimize_options, run),
     .help = "The files are a whole program, which is built and run in host emulation with the "
             "words after '--': its launches give the problems to tune for. At the end it runs "
             "again with the tuned sources, and every copy from device to host, and the exit code, "
             "must be the same."},
    {"read", HT_OPTION_TEXT, offsetof(optimize_options, read), "DIR", .fallback = ".",
     .help = "With --run: the folder that the program may read files from, with all that is in "
             "it."},
    {"compile-commands", HT_OPTION_TEXT, offsetof(optimize_options, commands), "FILE",
     .help = "With --run: the project's compile_commands.json, with the folders of headers, macros "
             "and the standard for each file."},
    {"inputs", HT_OPTION_COUNT, offsetof(optimize_options, inputs), "MIB", .fallback = "16",
     .help = "With --run: whole numbers that kernels read are what they are in the program, in "
             "buffers of at most this size, and so are small tables; all else is random. 0: all "
             "is."},
    {"profile", HT_OPTION_TEXT, offsetof(optimize_options, profile), "FILE",
     .help = "A profiler's list of kernels and times, as CSV: rocprof's results.stats.csv, "
             "rocprofv3's kernel_stats.csv or kernel_trace.csv. Kernels are tuned in the order of "
             "their time, those that take little of it are left out (--share)."},
    {"share", HT_OPTION_NUMBER, offsetof(optimize_options, share), "PERCENT", .fallback = "95",
     .help = "With --run or --profile: of the kernels that were launched only the fewest are tuned "
             "that together take this share of the (emulated) time, unless --kernel names one; the "
             "others are listed. 100: all."},
    HT_TUNING_OPTIONS(optimize_options),
    {"ablation", HT_OPTION_COUNT, offsetof(optimize_options, tuning.ablation), "N", .fallback = "4",
     .help = "Further configurations to try, for each transformation that the best configuration "
             "uses, with its parameters at their defaults: they tell what it is worth. 0: only "
             "from what the search measured."},
    {"elsewhere", HT_OPTION_NUMBER, offsetof(optimize_options, tuning.elsewhere), "RATIO",
     .fallback = "0",
     .help = "Times each winner at sizes that it was not tuned for too: half as large, half as "
             "large again, and one less. Where it is clearly slower than this part of the "
             "original's speed, say 0.95, the tuned file's launch asks for the size and takes the "
             "original. 0: it is not timed there."},
    {"style", HT_OPTION_TEXT, offsetof(optimize_options, style), "plain|any", .fallback = "plain",
     .help = "Forms of source that may win: plain, only what a maintainer could have written: no "
             "lambda around the body, no second body, no built-in index declared anew; any, the "
             "fastest. The report says what the other would give."},
    {"no-comment", HT_OPTION_FLAG, offsetof(optimize_options, tuning.no_comment),
     .help = "Writes no comment above tuned kernels. Without it one says with what each was tuned, "
             "by which version, for which problem and device, and the speedup."},
    {"no-format", HT_OPTION_FLAG, offsetof(optimize_options, tuning.no_format),
     .help =
         "Leaves changed lines as they were written. Without it, where a .clang-format is above "
         "the source, clang-format formats them as it says; other lines stay as they are."},
    {"out", HT_OPTION_TEXT, offsetof(optimize_options, out), "DIR", .fallback = "hiptemper-out",
     .help = "Folder for the results; made when missing."},
    {"json", HT_OPTION_TEXT, offsetof(optimize_options, json), "FILE", .writes = true,
     .help = "Writes the report as JSON too; '-' is standard output, and the report for people "
             "then goes to standard error. docs/json.md describes it."},
    {"html", HT_OPTION_TEXT, offsetof(optimize_options, html), "FILE", .writes = true,
     .help =
         "Writes the report as a page for a browser: what was measured, the largest gain first, "
         "then kernels without one, by reason, with a next step for each."},
    {"verbose", HT_OPTION_FLAG, offsetof(optimize_options, verbose),
     .help = "Of more than 20 kernels and problems too, prints the whole report of each and each "
             "file that was written."},
    HT_WITHOUT_OPTION(optimize_options),
    HT_SANDBOX_OPTION(optimize_options),
    HT_COMPILER_OPTIONS(optimize_options),
    HT_STUB_OPTION(optimize_options),
    HT_ANALYSIS_OPTIONS(optimize_options),
    {0},
};

static size_t known_count(const ht_survey *survey) {
    size_t count = 0;
    for (size_t i = 0; i < survey->sources.count; ++i)
        count += survey->analyses[i].known != NULL;
    return count;
}

static json_t *document_make(const optimization *in) {
    const ht_survey *survey = &in->survey;
    json_t *document = ht_report_json_new("hiptemper-optimize", 1);
    ht_session_json(document, in->session);
    json_t *kernels = json_array();
    for (size_t i = 0; i < survey->entries.count; ++i)
        json_array_append_new(kernels,
                              ht_entry_json(&survey->entries.items[i], &in->session->device));
    json_object_set_new(document, "kernels", kernels);
    json_object_set_new(document, "kept", json_integer((json_int_t)known_count(survey)));
    json_object_set_new(document, "errors", ht_survey_errors_json(survey));
    return document;
}

static int html_write(const char *path, const json_t *document) {
    ht_error error = {0};
    char *text = ht_optimize_html(document);
    ht_status status = ht_result_write(path, text, strlen(text), &error);
    free(text);
    return status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
}

/* Returns true for more kernels than a whole report of each is for. */
static bool is_brief(const optimization *in) {
    enum { MANY = 20 };
    return in->survey.entries.count > MANY && !in->given->verbose;
}

/* Keeps what was found of a source for the next run. */
static void source_keep(const optimization *in, size_t source) {
    const ht_entries *entries = &in->survey.entries;
    json_t *rows = json_array();
    if (in->kept == NULL || in->survey.analyses[source].known != NULL) {
        json_decref(rows);
        return;
    }
    for (size_t i = 0; i < entries->count; ++i) {
        const ht_entry *entry = &entries->items[i];
        char *text =
            entry->source == source ? ht_entry_report_text(entry, &in->session->device) : NULL;
        if (text)
            json_array_append_new(rows, json_pack("{s:o, s:o}", "row",
                                                  ht_entry_json(entry, &in->session->device),
                                                  "text", ht_report_json_text(text)));
        free(text);
    }
    ht_optimize_kept_put(in->kept, in->outputs, source, rows);
    json_decref(rows);
}

static void settle(void *context, size_t source) {
    optimization *in = context;
    ht_outputs_write_source(in->outputs, source);
    source_keep(in, source);
}

static bool has_entries(const ht_survey *survey, size_t source) {
    for (size_t i = 0; i < survey->entries.count; ++i)
        if (survey->entries.items[i].source == source)
            return true;
    return false;
}

/* Keeps sources without a kernel that is wanted: nothing of them is tuned, or settled. */
static void others_keep(const optimization *in) {
    for (size_t i = 0; i < in->survey.sources.count; ++i)
        if (!has_entries(&in->survey, i))
            source_keep(in, i);
}

static void known_print(const ht_survey *survey, FILE *out) {
    size_t count = known_count(survey);
    if (count > 0)
        fprintf(out,
                "%zu of the files did not change since an earlier run and %s not tuned again "
                "(--fresh tunes %s).\n",
                count, count == 1 ? "was" : "were", count == 1 ? "it" : "them");
}

/* Shows that the program runs, which may take long; its own output follows. */
static void program_show(const optimization *in, const char *phase) {
    ht_progress *progress = ht_progress_new(in->out, 1);
    ht_progress_begin(progress, "the program");
    ht_progress_phase(progress, phase);
    if (ht_report_is_terminal(in->out))
        fputc('\n', in->out); /* it stays: nothing is redrawn while the program runs */
    ht_progress_free(progress);
}

/* Runs the whole program with the tuned sources. Returns the exit code. */
static int whole_compare(optimization *in, const ht_outputs *outputs) {
    ht_error error = {0};
    ht_whole *whole = &in->whole;
    ht_status status = HT_ERROR_INTERRUPTED;
    if (!ht_interrupted && outputs->copies.count > 0)
        program_show(in, "building it and running it with the tuned sources");
    if (!ht_interrupted)
        status = ht_whole_compare(whole, &outputs->copies, ht_whole_tolerance(&in->survey.entries),
                                  &error);
    if (status == HT_ERROR_INTERRUPTED) {
        if (whole->reason == NULL)
            whole->reason = ht_strdup("interrupted");
        status = HT_OK; /* the exit code says so already */
    }
    if (status != HT_OK)
        return ht_report_error(&error);
    ht_whole_print(whole, in->out);
    ht_whole_verdict verdict = ht_whole_verdict_of(whole);
    bool wrong = verdict == HT_WHOLE_DIFFERS || verdict == HT_WHOLE_FAILED;
    return wrong ? HT_EXIT_FAILED : HT_EXIT_OK;
}

/* Writes the files next to the report, prints the summary, writes JSON. Returns the exit code. */
static int finish(optimization *in, ht_outputs *outputs) {
    ht_survey *survey = &in->survey;
    const optimize_options *given = in->given;
    ht_error error = {0};
    int code = HT_EXIT_OK, whole = HT_EXIT_OK;
    if (ht_outputs_write(outputs, &error) != HT_OK)
        code = ht_report_error(&error);
    if (survey->entries.count || ht_survey_files_exit_code(survey) == HT_EXIT_OK)
        ht_entries_report_summary(&survey->entries, &in->session->device, in->out);
    json_t *document = document_make(in);
    if (is_brief(in))
        ht_reason_groups_print(json_object_get(document, "kernels"), true, in->out);
    ht_outputs_report(&survey->entries, given->out, is_brief(in), in->out);
    others_keep(in);
    known_print(survey, in->out);
    if (given->run && code == HT_EXIT_OK)
        whole = whole_compare(in, outputs);
    if (ht_interrupted)
        fprintf(in->out,
                "\nInterrupted: what was measured is in the database and will be reused.\n");
    ht_session_json(document, in->session); /* the program took its time, or was interrupted */
    if (given->run)
        json_object_set_new(document, "whole_program", ht_whole_json(&in->whole));
    int page = given->html ? html_write(given->html, document) : HT_EXIT_OK;
    code = ht_outputs_json(given->out, "optimize.json", given->json, document, code);
    int result = ht_survey_exit_code(survey);
    return result ? result : code ? code : page ? page : whole;
}

static int tune(optimization *in, const ht_refactor_options *compiler) {
    ht_session *session = in->session;
    ht_outputs outputs;
    ht_error error = {0};
    ht_outputs_open(&in->survey, session, compiler, in->given->out, &outputs);
    outputs.checker.session = session; /* what is written is what is timed */
    session->report = is_brief(in) ? ht_entry_report_brief : ht_entry_report;
    session->settle = settle;
    session->settle_context = in;
    in->outputs = &outputs;
    if (in->given->profile)
        ht_profile_report(&in->profile, "tuned", ht_profile_in_survey, &in->survey, in->out);
    if (in->survey.entries.count)
        fprintf(in->out, "Tuning on %s: %s\n\n", session->device.name, session->device.description);
    ht_status status = ht_entries_tune(&in->survey.entries, session, in->out, &error);
    bool failed = status != HT_OK && !ht_interrupted; /* Ctrl-C keeps what was done */
    int code = failed ? ht_report_error(&error) : finish(in, &outputs);
    session->settle = NULL;
    ht_outputs_close(&outputs);
    return code;
}

/* Shows which file is read, once reading takes long. */
static void reading_show(void *context, const ht_survey *survey, size_t source) {
    optimization *in = context;
    static const double silence = 2;
    double now = ht_clock_seconds();
    in->reading_since = in->reading_since > 0 ? in->reading_since : now;
    if (now - in->reading_since < silence)
        return;
    if (in->reading == NULL)
        in->reading = ht_progress_new(in->out, survey->sources.count);
    ht_progress_begin(in->reading, survey->sources.items[source].path);
    ht_progress_phase(in->reading, "reading and analysing");
}

/* Runs the program for its problems; they and its sources are what is surveyed. */
static ht_status program_run(optimization *in, ht_survey_options *options, ht_error *error) {
    ht_whole *whole = &in->whole;
    program_show(in, "building it and running it");
    ht_status status = ht_whole_begin(whole, in->given->out, &options->compiler, error);
    if (status != HT_OK)
        return status;
    ht_whole_print_begin(whole, in->out);
    fflush(in->out);
    options->problem = whole->problem_file;
    options->wanted = in->given->kernel == NULL ? ht_whole_wants : NULL;
    options->wanted_context = whole;
    return HT_OK;
}

/* Reads the profile: it says which kernels are surveyed, and their order. */
static ht_status profile_take(optimization *in, ht_survey_options *options, ht_error *error) {
    ht_status status = ht_profile_load(in->given->profile, &in->profile, error);
    if (status != HT_OK)
        return status;
    ht_profile_choose(&in->profile, in->given->share / 100.0);
    options->wanted = in->given->kernel == NULL ? ht_profile_wants : NULL;
    options->time = ht_profile_time;
    options->wanted_context = &in->profile;
    snprintf(in->profile_text, sizeof in->profile_text, "%s %.17g", in->profile.hash,
             in->given->share);
    options->wanted_text = in->profile_text;
    return HT_OK;
}

/* Finds what is to be tuned. */
static ht_status survey_make(optimization *in, const ht_command_line *line,
                             ht_survey_options *options, ht_error *error) {
    const optimize_options *given = in->given;
    char *const *paths = line->operands;
    size_t count = line->operand_count;
    ht_status status =
        ht_transformations_without(given->compiler.without.items, given->compiler.without.count,
                                   &options->compiler.without, error);
    if (status == HT_OK)
        status = ht_compiler_stub_check(&given->compiler, error);
    if (status == HT_OK && given->run)
        status = ht_outputs_prepare(given->out, given->json, error);
    if (status == HT_OK && given->run) {
        status = program_run(in, options, error);
        paths = in->whole.sources;
        count = in->whole.source_count;
    }
    if (status == HT_OK && given->profile)
        status = profile_take(in, options, error);
    in->kept = status == HT_OK && !given->run && !in->predicted
                   ? ht_optimize_kept_open(in->session, options)
                   : NULL;
    options->known = in->kept ? ht_optimize_kept_find : NULL;
    options->known_context = in->kept;
    options->reading = reading_show;
    options->reading_context = in;
    if (given->tuning.max_time > 0)
        ht_stop_at(in->session->start + given->tuning.max_time / 3);
    ht_rehearsal rehearsal;
    ht_rehearsal_init(&rehearsal, &options->compiler.limits);
    options->compiler.stopped = &ht_stopped;
    options->compiler.watch = &rehearsal.watch;
    if (status == HT_OK)
        status = ht_survey_make(paths, count, options, &in->survey, error);
    ht_progress_free(in->reading);
    in->reading = NULL;
    options->compiler.stopped = NULL; /* what is written is read again whatever the time */
    options->compiler.watch = NULL;
    ht_stop_at(0);
    return status;
}

/* Reads the program's files' own options. */
static ht_status commands_load(optimization *in, ht_error *error) {
    if (in->given->commands == NULL)
        return HT_OK;
    ht_program_files *files = &in->whole.files;
    ht_status status = ht_program_commands_load(in->given->commands, files, &in->commands, error);
    files->commands = &in->commands;
    return status;
}

/* Chooses by the model of a GPU. */
static int choose(optimization *in, const ht_refactor_options *compiler) {
    const ht_optimize_model_request request = {.survey = &in->survey,
                                               .session = in->session,
                                               .devices = in->predicted,
                                               .compiler = compiler,
                                               .folder = in->given->out,
                                               .json = in->given->json};
    return ht_optimize_model(&request);
}

static int optimize(optimization *in, const ht_command_line *line) {
    const optimize_options *given = in->given;
    ht_survey_options options = {.problem = given->problem,
                                 .kernel = given->kernel,
                                 .out = given->out,
                                 .device = in->predicted ? &in->predicted->target.fields
                                                         : &in->session->device.fields};
    ht_error error = {0};
    ht_status status = commands_load(in, &error);
    ht_program_arguments_make(&in->whole.files, &options.compiler);
    if (status == HT_OK)
        status = survey_make(in, line, &options, &error);
    ht_survey *survey = &in->survey;
    if (status == HT_OK && !given->run) /* it is made already */
        status = ht_outputs_prepare(given->out, given->json, &error);
    for (size_t i = 0; i < survey->sources.count && status == HT_OK; ++i)
        status = ht_output_check(given->out, survey->sources.items[i].output, &error);
    int code = status != HT_OK ? ht_report_error(&error)
               : in->predicted ? choose(in, &options.compiler)
                               : tune(in, &options.compiler);
    ht_survey_free(survey);
    ht_optimize_kept_free(in->kept);
    ht_profile_free(&in->profile);
    ht_compiler_arguments_free(&options.compiler);
    return code;
}

/* Finds options that contradict each other. */
static ht_status options_check(const ht_command_line *line, ht_error *error) {
    const optimize_options *given = line->options;
    if (!given->run && line->argument_count > 0)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "words after '--' are a program's arguments: add --run, or leave "
                            "'--' out");
    if (!given->run && given->commands != NULL)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "--compile-commands is for whole programs: add --run; for a tree, name "
                            "the file among the \"sources\" of a job (hiptemper run)");
    ht_status status = ht_profile_share_check(given->share, error);
    if (status != HT_OK)
        return status;
    bool predicts = ht_text_begins(given->tuning.device, HT_MODEL_PREFIX);
    if (predicts && (given->run || given->html != NULL))
        return ht_error_set(error, HT_ERROR_INPUT,
                            "--device %s predicts and measures nothing: leave %s out",
                            given->tuning.device, given->run ? "--run" : "--html");
    if (given->run && given->profile != NULL)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "--run takes the kernels' times from the program: leave --profile out");
    if (given->run && given->problem != NULL)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "--run takes problems from the program: leave --problem out");
    return HT_OK;
}

static int run_optimize(const ht_command_line *line) {
    const optimize_options *given = line->options;
    ht_session session;
    ht_error error = {0};
    bool any = false;
    ht_tuning_options tuning = given->tuning;
    if (given->run)
        ht_emulate_sleep_start();
    ht_status status = options_check(line, &error);
    if (status == HT_OK)
        status = ht_style_read(given->style, &any, &error);
    tuning.plain = !any;
    ht_model_devices devices;
    bool predicts = ht_text_begins(given->tuning.device, HT_MODEL_PREFIX);
    if (predicts) {
        if (status == HT_OK)
            status = ht_model_devices_find(given->tuning.device, &devices, &error);
        tuning.device = "host"; /* verifies */
    }
    if (status == HT_OK)
        status = ht_session_open(&tuning, &session, &error);
    if (status != HT_OK)
        return ht_report_error(&error);
    optimization in = {
        .given = given,
        .session = &session,
        .predicted = predicts ? &devices : NULL,
        .whole = {.files = {line->operands, line->operand_count, &given->compiler, NULL},
                  .run = {.arguments = line->arguments,
                          .argument_count = line->argument_count,
                          .read = given->read},
                  .wavefront = session.device.fields.wavefront == 32 ? 32 : 64,
                  .inputs = given->inputs << 20,
                  .share = given->share / 100.0},
        .out = ht_report_stream(given->json),
    };
    int code = optimize(&in, line);
    ht_whole_free(&in.whole);
    ht_command_list_free(&in.commands);
    ht_session_close(&session);
    return code;
}

const ht_command ht_command_optimize = {
    .name = "optimize",
    .summary = "tune the kernels of HIP source files; write faster copies and patches",
    .usage = "[OPTION]... PATH... [-- ARGUMENT...]",
    .description =
        "Finds the __global__ kernels of HIP source files, rewrites each into a template whose "
        "block sizes, unroll factors and the like are parameters, searches for the fastest "
        "configuration, and writes a copy of the source with it. A PATH is a file, or a folder "
        "that "
        "is read recursively (.hip .cu .cuh .cpp .cxx .cc .h .hpp .hh .hxx .inl).\n\n"
        "Nothing is called faster unless its output agreed with the original's on fresh random "
        "inputs and the 95 % confidence interval of the speedup, measured next to the original, "
        "lies "
        "above 1. A kernel is 'improved', 'kept' (nothing clearly faster), 'refused' or 'failed' "
        "(with "
        "the reason), 'not-run' (the time was up: no failure), or 'needs-problem': then a "
        "skeleton of a problem file is written, to be filled in with sizes and the meaning of "
        "arguments.\n\n"
        "When a problem file has several instances, the copy for the first is named like the "
        "source, the others NAME.INSTANCE.hip. On device host, the machine's own cores run the "
        "kernels: "
        "such times are host emulation and say nothing about a GPU.\n\n"
        "Ctrl-C ends the search and reports what was done; a second one kills.",
    .examples =
        "hiptemper optimize conv.hip\n"
        "hiptemper optimize src/kernels --max-time 600 --out tuned --json tuned/report.json\n"
        "hiptemper optimize conv.hip --problem layers.json --kernel conv2d -I include\n"
        "hiptemper optimize --run main.hip kernels.hip -- --size 512\n"
        "patch -p1 < hiptemper-out/conv.hip.patch",
    .options = options,
    .options_size = sizeof(optimize_options),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operand = "PATH",
    .takes_arguments = true,
    .run = run_optimize,
};
