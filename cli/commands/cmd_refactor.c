#include "base/file.h"
#include "base/result.h"
#include "cli/reports/explain_kernel.h"
#include "cli/reports/profile_report.h"
#include "cli/reports/refactor_report.h"
#include "cli/tuning_options.h"
#include "pipeline/outputs.h"
#include "pipeline/recipes.h"
#include "pipeline/refactor_files.h"
#include "refactor/transformations/transformations.h"

#include <stdlib.h>
#include <string.h>

typedef struct refactor_options {
    ht_compiler_options compiler;
    const char *sandbox;
    const char *problem;
    const char *kernel;
    const char *profile;
    double share;
    const char *out;
    const char *json;
    const char *sarif;
    const char *html;
    const char *commands;
    const char *recipe;
    const char *save_recipe;
    uint64_t jobs;
    double file_time;
    uint64_t verify_configurations;
    uint64_t seed;
    bool no_verify;
    bool fresh;
    bool beside;
    bool explain;
    bool verbose;
} refactor_options;

static const ht_option options[] = {
    {"problem", HT_OPTION_TEXT, offsetof(refactor_options, problem), "FILE",
     .help = "What the kernels' arguments mean, for all sources. Without it the file "
             "NAME.problem.json next to NAME.hip is read, when there is one."},
    {"kernel", HT_OPTION_TEXT, offsetof(refactor_options, kernel), "NAME",
     .help = "Only the kernel of this name."},
    {"profile", HT_OPTION_TEXT, offsetof(refactor_options, profile), "FILE",
     .help = "A profiler's list of kernels and times, as CSV: rocprof's results.stats.csv, "
             "rocprofv3's kernel_stats.csv or kernel_trace.csv. Kernels come in the order of "
             "their time, those that take little of it are left out (--share)."},
    {"share", HT_OPTION_NUMBER, offsetof(refactor_options, share), "PERCENT", .fallback = "95",
     .help = "With --profile: only the fewest kernels are taken that together take this share of "
             "the time, unless --kernel names one; the others are listed. 100: all."},
    {"explain", HT_OPTION_FLAG, offsetof(refactor_options, explain),
     .help =
         "Prints every remark: what was made a parameter, what was not and why, with file, line "
         "and column. With a kernel's name ahead of the files (--explain KERNEL FILE...): instead, "
         "what is known of that kernel's launch, loops, accesses, dependences and footprints."},
    {"out", HT_OPTION_TEXT, offsetof(refactor_options, out), "DIR", .fallback = "hiptemper-out",
     .help = "Folder for templates and skeletons; made when missing."},
    {"json", HT_OPTION_JSON, offsetof(refactor_options, json), "FILE",
     .help = "Writes the report as JSON: to standard output, or to FILE. docs/json.md describes "
             "it."},
    {"sarif", HT_OPTION_TEXT, offsetof(refactor_options, sarif), "FILE", .writes = true,
     .help = "Writes the remarks as a SARIF 2.1.0 log, which code review tools show next to the "
             "lines."},
    {"html", HT_OPTION_TEXT, offsetof(refactor_options, html), "FILE", .writes = true,
     .help = "Writes the report as a page for a browser: templates, those with most changes first, "
             "then kernels without one, by reason, with a next step for each."},
    {"verbose", HT_OPTION_FLAG, offsetof(refactor_options, verbose),
     .help = "Of more than 20 kernels too, prints each reason with its place and each file that "
             "was written."},
    {"compile-commands", HT_OPTION_TEXT, offsetof(refactor_options, commands), "FILE",
     .help = "The project's compile_commands.json, which tells folders of headers, macros and the "
             "standard for each source. Without it, the one in a given folder or in its folder "
             "build is read, when there is one."},
    {"save-recipe", HT_OPTION_TEXT, offsetof(refactor_options, save_recipe), "FILE", .writes = true,
     .help = "Writes the transformations that each template got, with their parameters and values, "
             "as a recipe, to be cut down by hand and replayed."},
    {"recipe", HT_OPTION_TEXT, offsetof(refactor_options, recipe), "FILE",
     .help = "Offers only the kernels, transformations, parameters and values that this file "
             "names. What is no longer possible is an error."},
    HT_WITHOUT_OPTION(refactor_options),
    {"jobs", HT_OPTION_COUNT, offsetof(refactor_options, jobs), "N", .fallback = "0",
     .help = "Processes that read files; 0 is one a core."},
    {"file-time", HT_OPTION_NUMBER, offsetof(refactor_options, file_time), "SECONDS",
     .fallback = "60",
     .help = "CPU time for one file (ten times that by the clock): one that takes longer, or "
             "crashes clang, is left out; 0 is no limit."},
    {"beside", HT_OPTION_FLAG, offsetof(refactor_options, beside),
     .help = "Puts templates and their launchers next to the sources, not into the output folder. "
             "Searching a folder leaves them out."},
    {"no-verify", HT_OPTION_FLAG, offsetof(refactor_options, no_verify),
     .help = "Hands templates out without running them next to the originals."},
    {"verify-configurations", HT_OPTION_COUNT, offsetof(refactor_options, verify_configurations),
     "N", .fallback = "32",
     .help = "Random legal configurations of each template, in addition to the default one, that "
             "must give "
             "what the original gives."},
    {"fresh", HT_OPTION_FLAG, offsetof(refactor_options, fresh),
     .help =
         "Reads and verifies everything. Without it, what an earlier run found in a file is "
         "taken, if nothing that it depends on has changed since: its text and headers, options, "
         "this program and the compiler (HIPTEMPER_KEPT names the folder)."},
    {"seed", HT_OPTION_COUNT, offsetof(refactor_options, seed), "N", .fallback = "1",
     .help = "Seed of those configurations and of the random inputs."},
    HT_SANDBOX_OPTION(refactor_options),
    HT_COMPILER_OPTIONS(refactor_options),
    HT_STUB_OPTION(refactor_options),
    HT_ANALYSIS_OPTIONS(refactor_options),
    {0},
};

