#include "loop/generation.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/losses.h"

#include <stdlib.h>
#include <string.h>

static ht_status survey_make(const ht_loop_origin *origin, const char *path, const char *kernel,
                             const char *problem, const ht_refactor_options *compiler,
                             ht_survey *out_survey, ht_error *error) {
    ht_survey_options options = {.problem = problem,
                                 .kernel = kernel,
                                 .silent = true,
                                 .device = origin->device,
                                 .compiler = *compiler};
    ht_rehearsal rehearsal;
    ht_rehearsal_init(&rehearsal, &compiler->limits);
    options.compiler.watch = &rehearsal.watch;
    options.compiler.stopped = &ht_stopped;
    char *paths[] = {(char *)(size_t)path};
    return ht_survey_make(paths, 1, &options, out_survey, error);
}

/* Returns the entry to tune: the first of the kernel, with its first problem. Fails if there is
 * none, or several kernels have one. */
static ht_status entry_choose(const ht_survey *survey, const char *path, ht_status otherwise,
                              ht_entry **out_entry, ht_error *error) {
    ht_entry *found = NULL;
    ht_text names = {0};
    bool several = false;
    for (size_t i = 0; i < survey->entries.count; ++i) {
        ht_entry *entry = &survey->entries.items[i];
        if (!entry->template || entry->annotated)
            continue;
        bool other = found && entry->kernel != found->kernel;
        if (!found || other)
            ht_text_printf(&names, "%s%s", found ? ", " : "", entry->name);
        several = several || other;
        found = found ? found : entry;
    }
    ht_status status = HT_OK;
    const ht_entry *first = survey->entries.count ? &survey->entries.items[0] : NULL;
    if (several)
        status =
            ht_error_set_at(error, otherwise, path, 0, 0,
                            "several kernels can be tuned: %s; --kernel names one", names.data);
    else if (!found && first && first->annotated)
        status = ht_error_set_at(error, otherwise, path, 0, 0,
                                 "its kernel has annotations: `hiptemper tune` searches those");
    else if (!found)
        status = ht_error_set_at(error, otherwise, path, first ? first->reason_line : 0, 0, "%s",
                                 first && first->result.reason ? first->result.reason
                                                               : "it has no kernel to tune");
    ht_text_free(&names);
    *out_entry = found;
    return status;
}

static void kernel_take(ht_generation *made) {
    made->kernel = ht_refactor_kernel(made->survey.analyses[0].refactor, made->entry->kernel);
    for (size_t i = 0; i < made->kernel->template->param_count; ++i)
        made->value_counts[i] = made->kernel->template->params[i].value_count;
}

void ht_generation_reset(ht_generation *generation) {
    const ht_template *template = generation->kernel->template;
    for (size_t i = 0; i < template->param_count; ++i) {
        ht_param *param = &template->params[i];
        while (param->value_count > generation->value_counts[i])
            free(param->values[--param->value_count].text);
    }
}

static ht_status analysed(const ht_survey *survey, ht_error *error) {
    if (survey->analyses == NULL || survey->analyses[0].error.status == HT_OK)
        return HT_OK;
    if (error)
        *error = survey->analyses[0].error;
    return survey->analyses[0].error.status;
}

ht_status ht_generation_original(const ht_loop_origin *origin, ht_generation *out_generation,
                                 ht_error *error) {
    ht_generation *made = out_generation;
    *made = (ht_generation){0};
    ht_status status = survey_make(origin, origin->path, origin->kernel, origin->problem,
                                   origin->compiler, &made->survey, error);
    if (status == HT_OK)
        status = ht_file_read_text(origin->path, "HIP source", &made->text, error);
    if (status == HT_OK)
        status = analysed(&made->survey, error);
    if (status == HT_OK)
        status = entry_choose(&made->survey, origin->path, HT_ERROR_INPUT, &made->entry, error);
    if (status == HT_OK)
        kernel_take(made);
    return status;
}

/* Writes what there is of the problem next to the text. Returns the file that is to be read; NULL:
 * there is none; free(). */
