#include "pipeline/refactor_files.h"

#include "base/cache.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/read_log.h"
#include "base/result.h"
#include "base/scratch.h"
#include "base/text.h"
#include "pipeline/launcher.h"
#include "pipeline/losses.h"
#include "pipeline/outputs.h"
#include "pipeline/progress.h"
#include "pipeline/refactor_inputs.h"
#include "pipeline/refactor_kept.h"
#include "pipeline/refactor_row.h"
#include "pipeline/survey_reads.h"
#include "pipeline/tasks.h"
#include "runtime/provider/provider.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double quiet_seconds = 1.0; /* before progress is reported */

typedef struct work {
    const ht_refactor_request *request;
    ht_refactor_inputs inputs;
    json_t **results;    /* per file; NULL: none came */
    ht_losses *losses;   /* per file */
    bool *again;         /* per file: to be read once more, without a kernel that was lost */
    bool *failed;        /* per file: its kernels are not known */
    size_t *turn;        /* files that are read now, by task */
    ht_task_step *steps; /* per task */
    const char *cache;
    ht_progress *progress;
    double start;
    size_t ended, templated;
    ht_refactor_kept *kept; /* NULL: nothing is kept */
    size_t kept_count;
    json_t *errors;
    int code;
} work;

/* ---- in the child */

/* Returns true for a kernel of a header, which is reported where that header's own turn comes. */
static bool belongs_elsewhere(const work *in, size_t index, const ht_kernel *kernel) {
    if (strcmp(kernel->file, in->inputs.tree.files[index].path) == 0)
        return false;
    for (size_t i = 0; i < in->inputs.tree.count; ++i)
        if (i != index && ht_file_same(kernel->file, in->inputs.tree.files[i].path))
            return true;
    return false;
}

/* Moves a template from the output folder to its source; it is named for its file name. */
static ht_status beside_move(ht_entry *entry, const char *source, ht_error *error) {
    char *folder = ht_path_folder(source), *text = NULL;
    size_t length = 0;
    ht_status status = ht_file_read(entry->template_file, 0, &text, &length, error);
    char *path = ht_path_join(folder, ht_path_name(entry->template_file));
    if (status == HT_OK)
        status = ht_result_write(path, text, length, error);
    if (status == HT_OK)
        unlink(entry->template_file);
    if (status == HT_OK) {
        free(entry->template_file);
        entry->template_file = ht_strdup(path);
    }
    free(path);
    free(text);
    free(folder);
    return status;
}

static ht_status outputs_write(const work *in, ht_survey *survey,
                               const ht_refactor_options *compiler, ht_error *error) {
    ht_outputs outputs;
    ht_outputs_open(survey, NULL, compiler, in->request->out, &outputs);
    ht_status status = ht_outputs_write(&outputs, error);
    ht_outputs_close(&outputs);
    size_t last = SIZE_MAX; /* further instances of a kernel share its file */
    for (size_t i = 0; in->request->beside && i < survey->entries.count && status == HT_OK; ++i) {
        ht_entry *entry = &survey->entries.items[i];
        if (entry->template_file && entry->kernel != last)
            status = beside_move(entry, survey->sources.items[entry->source].path, error);
        last = entry->kernel;
    }
    return status;
}

/* Adds "NAME.KERNEL.launch.hpp" next to "NAME.KERNEL.template.hip". */
static ht_status launcher_add(const ht_kernel *kernel, const ht_entry *entry, json_t *row,
                              ht_error *error) {
    static const ht_device_fields unknown;
    const char *path = entry->template_file;
    const char *suffix = path ? strstr(ht_path_name(path), ".template.hip") : NULL;
    if (!suffix || kernel->status != HT_KERNEL_TEMPLATED)
        return HT_OK;
    const ht_binding binding = {kernel->template, entry->instance, &unknown};
    char *name = ht_format("%.*s.launch.hpp", (int)(suffix - path), path);
    char *text = ht_launcher_write(&binding, NULL, ht_path_name(path),
                                   "Its template arguments are the template's parameters; sizes "
                                   "are those of the problem.");
    ht_status status = ht_result_write(name, text, strlen(text), error);
    if (status == HT_OK)
        json_object_set_new(row, "launcher", ht_report_json_text(name));
    free(text);
    free(name);
    return status;
}

