#include "cli/outputs.h"
#include "cli/refactor_report.h"
#include "cli/tuning_options.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct refactor_options {
    ht_compiler_options compiler;
    const char *problem;
    const char *kernel;
    const char *out;
    const char *json;
    bool explain;
} refactor_options;

static const ht_option options[] = {
    {"problem", HT_OPTION_TEXT, offsetof(refactor_options, problem), "FILE",
     .help = "What the kernels' arguments mean, for all sources. Without it the file "
             "NAME.problem.json beside NAME.hip is read, when there is one."},
    {"kernel", HT_OPTION_TEXT, offsetof(refactor_options, kernel), "NAME",
     .help = "Only the kernel of this name."},
    {"explain", HT_OPTION_FLAG, offsetof(refactor_options, explain),
     .help =
         "Prints every remark: what was made a parameter, what was not and why, with file, line "
         "and column."},
    {"out", HT_OPTION_TEXT, offsetof(refactor_options, out), "DIR", .fallback = "hiptemper-out",
     .help = "Folder for templates and skeletons; made when missing."},
    {"json", HT_OPTION_JSON, offsetof(refactor_options, json), "FILE",
     .help = "Writes the report as JSON: to standard output, or to FILE. docs/json.md describes "
             "it."},
    HT_COMPILER_OPTIONS(refactor_options),
    {0},
};

/* Skeletons and templates come out as optimize writes them; no entry was tuned. */
static ht_refactor_row *rows_make(const ht_survey *survey, size_t *out_count) {
    ht_refactor_row *rows = NULL;
    *out_count = 0;
    size_t last_source = SIZE_MAX, last_kernel = SIZE_MAX;
    for (size_t i = 0; i < survey->entries.count; ++i) {
        const ht_entry *entry = &survey->entries.items[i];
        if (entry->source == last_source && entry->kernel == last_kernel)
            continue; /* another instance of the same kernel */
        last_source = entry->source;
        last_kernel = entry->kernel;
        HT_GROW(rows, *out_count);
        rows[(*out_count)++] = (ht_refactor_row){
            .kernel = ht_refactor_kernel(survey->analyses[entry->source].refactor, entry->kernel),
            .template_file = entry->template_file ? ht_strdup(entry->template_file) : NULL,
            .skeleton_file = entry->skeleton_file ? ht_strdup(entry->skeleton_file) : NULL};
    }
    return rows;
}

static void rows_free(ht_refactor_row *rows, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        free(rows[i].template_file);
        free(rows[i].skeleton_file);
    }
    free(rows);
}

static json_t *document_make(const ht_survey *survey, const ht_refactor_row *rows, size_t count) {
    size_t parsed = 0;
    for (size_t i = 0; i < survey->sources.count; ++i)
        parsed += survey->analyses[i].refactor != NULL;
    json_t *document = ht_report_json_new("hiptemper-refactor", 1);
    json_object_set_new(document, "files", json_integer((json_int_t)survey->sources.count));
    json_object_set_new(document, "parsed", json_integer((json_int_t)parsed));
    json_t *kernels = json_array();
    for (size_t i = 0; i < count; ++i)
        json_array_append_new(kernels, ht_refactor_row_json(&rows[i]));
    json_object_set_new(document, "kernels", kernels);
    json_object_set_new(document, "errors", ht_survey_errors_json(survey));
    return document;
}

static int report(ht_survey *survey, const refactor_options *given) {
    FILE *out = ht_report_stream(given->json);
    size_t count;
    ht_refactor_row *rows = rows_make(survey, &count);
    for (size_t i = 0; i < count; ++i) {
        if (given->explain || rows[i].kernel->reason)
            ht_refactor_report_remarks(rows[i].kernel, out);
    }
    if (count)
        ht_refactor_report_table(rows, count, out);
    else if (ht_survey_files_exit_code(survey) == HT_EXIT_OK)
        fprintf(out, "No kernels were found.\n");
    ht_outputs_report(&survey->entries, given->out, out);
    json_t *document = document_make(survey, rows, count);
    int code = ht_report_json(given->json, document);
    json_decref(document);
    rows_free(rows, count);
    return code;
}

static int run(const ht_command_line *line) {
    const refactor_options *given = line->options;
    ht_survey_options options = {
        .problem = given->problem, .kernel = given->kernel, .out = given->out};
    ht_compiler_arguments_make(&given->compiler, &options.compiler);
    ht_interrupt_install();
    ht_survey survey;
    ht_error error = {0};
    int code;
    ht_status status =
        ht_survey_make(line->operands, line->operand_count, &options, &survey, &error);
    if (status == HT_OK)
        status = ht_outputs_prepare(given->out, given->json, &error);
    if (status == HT_OK)
        status = ht_outputs_write(&survey, NULL, &options.compiler, given->out, &error);
    if (status != HT_OK) {
        code = ht_report_error(&error);
    } else {
        code = report(&survey, given);
        int result = ht_survey_files_exit_code(&survey);
        code = result ? result : code;
    }
    ht_survey_free(&survey);
    ht_compiler_arguments_free(&options.compiler);
    return code;
}

const ht_command ht_command_refactor = {
    .name = "refactor",
    .summary = "turn the kernels of HIP source files into templates; explain what cannot be",
    .usage = "[OPTION]... PATH...",
    .description =
        "Reads HIP sources through clang's AST, proves which choices of each kernel (block sizes, "
        "shared arrays that follow from them, unroll factors, outputs a thread) can be made "
        "parameters, "
        "and writes a template for each: the kernel with '#pragma tune' lines that any HIP "
        "compiler "
        "ignores, which 'hiptemper tune' takes. What cannot be proved is left alone, with the "
        "reason "
        "and its place. The sources are not changed.\n\n"
        "A kernel whose arguments are described neither by annotations nor by a problem file is "
        "'needs-problem': a skeleton is written, to be filled in.",
    .examples = "hiptemper refactor conv.hip --explain\n"
                "hiptemper refactor src/ -I include -D USE_FLOAT --out templates\n"
                "hiptemper refactor src/ --json=kernels.json",
    .exit_codes = "  0    every file was read\n"
                  "  1    a file found in a folder could not be read, or a result not written\n"
                  "  2    wrong usage or bad input\n"
                  "  3    a tool or library is missing\n",
    .options = options,
    .options_size = sizeof(refactor_options),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operand = "PATH",
    .run = run,
};
