/* The sizes that a template is tuned for. */
#include "pipeline/input.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/read_log.h"
#include "base/result.h"

#include <stdlib.h>
#include <string.h>

char *ht_problem_path_beside(const char *source_path) {
    const char *name = ht_path_name(source_path);
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot > name ? (size_t)(dot - source_path) : strlen(source_path);
    return ht_format("%.*s.problem.json", (int)stem, source_path);
}

static ht_status file_open(const char *path, ht_problems *out, ht_error *error) {
    ht_input_add(path);
    ht_read_log_add(path);
    ht_status status = ht_problem_file_load(path, &out->file, error);
    if (status == HT_OK)
        return HT_OK;
    out->file = NULL;
    return ht_error_named(status, error);
}

ht_status ht_problems_open(const char *given, const char *source_path, ht_problems *out_problems,
                           ht_error *error) {
    *out_problems = (ht_problems){0};
    if (given && strchr(given, '=') && !ht_file_exists(given)) {
        out_problems->text = ht_strdup(given);
        return HT_OK;
    }
    if (given)
        return file_open(given, out_problems, error);
    char *beside = ht_problem_path_beside(source_path);
    ht_read_log_add(beside); /* that there is none counts, too */
    ht_status status = ht_file_exists(beside) ? file_open(beside, out_problems, error) : HT_OK;
    free(beside);
    return status;
}

void ht_problems_close(ht_problems *problems) {
    ht_problem_file_free(problems->file);
    free(problems->text);
    *problems = (ht_problems){0};
}

/* Returns the fields that a family needs, as "N C H W K R S (and optional pad_h, ...)"; free(). */
static char *fields_text(const ht_problem_spec *spec) {
    ht_text text = {0};
    ht_text_append(&text, "");
    for (size_t i = 0; i < spec->field_count; ++i) {
        if (spec->fields[i].kind == HT_FIELD_REQUIRED)
            ht_text_printf(&text, "%s%s", text.length ? " " : "", spec->fields[i].name);
    }
    return ht_text_take(&text);
}

static const ht_problem_entry *entry_for(const ht_problem_file *file, const ht_template *template) {
    const ht_problem_entry *entry = ht_problem_file_entry(file, template->name);
    for (size_t i = 0; !entry && i < template->launch_count; ++i)
        entry = ht_problem_file_entry(file, template->launches[i].kernel);
    for (size_t i = 0; !entry && i < file->entry_count; ++i) {
        const char *family = file->entries[i].spec.name;
        bool catalogue = file->entries[i].kernel == NULL;
        if (catalogue && family && strcmp(family, template->problem.name) == 0)
            entry = &file->entries[i];
    }
    return entry;
}

/* Makes the file's instance, completed anew by the template's own family: an own family may derive
 * other fields. */
static ht_status instance_make(const ht_problem_file *file, const ht_problem_entry *entry,
                               const ht_problem *instance, const ht_problem_spec *spec,
                               ht_problem *out, ht_error *error) {
    ht_problem_value *given = ht_alloc(instance->value_count + 1, sizeof *given);
    size_t count = 0;
    for (size_t i = 0; i < instance->value_count; ++i) {
        for (size_t j = 0; j < spec->field_count; ++j) {
            bool same = strcmp(spec->fields[j].name, instance->values[i].name) == 0;
            if (same && spec->fields[j].kind != HT_FIELD_DERIVED)
                given[count++] = instance->values[i];
        }
    }
    ht_place where = {.file = file->path, .line = entry->line};
    ht_status status = ht_problem_make(spec, instance->name, given, count, where, out, error);
    free(given);
    return status;
}

static ht_status from_file(const ht_problem_file *file, const ht_template *template,
                           ht_problem **out_instances, size_t *out_count, ht_error *error) {
    const ht_problem_entry *entry = entry_for(file, template);
    if (!entry)
        return ht_error_set_at(error, HT_ERROR_INPUT, file->path, 0, 0,
                               "no entry for kernel %s, and no catalogue of its problem family %s",
                               template->name, template->problem.name);
    *out_instances = ht_alloc(entry->instance_count, sizeof **out_instances);
    for (*out_count = 0; *out_count < entry->instance_count; ++*out_count) {
        ht_status status = instance_make(file, entry, &entry->instances[*out_count],
                                         &template->problem, &(*out_instances)[*out_count], error);
        if (status != HT_OK) {
            ht_instances_free(*out_instances, *out_count);
            return status;
        }
    }
    return HT_OK;
}

static ht_status from_text(const char *text, const char *name, const ht_template *template,
                           ht_problem **out_instances, size_t *out_count, ht_error *error) {
    ht_problem problem;
    ht_status status = ht_problem_parse(&template->problem, text, &problem, error);
    if (status != HT_OK) {
        ht_error_prefix(error, "--problem '%s': ", text);
        return status;
    }
    free(problem.name); /* the text itself, which is printed as the sizes anyway */
    problem.name = ht_strdup(name);
    *out_instances = ht_alloc(1, sizeof **out_instances);
    **out_instances = problem;
    *out_count = 1;
    return HT_OK;
}

ht_status ht_instances_find(const ht_problems *problems, const ht_template *template,
                            ht_problem **out_instances, size_t *out_count, ht_error *error) {
    *out_instances = NULL;
    *out_count = 0;
    if (!template->problem.name) {
        *out_instances = ht_alloc(1, sizeof **out_instances);
        (*out_instances)->name = ht_strdup("");
        *out_count = 1;
        return HT_OK;
    }
    if (problems->text)
        return from_text(problems->text, "given", template, out_instances, out_count, error);
    if (problems->file)
        return from_file(problems->file, template, out_instances, out_count, error);
    char *fields = fields_text(&template->problem);
    ht_status status =
        *fields ? ht_error_set_at(
                      error, HT_ERROR_INPUT, template->file, template->line, 0,
                      "the sizes to tune %s for are not known: give --problem FILE, or --problem "
                      "with a value for each of %s",
                      template->name, fields)
                : from_text("", "defaults", template, out_instances, out_count, error);
    free(fields);
    return status;
}

void ht_instances_free(ht_problem *instances, size_t count) {
    for (size_t i = 0; i < count; ++i)
        ht_problem_free(&instances[i]);
    free(instances);
}
