#include "pipeline/export.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "pipeline/dispatch_header.h"
#include "pipeline/launcher.h"
#include "pipeline/outputs.h"
#include "runtime/job/job.h"
#include "runtime/store/database_export.h"
#include "runtime/store/nights.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *ht_export_kind_name(ht_export_kind kind) {
    static const char *const names[HT_EXPORT_KINDS] = {"cache",    "t4",     "text",    "kernel",
                                                       "launcher", "choice", "dispatch"};
    return names[kind];
}

typedef struct exporter {
    const ht_export_options *options;
    ht_database_results results;
    const char *from; /* the file of the template at hand, for remarks */
    ht_export *out;
    ht_error *error;
} exporter;

static void remark(exporter *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void remark(exporter *run, const char *format, ...) {
    char text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    HT_GROW(run->out->remarks, run->out->remark_count);
    run->out->remarks[run->out->remark_count++] = ht_strdup(text);
}

/* Returns a kernel's name as part of a file's; free(). */
static char *file_stem(const char *kernel) {
    char *copy = ht_strdup(kernel);
    for (char *at = copy; *at; ++at)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return copy;
}

static ht_status text_write(exporter *run, ht_export_kind kind, const char *kernel,
                            const char *problem, const char *name, const char *text) {
    char *path = NULL;
    ht_status status = ht_output_write(run->options->folder, name, text, &path, run->error);
    if (status != HT_OK)
        return status;
    HT_GROW(run->out->files, run->out->count);
    run->out->files[run->out->count++] =
        (ht_exported){path, ht_strdup(kernel), ht_strdup(problem), kind};
    return HT_OK;
}

/* ---- recordings */

static ht_status recording_write(exporter *run, const ht_database_result *result, size_t number) {
    static const struct {
        ht_export_kind kind;
        ht_recording_format format;
        const char *suffix;
    } forms[] = {{HT_EXPORT_CACHE, HT_RECORDING_CACHE, ".json"},
                 {HT_EXPORT_T4, HT_RECORDING_T4, "_T4.json"}};
    const ht_database_choice choice = {.job = result->job};
    ht_recording *recording = NULL;
    ht_status status = ht_database_export(run->options->database, &choice, &recording, run->error);
    if (status != HT_OK)
        return status;
    char *stem = file_stem(result->kernel);
    for (size_t i = 0; i < sizeof forms / sizeof *forms && status == HT_OK; ++i) {
        ht_text text = {0};
        char *name = ht_format("%s.%zu%s", stem, number, forms[i].suffix);
        ht_recording_print(recording, forms[i].format, &text);
        status = text_write(run, forms[i].kind, result->kernel, result->problem, name, text.data);
        ht_text_free(&text);
        free(name);
    }
    free(stem);
    ht_recording_free(recording);
    return status;
}

/* Files of a kernel are numbered by its problems, from 1 on. */
static ht_status recordings_write(exporter *run) {
    ht_status status = HT_OK;
    size_t number = 0;
    for (size_t i = 0; i < run->results.count && status == HT_OK; ++i) {
        const ht_database_result *result = &run->results.items[i];
        bool same = i && strcmp(result->kernel, result[-1].kernel) == 0;
        number = same ? number + 1 : 1;
        status = recording_write(run, result, number);
    }
    return status;
}

/* ---- problem=kernel:values */

/* Appends the values of "A=16 B=\"unsigned int\"", with commas between. */
static void values_append(const char *config, ht_text *out) {
    for (const char *at = config; *at;) {
        at += strspn(at, " ");
        at += strcspn(at, "=");
        at += *at == '=';
        bool quoted = *at == '"';
        at += quoted;
        size_t length = strcspn(at, quoted ? "\"" : " ");
        ht_text_printf(out, "%s%.*s", out->data[out->length - 1] == ':' ? "" : ",", (int)length,
                       at);
        at += length + (quoted && at[length]);
    }
}

/* Appends "N1-C64" of "N=1 C=64"; "-" of no sizes. */
static void problem_append(const char *problem, ht_text *out) {
    if (!*problem)
        ht_text_append(out, "-");
    for (const char *at = problem; *at; ++at)
        if (*at != '=')
            ht_text_printf(out, "%c", *at == ' ' ? '-' : *at);
}

static ht_status perfdb_write(exporter *run) {
    ht_text text = {0};
    bool *done = ht_alloc(run->results.count + 1, sizeof *done);
    ht_text_append(&text, "");
    for (size_t i = 0; i < run->results.count; ++i) {
        const char *problem = run->results.items[i].problem;
        size_t found = 0;
        for (size_t j = i; j < run->results.count; ++j) {
            const ht_database_result *result = &run->results.items[j];
            if (done[j] || !result->config || strcmp(result->problem, problem) != 0)
                continue;
            done[j] = true;
            if (found++ == 0)
                problem_append(problem, &text);
            ht_text_printf(&text, "%s%s:", found == 1 ? "=" : ";", result->kernel);
            values_append(result->config, &text);
        }
        ht_text_append(&text, found ? "\n" : "");
    }
    ht_status status = HT_OK;
    if (text.length)
        status = text_write(run, HT_EXPORT_TEXT, "", "", "tuned.perfdb.txt", text.data);
    free(done);
    ht_text_free(&text);
    return status;
}

/* ---- code */

typedef struct rows {
    ht_choice_row *items;
    size_t count;
} rows;

static void rows_free(rows *rows) {
    for (size_t i = 0; i < rows->count; ++i) {
        ht_problem_free(&rows->items[i].problem);
        free(rows->items[i].remark);
    }
    free(rows->items);
}

static void code_take(void *context, const char *name, const char *text) {
    if (strcmp(name, "code") == 0)
        *(char **)context = ht_strdup(text);
}

/* Reads a result as a row of the template's. Returns why it cannot be one; NULL: it is; free(). */
static char *row_read(const ht_template *template, const ht_device *device,
                      const ht_database_result *result, ht_choice_row *out) {
    ht_error error = {0};
    *out = (ht_choice_row){0};
    if (!result->config)
        return ht_strdup("no configuration was found right and measured in full");
    if (template->problem.name &&
        ht_problem_parse(&template->problem, result->problem, &out->problem, &error) != HT_OK)
        return ht_strdup(error.message);
    const ht_binding binding = {template, template->problem.name ? &out->problem : NULL,
                                &device->fields};
    bool legal = false;
    char *reason = NULL;
    if (ht_config_parse(template, result->config, &out->config, &error) != HT_OK ||
        ht_binding_legal(&binding, &out->config, &legal, &reason, &error) != HT_OK)
        reason = ht_strdup(error.message);
    else if (!legal && !reason)
        reason = ht_strdup("its configuration is not legal");
    else if (legal && !ht_dispatch_fits(template, &out->config))
        reason = ht_strdup("its configuration sets a macro, of which a header has one value");
    if (reason)
        ht_problem_free(&out->problem);
    return reason;
}

static char *row_remark(const ht_database_result *result, const ht_device *device) {
    const char *emulated = device->emulated ? ", host emulation" : "";
    return result->original_ms > 0 ? ht_format("%.4g ms, the original %.4g ms%s", result->tuned_ms,
                                               result->original_ms, emulated)
                                   : ht_format("%.4g ms%s", result->tuned_ms, emulated);
}

/* Gives the hash that the database has for results of this text. */
static ht_status code_find(const ht_template *template, const ht_device *device, char **out_code,
                           ht_error *error) {
    const ht_binding binding = {template, NULL, &device->fields};
    *out_code = NULL;
    return ht_job_identify(&binding, device, &(ht_job_options){0}, code_take, out_code, error);
}

/* Gives the hash of the template as `optimize` had it before it wrote the file: without the line
 * that says that the file is a unit. */
static ht_status unmarked_code_find(const ht_template *template, const ht_device *device,
                                    char **out_code, ht_error *error) {
    static const char mark[] = "#pragma tune unit\n";
    ht_template unmarked = *template;
    const char *at = strstr(template->unit, mark);
    unmarked.is_unit = false;
    if (at)
        unmarked.unit =
            ht_format("%.*s%s", (int)(at - template->unit), template->unit, at + sizeof mark - 1);
    ht_status status = code_find(&unmarked, device, out_code, error);
    if (at)
        free(unmarked.unit);
    return status;
}

/* Takes the results that are of this template: of its name, and of its code. */
static ht_status rows_take(exporter *run, const ht_template *template, const ht_device *device,
                           rows *out) {
    char *code = NULL, *unmarked = NULL;
    size_t others = 0;
    ht_status status = code_find(template, device, &code, run->error);
    if (status == HT_OK)
        status = unmarked_code_find(template, device, &unmarked, run->error);
    for (size_t i = 0; i < run->results.count && status == HT_OK; ++i) {
        const ht_database_result *result = &run->results.items[i];
        ht_choice_row row;
        if (strcmp(result->kernel, template->name) != 0)
            continue;
        if (strcmp(result->template_hash, code) != 0 &&
            strcmp(result->template_hash, unmarked) != 0) {
            ++others;
            continue;
        }
        char *reason = row_read(template, device, result, &row);
        if (reason) {
            remark(run, "%s, %s: left out: %s", result->kernel, result->problem, reason);
            free(reason);
            continue;
        }
        row.remark = row_remark(result, device);
        HT_GROW(out->items, out->count);
        out->items[out->count++] = row;
    }
    free(unmarked);
    free(code);
    if (others)
        remark(run,
               "%s: left out: %zu results of the database are of another text of the template than "
               "%s has",
               template->name, others, run->from);
    return status;
}

static ht_status code_write(exporter *run, const ht_template *template,
                            const ht_choice_table *table) {
    char *stem = file_stem(template->name);
    char *unit = ht_format("%s.hip", stem), *launcher = ht_format("%s.launch.hpp", stem);
    char *choice = ht_format("%s.choice.hpp", stem), *dispatch = ht_format("%s.dispatch.hpp", stem);
    const ht_binding binding = {template, &table->rows[0].problem, table->device};
    char *texts[] = {ht_launcher_write(&binding, NULL, unit, table->remark),
                     ht_choice_header(table), ht_dispatch_header(table, choice, launcher)};
    const char *name = template->name;
    ht_status status = text_write(run, HT_EXPORT_KERNEL, name, "", unit, template->unit);
    if (status == HT_OK)
        status = text_write(run, HT_EXPORT_LAUNCHER, name, "", launcher, texts[0]);
    if (status == HT_OK)
        status = text_write(run, HT_EXPORT_CHOICE, name, "", choice, texts[1]);
    if (status == HT_OK)
        status = text_write(run, HT_EXPORT_DISPATCH, name, "", dispatch, texts[2]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        free(texts[i]);
    free(dispatch);
    free(choice);
    free(launcher);
    free(unit);
    free(stem);
    return status;
}

/* Writes the code of one template, when the database has results of it. */
static ht_status template_write(exporter *run, const ht_template *template,
                                const ht_device *device) {
    rows rows = {0};
    char *refusal = ht_dispatch_refusal(template);
    ht_status status = HT_OK;
    if (refusal)
        remark(run, "%s: no header: %s", template->name, refusal);
    else
        status = rows_take(run, template, device, &rows);
    if (status == HT_OK && rows.count) {
        char *from = ht_format("Tuned on %s: %s%s.", device->name, device->description,
                               device->emulated ? " (times say nothing about a GPU)" : "");
        const ht_choice_table table = {template, &device->fields, rows.items, rows.count, from};
        status = code_write(run, template, &table);
        free(from);
    }
    free(refusal);
    rows_free(&rows);
    return status;
}

/* Returns true if the code of this template was written already. */
static bool is_written(const exporter *run, const char *kernel) {
    for (size_t i = 0; i < run->out->count; ++i)
        if (run->out->files[i].kind == HT_EXPORT_KERNEL &&
            strcmp(run->out->files[i].kernel, kernel) == 0)
            return true;
    return false;
}

/* Writes the code of the templates of a file that the database has results of. */
static ht_status file_write(exporter *run, const char *path, const ht_device *device) {
    const ht_export_options *options = run->options;
    ht_template *templates = NULL;
    size_t count = 0;
    ht_status status =
        ht_templates_load(path, options->kernel, options->compiler, &templates, &count, run->error);
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        if (!is_written(run, templates[i].name))
            status = template_write(run, &templates[i], device);
    ht_template_free(templates, count);
    return status;
}

static ht_status given_write(exporter *run, const ht_device *device) {
    run->from = run->options->template_file;
    ht_status status = file_write(run, run->from, device);
    if (status == HT_OK && !run->out->count) {
        const char *why = run->out->remark_count ? run->out->remarks[run->out->remark_count - 1]
                                                 : "the database has no results of this name";
        status = ht_error_set_at(run->error, HT_ERROR_INPUT, run->from, 0, 0,
                                 "no code is written: %s", why);
    }
    return status;
}

/* ---- templates that nights have kept */

typedef struct kept_templates {
    exporter *run;
    const ht_device *device;
    const char *folder; /* a private one, for a file at a time */
} kept_templates;

static ht_status kept_write(void *context, const char *name, const char *content, ht_error *error) {
    const kept_templates *in = context;
    exporter *run = in->run;
    char *path = ht_path_join(in->folder, ht_path_name(name));
    run->from = name;
    ht_status status = ht_file_write(path, content, strlen(content), error);
    if (status == HT_OK) {
        status = file_write(run, path, in->device);
        if (status == HT_ERROR_INPUT) { /* needs a header that is not here, say */
            remark(run, "%s: left out: %s", name, run->error->message);
            status = HT_OK;
        }
    }
    free(path);
    return status;
}

/* The latest text of a kernel that has results counts. */
static ht_status all_kept_write(exporter *run, ht_nights *nights, const ht_device *device) {
    ht_scratch scratch = {0};
    ht_status status = ht_scratch_make("export", &scratch, run->error);
    kept_templates in = {run, device, scratch.path};
    if (status == HT_OK)
        status = ht_nights_files_named(nights, ".template.hip", kept_write, &in, run->error);
    ht_scratch_remove(&scratch);
    return status;
}

static ht_status templates_write(exporter *run) {
    ht_device device;
    ht_nights *nights = NULL;
    ht_error none = {0};
    bool given = run->options->template_file;
    if (!given && ht_nights_read(run->options->database, &nights, &none) != HT_OK)
        return HT_OK; /* one of `tune`, which keeps no templates */
    ht_status status = ht_device_find(run->options->device, &device, run->error);
    if (status == HT_OK)
        status = given ? given_write(run, &device) : all_kept_write(run, nights, &device);
    ht_nights_close(nights);
    return status;
}

ht_status ht_export_write(const ht_export_options *options, ht_export *out, ht_error *error) {
    *out = (ht_export){0};
    exporter run = {.options = options, .out = out, .error = error};
    const ht_database_results_choice choice = {options->kernel, options->device};
    ht_status status = ht_database_results_read(options->database, &choice, &run.results, error);
    if (status == HT_OK && !run.results.count)
        status = ht_error_set_at(error, HT_ERROR_INPUT, options->database, 0, 0,
                                 "has no results of device %s%s%s; 'hiptemper tune' and 'hiptemper "
                                 "optimize' make some, --device names another one",
                                 options->device, options->kernel ? " and kernel " : "",
                                 options->kernel ? options->kernel : "");
    if (status == HT_OK)
        status = templates_write(&run);
    if (status == HT_OK)
        status = recordings_write(&run);
    if (status == HT_OK)
        status = perfdb_write(&run);
    ht_database_results_free(&run.results);
    return status;
}

void ht_export_free(ht_export *export) {
    for (size_t i = 0; i < export->count; ++i) {
        free(export->files[i].path);
        free(export->files[i].kernel);
        free(export->files[i].problem);
    }
    for (size_t i = 0; i < export->remark_count; ++i)
        free(export->remarks[i]);
    free(export->files);
    free(export->remarks);
    *export = (ht_export){0};
}