static json_t *document_make(const ht_refactor_tree_result *result) {
    json_t *document = ht_report_json_new("hiptemper-refactor", 2);
    json_object_set_new(document, "files", json_integer((json_int_t)result->files));
    json_object_set_new(document, "parsed", json_integer((json_int_t)result->parsed));
    json_object_set_new(document, "kept", json_integer((json_int_t)result->kept));
    json_object_set(document, "kernels", result->kernels);
    json_object_set(document, "errors", result->errors);
    return document;
}

static int html_write(const char *path, const ht_refactor_tree_result *result) {
    ht_error error = {0};
    char *text = ht_refactor_html(result->kernels, result->errors);
    ht_status status = ht_result_write(path, text, strlen(text), &error);
    free(text);
    return status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
}

static void kept_print(const ht_refactor_tree_result *result, FILE *out) {
    size_t index, timed = 0;
    json_t *row;
    json_array_foreach(result->kernels, index, row) timed +=
        json_is_string(json_object_get(row, "earlier"));
    if (result->kept > 0)
        fprintf(out,
                "%zu of the files did not change since an earlier run and %s not read again "
                "(--fresh reads them).\n",
                result->kept, result->kept == 1 ? "was" : "were");
    if (timed > 0)
        fprintf(out,
                "%zu of the kernels reached a limit of time in that run and %s not tried again "
                "(--fresh tries %s).\n",
                timed, timed == 1 ? "was" : "were", timed == 1 ? "it" : "them");
}

/* Returns true if a row is of the kernel. */
static bool in_rows(const void *rows, const ht_profile_kernel *kernel) {
    size_t index;
    json_t *row;
    json_array_foreach(
        (json_t *)rows, index,
        row) if (ht_profile_names(kernel,
                                  json_string_value(json_object_get(row, "name")))) return true;
    return false;
}

static int report(const ht_refactor_tree_result *result, const ht_profile *profile,
                  const refactor_options *given) {
    enum { MANY = 20 };
    FILE *out = ht_report_stream(given->json);
    ht_report_detail detail = given->explain ? HT_REPORT_ALL
                              : json_array_size(result->kernels) > MANY && !given->verbose
                                  ? HT_REPORT_BRIEF
                                  : HT_REPORT_USUAL;
    size_t index;
    json_t *row;
    json_array_foreach(result->kernels, index, row) ht_refactor_report_remarks(row, detail, out);
    if (json_array_size(result->kernels))
        ht_refactor_report_table(result->kernels, detail, out);
    else if (result->code == HT_EXIT_OK)
        fprintf(out, "No kernels were found.\n");
    ht_refactor_report_files(result->kernels, given->out, detail, out);
    ht_refactor_report_summary(result->kernels, result->files, result->parsed, detail, out);
    kept_print(result, out);
    if (profile != NULL)
        ht_profile_report(profile, "rewritten", in_rows, result->kernels, out);
    if (ht_interrupted)
        fprintf(out, "\nInterrupted: this is what was read until then.\n");
    json_t *document = document_make(result);
    int code = ht_report_json(given->json, document);
    json_decref(document);
    json_t *log = given->sarif ? ht_refactor_sarif(result->kernels, result->errors) : NULL;
    int other = ht_report_json(log ? given->sarif : NULL, log);
    json_decref(log);
    int page = given->html ? html_write(given->html, result) : HT_EXIT_OK;
    int saved = given->save_recipe ? ht_recipe_save(given->save_recipe, result->kernels) : 0;
    return code ? code : other ? other : page ? page : saved;
}

