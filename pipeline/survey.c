#include "pipeline/survey.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/read_log.h"
#include "base/text.h"
#include "pipeline/entry_kept.h"
#include "pipeline/survey_reads.h"
#include "pipeline/timed.h"
#include "refactor/recall.h"
#include "refactor/source/tree.h"

#include <stdlib.h>
#include <string.h>

bool ht_kernel_is(const char *name, const char *wanted) {
    if (!wanted || strcmp(name, wanted) == 0)
        return true;
    /* of k<float> by k, too */
    size_t length = strchr(wanted, '<') ? strlen(name) : strcspn(name, "<");
    size_t tail = strlen(wanted);
    if (length < tail || strncmp(name + length - tail, wanted, tail) != 0)
        return false;
    return length == tail || (length > tail + 2 && strncmp(name + length - tail - 2, "::", 2) == 0);
}

ht_status ht_annotations_check(const char *path, ht_error *error) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_status status = ht_template_load(path, &templates, &count, error);
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        status = ht_template_check_default(&templates[i], error);
    ht_template_free(templates, count);
    return status;
}

static bool is_name_wanted(const void *context, const char *name) {
    const ht_survey_options *options = context;
    return ht_kernel_is(name, options->kernel) &&
           (options->wanted == NULL || options->wanted(options->wanted_context, name));
}

/* Returns the options for the pass. Kernels that nobody wants are left out, unless the result is
 * kept for those who may. */
static ht_refactor_options compiler_options(const ht_survey_options *options) {
    ht_refactor_options compiler = options->compiler;
    if (options->recall == NULL && (options->kernel != NULL || options->wanted != NULL)) {
        compiler.wanted = is_name_wanted;
        compiler.wanted_context = options;
    }
    return compiler;
}

/* `recalled` is the result of an earlier pass, which is taken; NULL: the source is read. */
static void analyse(const ht_source *source, const ht_survey_options *options,
                    ht_refactor *recalled, ht_analysis *out) {
    *out = (ht_analysis){.source = source};
    ht_status status =
        ht_problems_open(options->problem, source->path, &out->problems, &out->error);
    if (status == HT_OK)
        status = ht_annotations_check(source->path, &out->error);
    out->foreign = status == HT_OK; /* whatever fails now */
    ht_refactor_options compiler = compiler_options(options);
    compiler.joined = source->through ? source->joined : compiler.joined;
    compiler.through = source->through ? source->through : compiler.through;
    if (status == HT_OK)
        out->refactor = recalled;
    else
        ht_refactor_free(recalled);
    if (status == HT_OK && !out->refactor && source->through &&
        ht_refactor_file(source->path, out->problems.file, &compiler, &out->refactor, NULL) !=
            HT_OK) { /* as compiled here, that does not include it */
        compiler.through = NULL;
        out->refactor = NULL;
    }
    if (status == HT_OK && !out->refactor)
        status = ht_refactor_file(source->path, out->problems.file, &compiler, &out->refactor,
                                  &out->error);
    if (status == HT_OK) {
        out->error.status = HT_OK;
        out->instances =
            ht_alloc(ht_refactor_kernel_count(out->refactor) + 1, sizeof *out->instances);
        return;
    }
    out->refactor = NULL;
    out->error.status = status;
    if (status == HT_ERROR_IO)
        out->error.status = HT_ERROR_INPUT;
    if (!out->error.file[0])
        snprintf(out->error.file, sizeof out->error.file, "%s", source->path);
    if (!options->silent)
        ht_report_error(&out->error);
}

static void not_reached(const ht_source *source, const ht_survey_options *options,
                        ht_analysis *out) {
    *out = (ht_analysis){.source = source};
    ht_error_set_at(&out->error, HT_ERROR_TIMEOUT, source->path, 0, 0,
                    "not read: a third of the time (--max-time) was over before");
    if (!options->silent)
        ht_report_error(&out->error);
}

static ht_verdict verdict_of(const ht_kernel *kernel) {
    if (ht_timed_is_command(kernel->reason))
        return HT_VERDICT_NOT_RUN;
    switch (kernel->status) {
    case HT_KERNEL_NEEDS_PROBLEM:
        return HT_VERDICT_NEEDS_PROBLEM;
    case HT_KERNEL_REFUSED:
    case HT_KERNEL_TOO_COMPLEX:
        return HT_VERDICT_REFUSED;
    default:
        return HT_VERDICT_FAILED;
    }
}