/* Adds a proof to be made. A template that is to be verified waits under another name; one that
 * cannot be is there, with an error that says that it was not verified. */
static ht_status proof_add(const work *in, const ht_kernel *kernel, const ht_entry *entry,
                           json_t *row, ht_error *error) {
    json_t *proof = in->request->verify && entry->template_file
                        ? ht_refactor_proof_make(kernel, entry->instance)
                        : NULL;
    ht_status status = proof ? ht_refactor_template_hold(entry->template_file, error) : HT_OK;
    if (proof && status == HT_OK)
        json_object_set(row, "proof", proof);
    json_decref(proof);
    return status;
}

static ht_status rows_make(const work *in, size_t index, const ht_survey *survey, json_t *out_rows,
                           ht_error *error) {
    ht_status status = HT_OK;
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < survey->entries.count; ++i) {
        const ht_entry *entry = &survey->entries.items[i];
        const ht_kernel *kernel =
            ht_refactor_kernel(survey->analyses[entry->source].refactor, entry->kernel);
        if (entry->kernel != last && !belongs_elsewhere(in, index, kernel)) {
            json_t *row = ht_refactor_row_json(kernel, entry->template_file, entry->skeleton_file);
            if (status == HT_OK)
                status = launcher_add(kernel, entry, row, error);
            ht_error own = {0};
            if (proof_add(in, kernel, entry, row, &own) != HT_OK && status == HT_OK) {
                status = own.status;
                *error = own;
            }
            json_array_append_new(out_rows, row);
        }
        last = entry->kernel; /* the next may be another instance of the same kernel */
    }
    return status;
}

/* Lists the files that the result depends on, so that it can be kept. */
static json_t *reads_make(const work *in, size_t index, const ht_refactor *refactor) {
    const ht_tree_file *file = &in->inputs.tree.files[index];
    ht_read_log_add(file->path);
    ht_read_log_add(file->through);
    for (size_t i = 0; i < file->other_count; ++i)
        ht_read_log_add(file->others[i]);
    return ht_survey_reads_json(refactor);
}

/* Surveys one file; not through its unit when that, as compiled here, does not include it. */
static void file_survey(const work *in, size_t index, ht_survey_options *options,
                        ht_survey *out_survey) {
    const ht_tree_file *file = &in->inputs.tree.files[index];
    options->compiler.through = file->through;
    options->compiler.joined = file->joined;
    for (;;) {
        *out_survey = (ht_survey){0};
        ht_source *source = ht_alloc(1, sizeof *source);
        *source = (ht_source){.path = ht_strdup(in->inputs.sources[index].path),
                              .output = ht_strdup(in->inputs.sources[index].output),
                              .named = in->inputs.sources[index].named};
        out_survey->sources = (ht_sources){source, 1};
        ht_survey_read(out_survey, options);
        if (!options->compiler.through || out_survey->analyses[0].refactor)
            return;
        options->compiler.through = NULL;
        ht_survey_free(out_survey);
    }
}

/* Reports the first annotated kernel whose defaults are not legal for its sizes. */
static ht_status default_error(const ht_survey *survey, ht_error *error) {
    for (size_t i = 0; i < survey->entries.count; ++i) {
        const ht_entry *entry = &survey->entries.items[i];
        if (entry->annotated && !entry->template && entry->result.bad_input)
            return ht_error_set_at(error, HT_ERROR_INPUT, entry->file, entry->reason_line, 0, "%s",
                                   entry->result.reason);
    }
    return HT_OK;
}

