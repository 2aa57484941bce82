#include "cli/tuning_options.h"
#include "pipeline/apply_source.h"
#include "pipeline/outputs.h"
#include "pipeline/style.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct apply_options {
    ht_compiler_options compiler;
    const char *sandbox;
    const char *problem;
    const char *kernel;
    const char *out;
    const char *root;
    const char *json;
    bool in_place;
    bool comment, no_comment;
    bool no_format;
    const char *style;
} apply_options;

static const ht_option options[] = {
    {"kernel", HT_OPTION_TEXT, offsetof(apply_options, kernel), "NAME",
     .help = "The kernel that the configuration is for; needed where the file has several. Of a "
             "report: only this one."},
    {"problem", HT_OPTION_TEXT, offsetof(apply_options, problem), "FILE",
     .help = "What the kernels' arguments mean. Without it the file NAME.problem.json next to "
             "NAME.hip is read, when there is one."},
    {"in-place", HT_OPTION_FLAG, offsetof(apply_options, in_place),
     .help = "Rewrites the sources themselves."},
    {"comment", HT_OPTION_FLAG, offsetof(apply_options, comment),
     .help = "Writes a comment above a kernel whose speedup no report has, too: with what it was "
             "tuned, and by which version."},
    {"no-comment", HT_OPTION_FLAG, offsetof(apply_options, no_comment),
     .help = "Writes no comment above any kernel. Without it one says with what a kernel was "
             "tuned, by which version, and the speedup that a report has."},
    {"no-format", HT_OPTION_FLAG, offsetof(apply_options, no_format),
     .help =
         "Leaves changed lines as they were written. Without it, where a .clang-format is above "
         "the source, clang-format formats them as it says; other lines stay as they are."},
    {"style", HT_OPTION_TEXT, offsetof(apply_options, style), "plain|any", .fallback = "plain",
     .help = "With plain a message names forms of the written source that nobody writes by hand, a "
             "lambda around the body, say; it is written all the same."},
    {"out", HT_OPTION_TEXT, offsetof(apply_options, out), "DIR", .fallback = "hiptemper-out",
     .help = "Folder for the rewritten copies and the patch; made when missing."},
    {"root", HT_OPTION_TEXT, offsetof(apply_options, root), "DIR",
     .help = "For kernels in headers: the folder with the sources that include them and launch "
             "their kernels. Without it the header's own."},
    {"json", HT_OPTION_JSON, offsetof(apply_options, json), "FILE",
     .help = "Writes the report as JSON: to standard output, or to FILE. docs/json.md describes "
             "it."},
    HT_SANDBOX_OPTION(apply_options),
    HT_COMPILER_OPTIONS(apply_options),
    HT_ANALYSIS_OPTIONS(apply_options),
    {0},
};

static int by_file(const void *a, const void *b) {
    return strcmp(((const ht_apply_choice *)a)->file, ((const ht_apply_choice *)b)->file);
}

/* Returns "conv.hip"; "conv-2.hip" when another source's copy has that name. free(). */
static char *copy_name(const char *path, char *const *names, size_t count) {
    const char *whole = ht_path_name(path);
    char *stem = ht_output_stem(whole);
    char *name = ht_output_name_new(stem, whole + strlen(stem), names, count);
    free(stem);
    return name;
}

static ht_status apply_all(ht_apply_request *request, ht_apply_choices *choices, json_t *rows,
                           ht_error *error) {
    ht_status status = HT_OK;
    char **names = ht_alloc(choices->count + 1, sizeof *names);
    size_t sources = 0;
    qsort(choices->items, choices->count, sizeof *choices->items, by_file);
    for (size_t i = 0, count; i < choices->count && status == HT_OK; i += count) {
        for (count = 1; i + count < choices->count &&
                        by_file(&choices->items[i], &choices->items[i + count]) == 0;)
            ++count;
        names[sources] = copy_name(choices->items[i].file, names, sources);
        request->copy = names[sources++];
        status = ht_apply_source(request, &choices->items[i], count, rows, error);
    }
    while (sources)
        free(names[--sources]);
    free(names);
    return status;
}