static ht_entry *kernel_entry(ht_survey *survey, size_t source, size_t index,
                              const ht_kernel *kernel) {
    ht_entry *entry = ht_entries_add(&survey->entries, kernel->name, kernel->file, kernel->line);
    entry->source = source;
    entry->kernel = index;
    entry->annotated = kernel->status == HT_KERNEL_ANNOTATED;
    entry->problem_origin = ht_problem_origin_name(kernel->problem);
    entry->transformations = kernel->transformations;
    entry->transformation_count = kernel->transformation_count;
    for (size_t i = 0; i < kernel->remark_count; ++i)
        if (kernel->remarks[i].kind == HT_REMARK_DOUBT)
            entry->doubt = kernel->remarks[i].message;
    return entry;
}

static void entry_without_tuning(ht_survey *survey, size_t source, size_t index,
                                 const ht_kernel *kernel) {
    ht_entry *entry = kernel_entry(survey, source, index, kernel);
    entry->result.verdict = verdict_of(kernel);
    entry->result.reason = ht_strdup(kernel->reason ? kernel->reason : "no reason was given");
    entry->reason_line = kernel->reason_line;
}

/* Checks the default. An annotated kernel that cannot begin where it says is a mistake in it. (A
 * template made from a kernel of the author's begins as that.) */
static void default_check(ht_entry *entry, const ht_device_fields *device) {
    const ht_binding binding = {entry->template, entry->instance, device};
    ht_error error = {0};
    if (!device || ht_binding_check_default(&binding, &error) != HT_ERROR_INPUT)
        return;
    entry->template = NULL;
    entry->result.verdict = HT_VERDICT_FAILED;
    entry->result.bad_input = true;
    entry->result.reason = ht_strdup(error.message);
    entry->reason_line = error.line;
}

static void entries_of_kernel(ht_survey *survey, size_t source, size_t index,
                              const ht_kernel *kernel, const ht_device_fields *device) {
    ht_analysis *analysis = &survey->analyses[source];
    ht_instances *instances = &analysis->instances[index];
    ht_error error = {0};
    const ht_problems inferred = {.file = kernel->inferred};
    bool own = kernel->inferred && !analysis->problems.text;
    ht_status status = ht_instances_find(own ? &inferred : &analysis->problems, kernel->template,
                                         &instances->items, &instances->count, &error);
    if (status != HT_OK) {
        bool unknown = !analysis->problems.file && !analysis->problems.text;
        ht_entry *entry = kernel_entry(survey, source, index, kernel);
        entry->result.verdict = unknown ? HT_VERDICT_NEEDS_PROBLEM : HT_VERDICT_FAILED;
        entry->result.bad_input = !unknown;
        entry->result.reason = ht_strdup(error.message);
        return;
    }
    for (size_t i = 0; i < instances->count; ++i) {
        ht_entry *entry = kernel_entry(survey, source, index, kernel);
        entry->template = kernel->template;
        entry->instance = &instances->items[i];
        if (entry->annotated)
            default_check(entry, device);
        if (!kernel->template->problem.name)
            continue;
        entry->problem = ht_strdup(instances->items[i].name);
        free(entry->fields);
        entry->fields = ht_problem_string(&kernel->template->problem, &instances->items[i]);
    }
}

/* Returns true if the kernel is in a header that this source includes and that is read itself: it
 * is that one's, which can change it. */
static bool is_of_another(const ht_survey *survey, size_t source, const ht_kernel *kernel) {
    if (kernel->status != HT_KERNEL_REFUSED ||
        ht_file_same(kernel->file, survey->sources.items[source].path))
        return false;
    for (size_t i = 0; i < survey->sources.count; ++i)
        if (i != source && (survey->analyses[i].refactor || survey->analyses[i].known) &&
            ht_file_same(kernel->file, survey->sources.items[i].path))
            return true;
    return false;
}

static size_t entries_make(ht_survey *survey, const ht_survey_options *options) {
    size_t matched = 0;
    for (size_t source = 0; source < survey->sources.count; ++source) {
        const ht_refactor *refactor = survey->analyses[source].refactor;
        size_t count = refactor ? ht_refactor_kernel_count(refactor) : 0;
        matched += ht_entries_unpack(&survey->entries, source, survey->analyses[source].known);
        for (size_t index = 0; index < count; ++index) {
            const ht_kernel *kernel = ht_refactor_kernel(refactor, index);
            if (!is_name_wanted(options, kernel->name) || is_of_another(survey, source, kernel))
                continue;
            ++matched;
            if (kernel->template)
                entries_of_kernel(survey, source, index, kernel, options->device);
            else
                entry_without_tuning(survey, source, index, kernel);
        }
    }
    return matched;
}