/* Most files have the same arguments, and so the same parsed header. */
static ht_status header_prepare(const work *in, ht_error *error) {
    ht_refactor_options options = {.cache = in->cache};
    options.arguments =
        ht_refactor_inputs_arguments(&in->inputs, in->request, 0, &options.argument_count);
    ht_status status = ht_refactor_prepare(&options, error);
    free((void *)options.arguments);
    return status;
}

static int file_run(void *context, size_t task, FILE *out) {
    const work *in = context;
    const ht_profile *profile = in->request->profile;
    size_t index = in->turn[task];
    ht_loss_watch watch;
    ht_loss_watch_init(&watch, &in->steps[task], &in->losses[index], &in->request->compiler.limits);
    size_t count;
    const char **arguments = ht_refactor_inputs_arguments(&in->inputs, in->request, index, &count);
    ht_device host;
    bool has_device = ht_device_find("host", &host, NULL) == HT_OK;
    ht_survey_options options = {
        .problem = in->request->problem,
        .kernel = in->request->kernel,
        .out = in->request->out,
        .silent = true,
        .device = has_device ? &host.fields : NULL,
        .wanted = profile != NULL && in->request->kernel == NULL ? ht_profile_wants : NULL,
        .wanted_context = profile,
        .compiler = {.arguments = arguments,
                     .argument_count = count,
                     .cache = in->cache,
                     .limits = in->request->compiler.limits,
                     .watch = &watch.watch,
                     .recipe = in->request->compiler.recipe,
                     .without = in->request->compiler.without,
                     .tries = in->request->compiler.tries,
                     .own_build = in->request->compiler.own_build}};
    ht_survey survey;
    file_survey(in, index, &options, &survey);
    const ht_analysis *analysis = &survey.analyses[0];
    ht_error error = analysis->error;
    int code = error.status == HT_OK
                   ? HT_EXIT_OK
                   : ht_file_exit_code(&error, in->inputs.sources[index].named, analysis->foreign);
    if (error.status == HT_OK && default_error(&survey, &error) != HT_OK)
        code = HT_EXIT_INPUT;
    if (error.status == HT_OK && outputs_write(in, &survey, &options.compiler, &error) != HT_OK)
        code = ht_status_exit_code(error.status);
    json_t *rows = json_array();
    ht_error writing = {0};
    if (rows_make(in, index, &survey, rows, &writing) != HT_OK && error.status == HT_OK) {
        error = writing;
        code = ht_status_exit_code(error.status);
    }
    json_t *document = json_pack("{s:o, s:o, s:o, s:b, s:i}", "rows", rows, "names",
                                 ht_survey_names(analysis->refactor), "reads",
                                 reads_make(in, index, analysis->refactor), "parsed",
                                 analysis->refactor != NULL, "code", code);
    if (error.status != HT_OK)
        json_object_set_new(document, "error", ht_file_error_json(&error));
    return json_dumpf(document, out, 0) == 0 ? 0 : 1; /* the process ends: nothing is freed */
}

/* ---- in the parent */

static void error_keep(work *in, ht_error *error, int code) {
    ht_report_error(error);
    json_array_append_new(in->errors, ht_file_error_json(error));
    in->code = code > in->code ? code : in->code;
}

static void error_take(work *in, const json_t *document) {
    const json_t *given = json_object_get(document, "error");
    if (!given)
        return;
    ht_error error = {0};
    ht_error_set_at(&error, HT_ERROR_INPUT, json_string_value(json_object_get(given, "file")),
                    (int)json_integer_value(json_object_get(given, "line")),
                    (int)json_integer_value(json_object_get(given, "column")), "%s",
                    json_string_value(json_object_get(given, "message")));
    error_keep(in, &error, (int)json_integer_value(json_object_get(document, "code")));
}