/* Returns true for --explain KERNEL FILE...: the first operand is not a path. */
static bool names_kernel(const ht_command_line *line, const refactor_options *given) {
    return given->explain && line->operand_count > 1 && !ht_file_exists(line->operands[0]) &&
           !ht_dir_exists(line->operands[0]);
}

static int explain(const ht_command_line *line, const refactor_options *given) {
    ht_explain_request request = {.kernel = line->operands[0],
                                  .paths = line->operands + 1,
                                  .path_count = line->operand_count - 1,
                                  .problem = given->problem,
                                  .json = given->json};
    ht_compiler_arguments_make(&given->compiler, &request.compiler);
    int code = ht_explain_kernel(&request);
    ht_compiler_arguments_free(&request.compiler);
    return code;
}

static ht_status profile_take(const refactor_options *given, ht_profile *out, ht_error *error) {
    ht_status status = ht_profile_share_check(given->share, error);
    if (status == HT_OK && given->profile)
        status = ht_profile_load(given->profile, out, error);
    if (status == HT_OK && given->profile)
        ht_profile_choose(out, given->share / 100.0);
    return status;
}

static int run_refactor(const ht_command_line *line) {
    const refactor_options *given = line->options;
    if (names_kernel(line, given))
        return explain(line, given);
    ht_refactor_request request = {.paths = line->operands,
                                   .path_count = line->operand_count,
                                   .problem = given->problem,
                                   .kernel = given->kernel,
                                   .out = given->out,
                                   .commands = given->commands,
                                   .jobs = given->jobs,
                                   .file_limit = given->file_time,
                                   .beside = given->beside,
                                   .verify = !given->no_verify,
                                   .fresh = given->fresh,
                                   .verifying = {.configurations = given->verify_configurations,
                                                 .seed = given->seed,
                                                 .jobs = given->jobs}};
    ht_compiler_arguments_make(&given->compiler, &request.compiler);
    ht_refactor_tree_result result = {0};
    ht_error error = {0};
    ht_recipe *recipe = NULL;
    ht_profile profile = {0};
    ht_status status = profile_take(given, &profile, &error);
    request.profile = given->profile ? &profile : NULL;
    if (status == HT_OK)
        status = given->recipe ? ht_recipe_load(given->recipe, &recipe, &error) : HT_OK;
    request.compiler.recipe = recipe;
    request.compiler.tries = request.verify;
    request.compiler.own_build = true;
    if (status == HT_OK)
        status = ht_compiler_stub_check(&given->compiler, &error);
    if (status == HT_OK)
        status =
            ht_transformations_without(given->compiler.without.items, given->compiler.without.count,
                                       &request.compiler.without, &error);
    if (status == HT_OK)
        status = ht_outputs_prepare(given->out, given->json, &error);
    if (status == HT_OK)
        status = ht_refactor_tree(&request, &result, &error);
    int code;
    if (status != HT_OK) {
        code = ht_report_error(&error);
    } else {
        code = report(&result, request.profile, given);
        int unmet = recipe && !ht_interrupted ? ht_recipe_check(recipe, result.kernels) : 0;
        code = code ? code : unmet;
        code = result.code ? result.code : code;
    }
    ht_refactor_tree_result_free(&result);
    ht_recipe_free(recipe);
    ht_profile_free(&profile);
    ht_compiler_arguments_free(&request.compiler);
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
        "A header with kernels is read as a part of a source that includes it, with the launches "
        "there: the given folders are searched for one, and for sources that launch what another "
        "defines. CUDA sources are read as HIP; a kernel is "
        "judged by the errors in its own text, so that missing headers and unknown calls on the "
        "host do not matter.\n\n"
        "What a kernel's arguments mean is taken from annotations, a problem file, or the code: "
        "subscripts, guards, allocations. Where that does not do, the kernel is 'needs-problem', "
        "and a skeleton is written, to be filled in. Each template is run next to its original, by "
        "default and with random configurations, before it is handed out.",
    .examples = "hiptemper refactor conv.hip --explain\n"
                "hiptemper refactor --explain conv2d conv.hip\n"
                "hiptemper refactor src/ -I include -D USE_FLOAT --out templates\n"
                "hiptemper refactor src/ --json=kernels.json\n"
                "hiptemper refactor src/ --profile kernel_stats.csv\n"
                "hiptemper refactor conv.hip --save-recipe conv.recipe.json\n"
                "hiptemper refactor conv.hip --recipe conv.recipe.json\n"
                "hiptemper refactor . --compile-commands build/compile_commands.json --sarif "
                "kernels.sarif",
    .exit_codes = "  0    every file was read\n"
                  "  1    a file found in a folder could not be read, or a result not written\n"
                  "  2    wrong usage or bad input\n"
                  "  3    a tool or library is missing\n",
    .options = options,
    .options_size = sizeof(refactor_options),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operand = "PATH",
    .run = run_refactor,
};