static ht_status kernel_unknown(const ht_survey *survey, const char *wanted, ht_error *error) {
    ht_text names = {0};
    ht_text_append(&names, "");
    for (size_t source = 0; source < survey->sources.count; ++source) {
        const ht_refactor *refactor = survey->analyses[source].refactor;
        size_t count = refactor ? ht_refactor_kernel_count(refactor) : 0;
        for (size_t i = 0; i < count; ++i)
            ht_text_printf(&names, "%s%s", names.length ? ", " : "",
                           ht_refactor_kernel(refactor, i)->name);
        size_t index;
        json_t *name;
        json_array_foreach(json_object_get(survey->analyses[source].known, "names"), index, name)
            ht_text_printf(&names, "%s%s", names.length ? ", " : "", json_string_value(name));
    }
    ht_error_set(error, HT_ERROR_INPUT, "option --kernel: no kernel is named '%s'; %s%s", wanted,
                 names.length ? "there are: " : "no kernel was found", names.data);
    ht_text_free(&names);
    return HT_ERROR_INPUT;
}

/* Analyses a source; notes the files that were read, when somebody asks for them. */
static void source_read(ht_survey *survey, size_t index, const ht_survey_options *options) {
    const ht_source *source = &survey->sources.items[index];
    ht_analysis *analysis = &survey->analyses[index];
    if (options->reading)
        options->reading(options->reading_context, survey, index);
    if (options->known)
        ht_read_log_clear();
    analyse(source, options,
            options->recall ? options->recall(options->recall_context, survey, index) : NULL,
            analysis);
    if (options->known)
        analysis->reads = ht_survey_reads(source, analysis->refactor);
}

size_t ht_survey_read(ht_survey *survey, const ht_survey_options *options) {
    survey->analyses = ht_alloc(survey->sources.count + 1, sizeof *survey->analyses);
    for (size_t i = 0; i < survey->sources.count && !ht_interrupted; ++i) {
        json_t *known = options->known ? options->known(options->known_context, survey, i) : NULL;
        if (known)
            survey->analyses[i] =
                (ht_analysis){.source = &survey->sources.items[i], .known = known};
        else if (ht_stopped)
            not_reached(&survey->sources.items[i], options, &survey->analyses[i]);
        else
            source_read(survey, i, options);
    }
    return entries_make(survey, options);
}

static void instances_free(const ht_analysis *analysis) {
    size_t count = analysis->refactor ? ht_refactor_kernel_count(analysis->refactor) : 0;
    for (size_t i = 0; i < count; ++i)
        ht_instances_free(analysis->instances[i].items, analysis->instances[i].count);
    free(analysis->instances);
}

ht_status ht_survey_reread(ht_survey *survey, size_t source, const ht_survey_options *options,
                           ht_error *error) {
    ht_analysis *analysis = &survey->analyses[source], read;
    analyse(analysis->source, options, NULL, &read);
    ht_status status = read.error.status;
    if (status == HT_OK && !ht_refactor_agrees(read.refactor, analysis->refactor))
        status = ht_error_set_at(&read.error, HT_ERROR_INTERNAL, analysis->source->path, 0, 0,
                                 "its analysis came to something else than in an earlier night");
    instances_free(&read);
    if (status == HT_OK) {
        analysis->recalled = analysis->refactor;
        analysis->refactor = read.refactor;
        analysis->reread = read.problems;
        return HT_OK;
    }
    ht_refactor_free(read.refactor);
    ht_problems_close(&read.problems);
    if (error)
        *error = read.error;
    return status;
}

/* Finds the source that a header is read through: the one that launches its kernels. With several
 * such each is read by itself: its tuned copy must fit them all. */
static void through_find(char *const *paths, size_t count, const ht_survey_options *options,
                         ht_sources *sources) {
    const char **roots = ht_alloc(count + 1, sizeof *roots);
    const char **files = ht_alloc(sources->count + 1, sizeof *files);
    ht_tree_options how = {.roots = roots, .skip = options->out, .compiler = &options->compiler};
    ht_tree tree;
    for (size_t i = 0; i < count; ++i)
        if (ht_dir_exists(paths[i]))
            roots[how.root_count++] = paths[i];
    for (size_t i = 0; i < sources->count; ++i)
        files[i] = sources->items[i].path;
    ht_tree_make(files, sources->count, &how, &tree);
    for (size_t i = 0; i < tree.count; ++i) {
        const ht_tree_file *file = &tree.files[i];
        if (file->given >= sources->count || !file->through || file->other_count > 0)
            continue;
        sources->items[file->given].through = ht_strdup(file->through);
        sources->items[file->given].joined = file->joined;
    }
    ht_tree_free(&tree);
    free(files);
    free(roots);
}

typedef struct ranked {
    ht_entry entry;
    double source, kernel; /* times */
    size_t place;          /* before they are sorted */
} ranked;

static int longest_first(const void *a, const void *b) {
    const ranked *first = a, *second = b;
    if (first->source > second->source || first->source < second->source)
        return first->source > second->source ? -1 : 1;
    if (first->entry.source != second->entry.source)
        return first->entry.source < second->entry.source ? -1 : 1;
    if (first->kernel > second->kernel || first->kernel < second->kernel)
        return first->kernel > second->kernel ? -1 : 1;
    return first->place < second->place ? -1 : first->place > second->place;
}

