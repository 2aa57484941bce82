#include "templates/problem_file/problem_file.h"
#include "templates/annotations/launch.h"
#include "templates/problem_file/problem_entry.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void ht_problem_entry_clear(ht_problem_entry *entry) {
    for (size_t i = 0; i < entry->arg_count; ++i)
        ht_arg_free(&entry->args[i]);
    for (size_t i = 0; i < entry->host_count; ++i) {
        free(entry->host[i].name);
        ht_expr_free(entry->host[i].expr);
    }
    for (int axis = 0; axis < 3; ++axis) {
        ht_expr_free(entry->block[axis]);
        ht_expr_free(entry->grid[axis]);
    }
    for (size_t i = 0; i < entry->instance_count; ++i)
        ht_problem_free(&entry->instances[i]);
    ht_expr_free(entry->lds);
    ht_problem_spec_free(&entry->spec);
    ht_strings_free(entry->template_arguments, entry->template_argument_count);
    ht_strings_free(entry->reference_arguments, entry->reference_argument_count);
    free(entry->reference_name);
    free(entry->instances);
    free(entry->args);
    free(entry->host);
    free(entry->kernel);
    *entry = (ht_problem_entry){0};
}

void ht_problem_file_free(ht_problem_file *file) {
    if (!file)
        return;
    for (size_t i = 0; i < file->entry_count; ++i)
        ht_problem_entry_clear(&file->entries[i]);
    free(file->entries);
    free(file->path);
    free(file);
}

static ht_problem_entry *add_entry(ht_problem_file *file) {
    HT_GROW(file->entries, file->entry_count);
    ht_problem_entry *entry = &file->entries[file->entry_count++];
    *entry = (ht_problem_entry){.tolerance = HT_TOLERANCE_DEFAULT};
    return entry;
}

static ht_status check_format(ht_json_reader *reader, const json_t *root) {
    const json_t *format = json_object_get(root, "format"),
                 *version = json_object_get(root, "version");
    if (!json_is_string(format) || strcmp(json_string_value(format), "hiptemper-problem") != 0)
        return ht_json_fail(reader, "expected \"format\": \"hiptemper-problem\"");
    if (!json_is_integer(version) || json_integer_value(version) != 1)
        return ht_json_fail(reader, "expected \"version\": 1");
    return HT_OK;
}

static ht_status read_catalogue(ht_json_reader *reader, const json_t *root, ht_problem_file *file) {
    static const char *const keys[] = {"format",  "version",   "description",
                                       "problem", "instances", NULL};
    ht_status status = ht_json_check_keys(reader, root, keys);
    if (status != HT_OK)
        return status;
    ht_problem_entry *entry = add_entry(file);
    status = ht_problem_entry_read_problem(reader, root, entry);
    return status == HT_OK ? ht_problem_entry_read_instances(reader, root, entry) : status;
}

static ht_status read_kernels(ht_json_reader *reader, const json_t *root, ht_problem_file *file) {
    static const char *const keys[] = {"format", "version", "description", "kernels", NULL};
    const json_t *array = json_object_get(root, "kernels");
    ht_status status = ht_json_check_keys(reader, root, keys);
    if (status != HT_OK)
        return status;
    size_t outer = ht_json_enter(reader, "kernels");
    if (!json_is_array(array) || !json_array_size(array))
        status = ht_json_fail(reader, "expected a list [...] of at least one kernel");
    for (size_t i = 0; status == HT_OK && i < json_array_size(array); ++i) {
        size_t mark = ht_json_enter_index(reader, i);
        ht_problem_entry *entry = add_entry(file);
        status = ht_problem_entry_read(reader, json_array_get(array, i), entry);
        for (size_t k = 0; status == HT_OK && k < i; ++k)
            if (!strcmp(file->entries[k].kernel, entry->kernel))
                status = ht_json_fail(reader, "kernel %.80s has two entries", entry->kernel);
        ht_json_leave(reader, mark);
    }
    ht_json_leave(reader, outer);
    return status;
}

ht_status ht_problem_file_parse(const char *text, const char *path, ht_problem_file **out_file,
                                ht_error *error) {
    json_error_t json_error;
    ht_json_reader reader = {.file = path, .error = error};
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &json_error);
    if (!root)
        return ht_error_set_at(
            error, HT_ERROR_INPUT, path, json_error.line > 0 ? json_error.line : 0,
            json_error.column > 0 ? json_error.column : 0, "malformed JSON: %s", json_error.text);
    ht_problem_file *file = ht_alloc(1, sizeof *file);
    file->path = path ? ht_strdup(path) : NULL;
    ht_status status = json_is_object(root) ? check_format(&reader, root)
                                            : ht_json_fail(&reader, "expected an object {...}");
    if (status == HT_OK)
        status = json_object_get(root, "kernels") ? read_kernels(&reader, root, file)
                                                  : read_catalogue(&reader, root, file);
    json_decref(root);
    if (status == HT_OK)
        *out_file = file;
    else
        ht_problem_file_free(file);
    return status;
}

ht_status ht_problem_file_load(const char *path, ht_problem_file **out_file, ht_error *error) {
    char *text;
    ht_status status = ht_file_read_text(path, "a problem file", &text, error);
    if (status != HT_OK)
        return status;
    status = ht_problem_file_parse(text, path, out_file, error);
    free(text);
    return status;
}

/* Returns true if the name ends in "::part". */
static bool ends_in(const char *name, const char *part) {
    size_t length = strlen(name), tail = strlen(part);
    return length > tail + 2 && !strcmp(name + length - tail, part) &&
           !strncmp(name + length - tail - 2, "::", 2);
}

const ht_problem_entry *ht_problem_file_entry(const ht_problem_file *file, const char *kernel) {
    for (size_t i = 0; i < file->entry_count; ++i)
        if (file->entries[i].kernel && !strcmp(file->entries[i].kernel, kernel))
            return &file->entries[i];
    for (size_t i = 0; i < file->entry_count; ++i) {
        const char *name = file->entries[i].kernel;
        if (name && (ends_in(name, kernel) || ends_in(kernel, name)))
            return &file->entries[i];
    }
    return NULL;
}

void ht_problem_entry_apply(const ht_problem_entry *entry, ht_template *template) {
    ht_problem_spec_copy(&entry->spec, &template->problem);
    template->args = entry->arg_count ? ht_alloc(entry->arg_count, sizeof *template->args) : NULL;
    template->arg_count = entry->arg_count;
    for (size_t i = 0; i < entry->arg_count; ++i)
        ht_arg_copy(&entry->args[i], &template->args[i]);
    if (entry->has_reference) {
        template->reference_kind = HT_REFERENCE_BUILTIN;
        template->reference_name = ht_strdup(entry->reference_name);
        template->reference_arguments =
            ht_strings_copy(entry->reference_arguments, entry->reference_argument_count);
        template->reference_argument_count = entry->reference_argument_count;
    }
    template->exact = entry->exact;
    template->tolerance = entry->tolerance;
}

bool ht_problem_entry_launch(const ht_problem_entry *entry, ht_launch *out_launch) {
    if (!entry->block[0])
        return false;
    *out_launch = (ht_launch){.kernel = ht_strdup(entry->kernel), .lds = ht_expr_copy(entry->lds)};
    for (int axis = 0; axis < 3; ++axis) {
        out_launch->block[axis] = ht_expr_copy(entry->block[axis]);
        out_launch->grid[axis] = ht_expr_copy(entry->grid[axis]);
    }
    out_launch->template_arguments =
        ht_strings_copy(entry->template_arguments, entry->template_argument_count);
    out_launch->template_argument_count = entry->template_argument_count;
    return true;
}