static void file_lost(work *in, size_t index, const ht_task_result *result) {
    const char *path = in->inputs.tree.files[index].path;
    ht_error error = {0};
    if (result->status == HT_ERROR_TIMEOUT)
        ht_error_set_at(&error, HT_ERROR_TIMEOUT, path, 0, 0,
                        "reading it took more than %g seconds of CPU time (--file-time): it is "
                        "left out",
                        in->request->file_limit);
    else if (result->out_of_memory)
        ht_error_set_at(&error, HT_ERROR_CRASH, path, 0, 0,
                        "reading it took more than %zu MiB of memory (--analysis-memory): it is "
                        "left out",
                        in->request->compiler.limits.memory_bytes >> 20);
    else if (result->signal)
        ht_error_set_at(&error, HT_ERROR_CRASH, path, 0, 0,
                        "reading it crashed (%s): it is left out", strsignal(result->signal));
    else
        ht_error_set_at(&error, HT_ERROR_CRASH, path, 0, 0,
                        "reading it ended with code %d and no result: it is left out",
                        result->code);
    error_keep(in, &error, HT_EXIT_FAILED);
}

/* Counts losses: a crash is a defect, whichever kernel it costs. */
static void losses_count(work *in, size_t index) {
    if (ht_losses_any_crash(&in->losses[index]) && in->code < HT_EXIT_FAILED)
        in->code = HT_EXIT_FAILED;
}

static void file_done(void *context, size_t task, const ht_task_result *result) {
    work *in = context;
    size_t index = in->turn[task];
    if (result->status == HT_ERROR_INTERRUPTED)
        return;
    json_error_t at;
    json_t *document = result->status == HT_OK && result->text
                           ? json_loadb(result->text, result->length, 0, &at)
                           : NULL;
    in->results[index] = document;
    if (document) {
        error_take(in, document);
    } else if (ht_losses_take(&in->losses[index], &in->steps[task], result,
                              &in->request->compiler.limits)) {
        in->again[index] = true;
        return;
    } else {
        in->failed[index] = true;
        file_lost(in, index, result);
    }
    losses_count(in, index);
    size_t row;
    json_t *kernel;
    json_array_foreach(json_object_get(document, "rows"), row, kernel) in->templated +=
        json_is_string(json_object_get(kernel, "template"));
    ++in->ended;
    ht_progress_begin(in->progress, in->inputs.tree.files[index].path);
    if (ht_clock_seconds() - in->start < quiet_seconds || in->ended == in->inputs.tree.count)
        return;
    char *phase = ht_format("%zu template%s so far", in->templated, in->templated == 1 ? "" : "s");
    ht_progress_phase(in->progress, phase);
    free(phase);
}

/* ---- all together */

static bool is_known(const json_t *rows, const json_t *row) {
    static const char *const keys[] = {"name", "file", "line"};
    size_t index;
    json_t *other;
    json_array_foreach(rows, index, other) {
        bool same = true;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
            same =
                same && json_equal(json_object_get(other, keys[i]), json_object_get(row, keys[i]));
        if (same)
            return true;
    }
    return false;
}

/* Sorts rows, those that take longest first; those of one time stay as they are. */
static void rows_sort(const ht_profile *profile, json_t *rows) {
    json_t *row;
    size_t index, count = json_array_size(rows);
    json_array_foreach(rows, index, row) {
        const char *name = json_string_value(json_object_get(row, "name"));
        double share = profile->ns > 0 ? ht_profile_time(profile, name) / profile->ns : 0;
        json_object_set_new(row, "share", json_real(share));
    }
    for (size_t i = 1; i < count; ++i) {
        json_t *moved = json_incref(json_array_get(rows, i));
        double share = json_real_value(json_object_get(moved, "share"));
        size_t to = i;
        while (to > 0 &&
               json_real_value(json_object_get(json_array_get(rows, to - 1), "share")) < share)
            --to;
        json_array_remove(rows, i);
        json_array_insert_new(rows, to, moved);
    }
}