/* Sorts the entries by time; those of one kernel stay as they are. */
static void entries_sort(ht_entries *entries, const ht_survey_options *options) {
    ranked *all = ht_alloc(entries->count + 1, sizeof *all);
    for (size_t i = 0; i < entries->count; ++i)
        all[i] = (ranked){.entry = entries->items[i],
                          .place = i,
                          .kernel = options->time(options->wanted_context, entries->items[i].name)};
    for (size_t i = 0; i < entries->count; ++i)
        for (size_t j = 0; j < entries->count; ++j)
            if (all[j].entry.source == all[i].entry.source &&
                (j == 0 || all[j - 1].entry.source != all[j].entry.source ||
                 strcmp(all[j - 1].entry.name, all[j].entry.name) != 0))
                all[i].source += all[j].kernel;
    if (entries->count)
        qsort(all, entries->count, sizeof *all, longest_first);
    for (size_t i = 0; i < entries->count; ++i)
        entries->items[i] = all[i].entry;
    free(all);
}

ht_status ht_survey_sources(char *const *paths, size_t count, const ht_survey_options *options,
                            ht_sources *out_sources, ht_error *error) {
    ht_status status = ht_sources_find(paths, count, options->out, out_sources, error);
    if (status == HT_OK)
        through_find(paths, count, options, out_sources);
    return status;
}

ht_status ht_survey_make(char *const *paths, size_t count, const ht_survey_options *options,
                         ht_survey *out_survey, ht_error *error) {
    *out_survey = (ht_survey){0};
    ht_status status = ht_survey_sources(paths, count, options, &out_survey->sources, error);
    if (status != HT_OK)
        return status;
    if (options->problem) { /* a malformed one is reported once, not for every source */
        ht_problems problems;
        status = ht_problems_open(options->problem, "", &problems, error);
        if (status != HT_OK)
            return status;
        ht_problems_close(&problems);
    }
    size_t matched = ht_survey_read(out_survey, options);
    if (options->time)
        entries_sort(&out_survey->entries, options);
    if (ht_interrupted)
        return ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
    if (matched == 0 && options->kernel)
        return kernel_unknown(out_survey, options->kernel, error);
    return HT_OK;
}

void ht_survey_clear(ht_survey *survey) {
    ht_entries_free(&survey->entries);
    for (size_t i = 0; survey->analyses && i < survey->sources.count; ++i) {
        ht_analysis *analysis = &survey->analyses[i];
        instances_free(analysis);
        ht_refactor_free(analysis->refactor);
        ht_refactor_free(analysis->recalled);
        ht_problems_close(&analysis->problems);
        ht_problems_close(&analysis->reread);
        json_decref(analysis->known);
        json_decref(analysis->reads);
    }
    free(survey->analyses);
    survey->analyses = NULL;
}

void ht_survey_free(ht_survey *survey) {
    ht_survey_clear(survey);
    ht_sources_free(&survey->sources);
    *survey = (ht_survey){0};
}

/* Returns the exit code. A file that was found in a folder may well not be HIP source: that is a
 * failure, not bad input. */
int ht_file_exit_code(const ht_error *error, bool named, bool foreign) {
    int code = ht_status_exit_code(error->status);
    return code == HT_EXIT_INPUT && !named && foreign ? HT_EXIT_FAILED : code;
}

int ht_survey_files_exit_code(const ht_survey *survey) {
    int code = HT_EXIT_OK;
    for (size_t i = 0; i < survey->sources.count; ++i) {
        const ht_analysis *analysis = &survey->analyses[i];
        if (analysis->error.status == HT_OK || ht_timed_is_command(analysis->error.message))
            continue; /* a limit is no failure */
        int own = ht_file_exit_code(&analysis->error, analysis->source->named, analysis->foreign);
        code = own > code ? own : code;
    }
    return code;
}

int ht_survey_exit_code(const ht_survey *survey) {
    int code = ht_entries_exit_code(&survey->entries);
    int files = ht_survey_files_exit_code(survey);
    return files > code ? files : code;
}

json_t *ht_file_error_json(const ht_error *error) {
    return json_pack("{s:o, s:i, s:i, s:o}", "file", ht_report_json_text(error->file), "line",
                     error->line, "column", error->column, "message",
                     ht_report_json_text(error->message));
}

json_t *ht_survey_errors_json(const ht_survey *survey) {
    json_t *errors = json_array();
    for (size_t i = 0; i < survey->sources.count; ++i)
        if (survey->analyses[i].error.status != HT_OK)
            json_array_append_new(errors, ht_file_error_json(&survey->analyses[i].error));
    return errors;
}