static ht_status problem_place(const ht_loop_origin *origin, const ht_generation *original,
                               const char *folder, char **out_problem, ht_error *error) {
    char *near = ht_problem_path_beside(origin->path);
    *out_problem = NULL;
    ht_status status = HT_OK;
    if (origin->problem)
        *out_problem = ht_strdup(origin->problem);
    else if (ht_file_exists(near))
        *out_problem = ht_strdup(near);
    else if (original->kernel->inferred && original->kernel->skeleton) {
        const char *text = original->kernel->skeleton;
        *out_problem = ht_path_join(folder, "inferred.json");
        status = ht_file_write(*out_problem, text, strlen(text), error);
    }
    free(near);
    return status;
}

/* Gives the kernel's templates the original's path, in the place of the one that was read. */
static void unit_settle(ht_template *template, const char *path, const char *original) {
    if (!template)
        return;
    char *unit = ht_text_replaced(template->unit, path, original);
    free(template->unit);
    template->unit = unit;
}

static ht_status generation_read(const ht_loop_origin *origin, const ht_generation *original,
                                 const char *path, ht_generation *made, ht_error *error) {
    const ht_refactor_options *given = origin->compiler;
    const char **arguments = ht_alloc(given->argument_count + 1, sizeof *arguments);
    char *folder = ht_path_folder(origin->path), *include = ht_format("-I%s", folder);
    char *problem = NULL;
    ht_refactor_options compiler = *given;
    for (size_t i = 0; i < given->argument_count; ++i)
        arguments[i] = given->arguments[i];
    arguments[given->argument_count] = include;
    compiler.arguments = arguments;
    compiler.argument_count = given->argument_count + 1;
    ht_status status = problem_place(origin, original, made->folder.path, &problem, error);
    if (status == HT_OK)
        status = survey_make(origin, path, original->entry->name, problem, &compiler, &made->survey,
                             error);
    free(problem);
    free(include);
    free(folder);
    free(arguments);
    return status;
}

/* Finds the problem that the original is tuned for among the kernel's. */
static void instance_choose(const ht_generation *original, ht_generation *made) {
    const char *wanted = original->entry->problem ? original->entry->problem : "";
    for (size_t i = 0; i < made->survey.entries.count; ++i) {
        ht_entry *entry = &made->survey.entries.items[i];
        if (entry->template && entry->kernel == made->entry->kernel &&
            strcmp(entry->problem ? entry->problem : "", wanted) == 0) {
            made->entry = entry;
            return;
        }
    }
}

ht_status ht_generation_make(const ht_loop_origin *origin, const ht_generation *original,
                             const char *text, ht_generation *out_generation, ht_error *error) {
    ht_generation *made = out_generation;
    *made = (ht_generation){.text = ht_strdup(text)};
    ht_status status = ht_scratch_make("loop", &made->folder, error);
    if (status != HT_OK)
        return status;
    char *path = ht_path_join(made->folder.path, ht_path_name(origin->path));
    status = ht_file_write(path, text, strlen(text), error);
    if (status == HT_OK)
        status = generation_read(origin, original, path, made, error);
    if (status == HT_OK && analysed(&made->survey, error) != HT_OK)
        status = error ? (error->status = HT_ERROR_UNSUPPORTED) : HT_ERROR_UNSUPPORTED;
    if (status == HT_ERROR_INPUT) /* the kernel is not there any more */
        status = error ? (error->status = HT_ERROR_UNSUPPORTED) : HT_ERROR_UNSUPPORTED;
    if (status == HT_OK)
        status =
            entry_choose(&made->survey, origin->path, HT_ERROR_UNSUPPORTED, &made->entry, error);
    if (status == HT_OK) {
        instance_choose(original, made);
        kernel_take(made);
        unit_settle(made->kernel->template, path, origin->path);
        unit_settle(made->kernel->against, path, origin->path);
    }
    free(path);
    return status;
}

void ht_generation_free(ht_generation *generation) {
    ht_survey_free(&generation->survey);
    ht_scratch_remove(&generation->folder);
    free(generation->text);
    *generation = (ht_generation){0};
}