static void report(const json_t *rows, FILE *out) {
    size_t index, number;
    json_t *row, *file;
    json_array_foreach(rows, index, row) {
        fprintf(out, "%s: %s: %s: %s\n", json_string_value(json_object_get(row, "file")),
                json_string_value(json_object_get(row, "name")),
                json_string_value(json_object_get(row, "status")),
                json_string_value(json_object_get(row, "config")));
        json_array_foreach(json_object_get(row, "files"), number, file)
            fprintf(out, "  tuned     %s\n", json_string_value(file));
        const char *reason = json_string_value(json_object_get(row, "reason"));
        if (reason)
            fprintf(out, "  because   %s\n", reason);
        const char *doubt = json_string_value(json_object_get(row, "doubt"));
        if (doubt)
            fprintf(out, "  warning   %s\n", doubt);
        const json_t *proof = json_object_get(row, "verification");
        if (json_is_string(json_object_get(proof, "text")))
            fprintf(out, "  verified  %s\n", json_string_value(json_object_get(proof, "text")));
        const char *patch = json_string_value(json_object_get(row, "patch"));
        if (patch)
            fprintf(out, "  patch     %s\n", patch);
        ht_patch_report(json_string_value(json_object_get(row, "patch_folder")), out);
    }
}

static bool any_withheld(const json_t *rows) {
    size_t index;
    json_t *row;
    bool found = false;
    json_array_foreach(rows, index, row) found =
        found || strcmp(json_string_value(json_object_get(row, "status")), "withheld") == 0;
    return found;
}

static int run_apply(const ht_command_line *line) {
    const apply_options *given = line->options;
    ht_apply_request request = {.problem = given->problem,
                                .out = given->out,
                                .root = given->root,
                                .in_place = given->in_place,
                                .comment = given->comment,
                                .no_comment = given->no_comment,
                                .no_format = given->no_format};
    ht_apply_choices choices = {0};
    ht_error error = {0};
    json_t *rows = json_array();
    ht_compiler_arguments_make(&given->compiler, &request.compiler);
    ht_status status = ht_style_read(given->style, &request.any_style, &error);
    if (status == HT_OK)
        status = ht_apply_choices_read(line->operands[0],
                                       line->operand_count > 1 ? line->operands[1] : NULL,
                                       given->kernel, &choices, &error);
    if (status == HT_OK && !given->in_place)
        status = ht_outputs_prepare(given->out, given->json, &error);
    if (status == HT_OK)
        status = apply_all(&request, &choices, rows, &error);
    int code = status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
    report(rows, ht_report_stream(given->json));
    if (code == HT_EXIT_OK && any_withheld(rows))
        code = HT_EXIT_FAILED;
    json_t *document = ht_report_json_new("hiptemper-apply", 1);
    json_object_set(document, "kernels", rows);
    int written = ht_report_json(given->json, document);
    json_decref(document);
    json_decref(rows);
    ht_apply_choices_free(&choices);
    ht_compiler_arguments_free(&request.compiler);
    return code ? code : written;
}

const ht_command ht_command_apply = {
    .name = "apply",
    .summary = "write a tuned configuration into a kernel's source, as a copy and a patch",
    .usage = "[OPTION]... CONFIG [SOURCE|TEMPLATE]",
    .description =
        "Gives the plain HIP kernel with the tuned constants in it: the author's source with its "
        "comments, style, names and signature, and only what the configuration changes changed, "
        "in the kernel and in its launches, in another file too. CONFIG is 'NAME=VALUE ...', a "
        "JSON object of such, or the JSON report of optimize or tune: then what won there is "
        "written, for every kernel. A template that 'hiptemper refactor' wrote stands for the "
        "source it was made from; an annotated source gets new defaults.\n\n"
        "The sources are not changed without --in-place: copies and one patch for them all go to "
        "--out. What is written was verified: kernel and launch are taken out of the new text and "
        "run next to the original's, at odd sizes too. What fails is withheld, with exit code 1.",
    .examples = "hiptemper apply 'BLOCK_X=64 COARSEN_X=4' conv.hip --kernel conv2d\n"
                "hiptemper apply hiptemper-out/optimize.json\n"
                "hiptemper apply best.json src/blur.cuh --root src --in-place\n"
                "patch -p1 < hiptemper-out/conv.hip.patch",
    .options = options,
    .options_size = sizeof(apply_options),
    .min_operands = 1,
    .max_operands = 2,
    .operand = "CONFIG",
    .run = run_apply,
};