static void results_collect(const work *in, ht_refactor_tree_result *out) {
    out->files = in->inputs.tree.count;
    out->kernels = json_array();
    for (size_t i = 0; i < in->inputs.tree.count; ++i) {
        const json_t *document = in->results[i];
        out->parsed += json_is_true(json_object_get(document, "parsed"));
        size_t index;
        json_t *row;
        json_array_foreach(json_object_get(document, "rows"), index, row) {
            const char *file = json_string_value(json_object_get(row, "file"));
            bool foreign = file && strcmp(file, in->inputs.tree.files[i].path) != 0;
            if (!foreign || !is_known(out->kernels, row))
                json_array_append(out->kernels, row);
        }
    }
    if (in->request->profile != NULL)
        rows_sort(in->request->profile, out->kernels);
}

static ht_status kernel_check(const work *in, const ht_refactor_tree_result *result,
                              ht_error *error) {
    bool all = true; /* were read: else it may be one of those that were not */
    for (size_t i = 0; i < in->inputs.tree.count; ++i)
        all = all && !in->failed[i];
    if (!in->request->kernel || json_array_size(result->kernels) || ht_interrupted || !all)
        return HT_OK;
    ht_text names = {0};
    ht_text_append(&names, "");
    for (size_t i = 0; i < in->inputs.tree.count; ++i) {
        size_t index;
        json_t *name;
        json_array_foreach(json_object_get(in->results[i], "names"), index, name)
            ht_text_printf(&names, "%s%s", names.length ? ", " : "", json_string_value(name));
    }
    ht_error_set(error, HT_ERROR_INPUT, "option --kernel: no kernel is named '%s'; %s%s",
                 in->request->kernel, names.length ? "there are: " : "no kernel was found",
                 names.data);
    ht_text_free(&names);
    return HT_ERROR_INPUT;
}

static void work_free(work *in) {
    for (size_t i = 0; i < in->inputs.tree.count; ++i) {
        if (in->results)
            json_decref(in->results[i]);
        if (in->losses)
            ht_losses_free(&in->losses[i]);
    }
    free(in->losses);
    free(in->failed);
    free(in->again);
    free(in->turn);
    free(in->results);
    ht_refactor_kept_free(in->kept);
    ht_refactor_inputs_free(&in->inputs);
}

/* Checks the problem file, so that a malformed one is reported once, not for every source. */
static ht_status problem_check(const char *problem, ht_error *error) {
    ht_problems problems;
    ht_status status = problem ? ht_problems_open(problem, "", &problems, error) : HT_OK;
    if (problem && status == HT_OK)
        ht_problems_close(&problems);
    return status;
}

/* Reads all files that are to be read (once more). */
static ht_status turn_run(work *in, ht_error *error) {
    size_t count = 0;
    for (size_t i = 0; i < in->inputs.tree.count; ++i)
        if (in->again[i])
            in->turn[count++] = i;
    memset(in->again, 0, in->inputs.tree.count * sizeof *in->again);
    in->steps = ht_task_steps_new(count);
    ht_tasks tasks = {.count = count,
                      .workers = in->request->jobs,
                      .limit_seconds = in->request->file_limit,
                      .memory_bytes = in->request->compiler.limits.memory_bytes,
                      .steps = in->steps,
                      .run = file_run,
                      .done = file_done,
                      .context = in};
    ht_status status = ht_tasks_run(&tasks, error);
    ht_task_steps_free(in->steps, count);
    in->steps = NULL;
    return status;
}

static bool any_again(const work *in) {
    for (size_t i = 0; i < in->inputs.tree.count; ++i)
        if (in->again[i])
            return !ht_interrupted;
    return false;
}

/* A template that could not be verified makes the command fail each time. */
static void codes_take(work *in, const json_t *document) {
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(document, "rows"), index,
                       row) if (ht_refactor_verify_lost(row)) in->code = HT_EXIT_FAILED;
}

