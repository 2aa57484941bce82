#include "cli/command.h"
#include "cli/reports/table.h"
#include "pipeline/export.h"
#include "pipeline/outputs.h"

#include <stdlib.h>
#include <string.h>

typedef struct export_options {
    const char *template_file, *kernel, *device, *out, *json;
    ht_compiler_options compiler;
} export_options;

static const ht_option options[] = {
    {"template", HT_OPTION_TEXT, offsetof(export_options, template_file), "FILE",
     .help =
         "The annotated file that was tuned: writes its kernels, and headers that launch them "
         "in the configuration that fits a problem. Default: the templates that nights of 'run' "
         "have kept in the database."},
    {"kernel", HT_OPTION_TEXT, offsetof(export_options, kernel), "NAME",
     .help = "Only the results of this template."},
    {"device", HT_OPTION_TEXT, offsetof(export_options, device), "DEVICE", .fallback = "host",
     .help = "The device whose results are written, as 'hiptemper devices' lists it."},
    {"out", HT_OPTION_TEXT, offsetof(export_options, out), "DIR", .fallback = "hiptemper-export",
     .help = "Folder for the files; made when missing."},
    {"json", HT_OPTION_JSON, offsetof(export_options, json), "FILE",
     .help = "Writes which files were written as JSON: to standard output, or to FILE."},
    {"I", HT_OPTION_LIST, offsetof(export_options, compiler.include), "DIR",
     .help = "Searches this folder for headers; may be repeated."},
    {"D", HT_OPTION_LIST, offsetof(export_options, compiler.define), "NAME[=VALUE]",
     .help = "Defines a macro; may be repeated."},
    {"std", HT_OPTION_TEXT, offsetof(export_options, compiler.standard), "STANDARD",
     .help = "C++ standard of the template, such as c++17."},
    {0},
};

static void report(const ht_export *export, FILE *out) {
    const char *heads[] = {"file", "what", "kernel", "problem"};
    ht_table *table = ht_table_new("lllt", heads);
    for (size_t i = 0; i < export->count; ++i) {
        const ht_exported *file = &export->files[i];
        ht_table_row(table, (const char *[]){file->path, ht_export_kind_name(file->kind),
                                             file->kernel, file->problem});
    }
    ht_table_finish(table, out, 0);
    for (size_t i = 0; i < export->remark_count; ++i)
        fprintf(out, "%s\n", export->remarks[i]);
}

static json_t *document_make(const ht_export *export) {
    json_t *document = ht_report_json_new("hiptemper-export", 1);
    json_t *files = json_array(), *remarks = json_array();
    for (size_t i = 0; i < export->count; ++i) {
        const ht_exported *file = &export->files[i];
        json_t *row = json_object();
        json_object_set_new(row, "file", ht_report_json_text(file->path));
        json_object_set_new(row, "kind", json_string(ht_export_kind_name(file->kind)));
        json_object_set_new(row, "kernel", ht_report_json_text(file->kernel));
        json_object_set_new(row, "problem", ht_report_json_text(file->problem));
        json_array_append_new(files, row);
    }
    for (size_t i = 0; i < export->remark_count; ++i)
        json_array_append_new(remarks, ht_report_json_text(export->remarks[i]));
    json_object_set_new(document, "files", files);
    json_object_set_new(document, "left_out", remarks);
    return document;
}

static int run_export(const ht_command_line *line) {
    const export_options *given = line->options;
    ht_refactor_options compiler;
    ht_compiler_arguments_make(&given->compiler, &compiler);
    const ht_export_options export_options = {.database = line->operands[0],
                                              .template_file = given->template_file,
                                              .kernel = given->kernel,
                                              .device = given->device,
                                              .folder = given->out,
                                              .compiler = &compiler};
    ht_export export = {0};
    ht_error error = {0};
    ht_status status = ht_outputs_prepare(given->out, given->json, &error);
    if (status == HT_OK)
        status = ht_export_write(&export_options, &export, &error);
    int code = HT_EXIT_OK;
    if (status == HT_OK) {
        report(&export, ht_report_stream(given->json));
        json_t *document = document_make(&export);
        code = ht_report_json(given->json, document);
        json_decref(document);
    } else {
        code = ht_report_error(&error);
    }
    ht_export_free(&export);
    ht_compiler_arguments_free(&compiler);
    return code;
}

const ht_command ht_command_export = {
    .name = "export",
    .summary = "write tuned kernels and results for other programs",
    .usage = "[OPTION]... DB",
    .description =
        "Reads a tuning database and writes, for each kernel and problem, its results as a Kernel "
        "Tuner cache file and as T4 results, and the best configurations as a text in the manner "
        "of MIOpen's. Of templates that nights of 'run' have kept, or that --template names, it "
        "also writes the kernels, each with a C++ header whose launch() takes the configuration "
        "that was tuned for the sizes at hand, else that of the nearest sizes that is legal "
        "there, else the default.\n\n"
        "docs/export.md describes the files. The database is only read.",
    .examples = "hiptemper export ~/.local/share/hiptemper/tuning.sqlite --out results\n"
                "hiptemper export t.db --template conv2d_direct.hip --out include",
    .options = options,
    .options_size = sizeof(export_options),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "DB",
    .run = run_export,
};
