#include "pipeline/losses.h"
#include "pipeline/outputs.h"

#include "base/clock.h"
#include "base/file.h"
#include "cli/reports/entry_report.h"
#include "cli/tuning_options.h"

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
} optimize_options;

static const ht_option options[] = {
    {"problem", HT_OPTION_TEXT, offsetof(optimize_options, problem), "FILE",
     .help = "Sizes to tune for and what each kernel's arguments mean, for all sources. Without it "
             "the file NAME.problem.json next to NAME.hip is read, when there is one."},
    {"kernel", HT_OPTION_TEXT, offsetof(optimize_options, kernel), "NAME",
     .help = "Only the kernel of this name."},
    HT_TUNING_OPTIONS(optimize_options),
    {"ablation", HT_OPTION_COUNT, offsetof(optimize_options, tuning.ablation), "N", .fallback = "4",
     .help = "Further configurations to try, for each transformation that the best configuration "
             "uses, with its parameters at their defaults: they tell what it is worth. 0: only "
             "from what the search measured."},
    {"out", HT_OPTION_TEXT, offsetof(optimize_options, out), "DIR", .fallback = "hiptemper-out",
     .help = "Folder for the results; made when missing."},
    {"json", HT_OPTION_TEXT, offsetof(optimize_options, json), "FILE", .writes = true,
     .help = "Writes the report as JSON too; '-' is standard output, and the report for people "
             "then goes to standard error. docs/json.md describes it."},
    HT_SANDBOX_OPTION(optimize_options),
    HT_COMPILER_OPTIONS(optimize_options),
    HT_ANALYSIS_OPTIONS(optimize_options),
    {0},
};

static json_t *document_make(const ht_survey *survey, const ht_session *session) {
    json_t *document = ht_report_json_new("hiptemper-optimize", 1);
    ht_session_json(document, session);
    json_t *kernels = json_array();
    for (size_t i = 0; i < survey->entries.count; ++i)
        json_array_append_new(kernels, ht_entry_json(&survey->entries.items[i], &session->device));
    json_object_set_new(document, "kernels", kernels);
    json_object_set_new(document, "errors", ht_survey_errors_json(survey));
    return document;
}

/* Writes the files next to the report, prints the summary, writes JSON. Returns the exit code. */
static int finish(ht_outputs *outputs, const ht_session *session, const optimize_options *given,
                  FILE *out) {
    ht_survey *survey = outputs->survey;
    ht_error error = {0};
    int code = HT_EXIT_OK;
    if (ht_outputs_write(outputs, &error) != HT_OK)
        code = ht_report_error(&error);
    if (survey->entries.count || ht_survey_files_exit_code(survey) == HT_EXIT_OK)
        ht_entries_report_summary(&survey->entries, &session->device, out);
    ht_outputs_report(&survey->entries, given->out, out);
    if (ht_interrupted)
        fprintf(out, "\nInterrupted: what was measured is in the database and will be reused.\n");
    code = ht_outputs_json(given->out, "optimize.json", given->json, document_make(survey, session),
                           code);
    int result = ht_survey_exit_code(survey);
    return result ? result : code;
}

static void settle(void *context, size_t source) {
    ht_outputs_write_source(context, source);
}

static int tune(ht_survey *survey, ht_session *session, const optimize_options *given,
                const ht_refactor_options *compiler, FILE *out) {
    ht_outputs outputs;
    ht_error error = {0};
    ht_outputs_open(survey, session, compiler, given->out, &outputs);
    session->report = ht_entry_report;
    session->settle = settle;
    session->settle_context = &outputs;
    if (survey->entries.count)
        fprintf(out, "Tuning on %s: %s\n\n", session->device.name, session->device.description);
    ht_status status = ht_entries_tune(&survey->entries, session, out, &error);
    int code = status != HT_OK ? ht_report_error(&error) : finish(&outputs, session, given, out);
    session->settle = NULL;
    ht_outputs_close(&outputs);
    return code;
}

static int optimize(ht_session *session, const optimize_options *given, char *const *paths,
                    size_t path_count) {
    ht_survey_options options = {.problem = given->problem,
                                 .kernel = given->kernel,
                                 .out = given->out,
                                 .device = &session->device.fields};
    ht_compiler_arguments_make(&given->compiler, &options.compiler);
    ht_rehearsal rehearsal;
    ht_rehearsal_init(&rehearsal, &options.compiler.limits);
    FILE *out = ht_report_stream(given->json);
    ht_survey survey;
    ht_error error = {0};
    int code = HT_EXIT_OK;
    if (given->tuning.max_time > 0)
        ht_stop_at(session->start + given->tuning.max_time / 3);
    options.compiler.stopped = &ht_stopped;
    options.compiler.watch = &rehearsal.watch;
    ht_status status = ht_survey_make(paths, path_count, &options, &survey, &error);
    options.compiler.stopped = NULL; /* what is written is read again whatever the time */
    options.compiler.watch = NULL;
    ht_stop_at(0);
    if (status == HT_OK)
        status = ht_outputs_prepare(given->out, given->json, &error);
    for (size_t i = 0; i < survey.sources.count && status == HT_OK; ++i)
        status = ht_output_check(given->out, survey.sources.items[i].output, &error);
    code = status != HT_OK ? ht_report_error(&error)
                           : tune(&survey, session, given, &options.compiler, out);
    ht_survey_free(&survey);
    ht_compiler_arguments_free(&options.compiler);
    return code;
}

static int run(const ht_command_line *line) {
    const optimize_options *given = line->options;
    ht_session session;
    ht_error error = {0};
    if (ht_session_open(&given->tuning, &session, &error) != HT_OK)
        return ht_report_error(&error);
    int code = optimize(&session, given, line->operands, line->operand_count);
    ht_session_close(&session);
    return code;
}

const ht_command ht_command_optimize = {
    .name = "optimize",
    .summary = "tune the kernels of HIP source files; write faster copies and patches",
    .usage = "[OPTION]... PATH...",
    .description =
        "Finds the __global__ kernels of HIP source files, rewrites each into a template whose "
        "block sizes, unroll factors and the like are parameters, searches for the fastest "
        "configuration, and writes a copy of the source with it. A PATH is a file, or a folder "
        "that "
        "is read recursively (.hip .cu .cuh .cpp .cxx .h .hpp .inl).\n\n"
        "Nothing is called faster unless its output agreed with the original's on fresh random "
        "inputs and the 95 % confidence interval of the speedup, measured next to the original, "
        "lies "
        "above 1. A kernel is 'improved', 'kept' (nothing clearly faster), 'refused' or 'failed' "
        "(with "
        "the reason), or 'needs-problem': then a skeleton of a problem file is written, to be "
        "filled "
        "in with sizes and the meaning of arguments.\n\n"
        "When a problem file has several instances, the copy for the first is named like the "
        "source, the others NAME.INSTANCE.hip. On device host, the machine's own cores run the "
        "kernels: "
        "such times are host emulation and say nothing about a GPU.\n\n"
        "Ctrl-C ends the search and reports what was done; a second one kills.",
    .examples =
        "hiptemper optimize conv.hip\n"
        "hiptemper optimize src/kernels --max-time 600 --out tuned --json tuned/report.json\n"
        "hiptemper optimize conv.hip --problem layers.json --kernel conv2d -I include\n"
        "patch -p1 < hiptemper-out/conv.hip.patch",
    .options = options,
    .options_size = sizeof(optimize_options),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operand = "PATH",
    .run = run,
};