/* Takes what an earlier run kept; all else is to be read. */
static void kept_take(work *in) {
    in->kept = ht_refactor_kept_open(in->request, &in->inputs);
    for (size_t i = 0; i < in->inputs.tree.count; ++i) {
        if (in->kept && !in->request->fresh)
            in->results[i] = ht_refactor_kept_find(in->kept, i);
        in->kept_count += in->results[i] != NULL;
        codes_take(in, in->results[i]);
        in->again[i] = in->results[i] == NULL;
    }
    in->ended = in->kept_count;
}

/* Returns true once none of the file's templates waits for its verification. */
static bool is_proved(const json_t *document) {
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(document, "rows"), index,
                       row) if (json_object_get(row, "proof")) return false;
    return true;
}

/* Keeps a file for the next run, if this one has read it. */
static void kept_put(const work *in, size_t index) {
    json_t *document = in->results[index];
    if (in->kept && json_object_get(document, "reads") && is_proved(document) &&
        !ht_losses_any_crash(&in->losses[index]))
        ht_refactor_kept_put(in->kept, index, document); /* takes "reads" away */
}

/* A file is kept as soon as its last template is verified, so that a run which is interrupted, or
 * killed, need not be made again from the beginning. */
static void row_settled(void *context, const json_t *row) {
    const work *in = context;
    for (size_t i = 0; i < in->inputs.tree.count; ++i) {
        size_t index;
        json_t *other;
        json_array_foreach(json_object_get(in->results[i], "rows"), index, other) if (other == row)
            kept_put(in, i);
    }
}

static ht_status files_run(work *in, ht_error *error) {
    ht_scratch cache = {0};
    ht_status status = ht_cache_folder() ? HT_OK : ht_scratch_make("refactor", &cache, error);
    if (status != HT_OK)
        return status;
    in->cache = cache.path;
    in->results = ht_alloc(in->inputs.tree.count + 1, sizeof *in->results);
    in->progress = ht_progress_new(stderr, in->inputs.tree.count);
    in->start = ht_clock_seconds();
    in->losses = ht_alloc(in->inputs.tree.count + 1, sizeof *in->losses);
    in->failed = ht_alloc(in->inputs.tree.count + 1, sizeof *in->failed);
    in->again = ht_alloc(in->inputs.tree.count + 1, sizeof *in->again);
    in->turn = ht_alloc(in->inputs.tree.count + 1, sizeof *in->turn);
    kept_take(in);
    if (in->kept_count < in->inputs.tree.count)
        status = header_prepare(in, error);
    if (status == HT_OK)
        do
            status = turn_run(in, error);
        while (status == HT_OK && any_again(in));
    ht_progress_free(in->progress);
    ht_scratch_remove(&cache);
    return status;
}

ht_status ht_refactor_tree(const ht_refactor_request *request, ht_refactor_tree_result *out_result,
                           ht_error *error) {
    work in = {.request = request, .errors = json_array()};
    *out_result = (ht_refactor_tree_result){0};
    ht_status status = problem_check(request->problem, error);
    if (status == HT_OK)
        status = ht_refactor_inputs_find(request, &in.inputs, error);
    if (status == HT_OK)
        status = files_run(&in, error);
    if (status == HT_OK) {
        results_collect(&in, out_result);
        status = kernel_check(&in, out_result, error);
    }
    for (size_t i = 0; i < in.inputs.tree.count && status == HT_OK; ++i)
        kept_put(&in, i);
    int code = HT_EXIT_OK;
    ht_refactor_verifying verifying = request->verifying;
    verifying.settled = row_settled;
    verifying.context = &in;
    if (status == HT_OK)
        status = ht_refactor_verify(out_result->kernels, &verifying, &code, error);
    in.code = in.code > code ? in.code : code;
    out_result->kept = in.kept_count;
    out_result->errors = in.errors;
    out_result->code = ht_interrupted ? HT_EXIT_INTERRUPTED : in.code;
    work_free(&in);
    return status;
}

void ht_refactor_tree_result_free(ht_refactor_tree_result *result) {
    json_decref(result->kernels);
    json_decref(result->errors);
    *result = (ht_refactor_tree_result){0};
}
