/* Writing tuned constants into the source. */
#include "base/memory.h"
#include "refactor/launcher.h"
#include "refactor/result.h"

#include <stdlib.h>
#include <string.h>

typedef struct replacements {
    ht_replacement *items;
    size_t count;
} replacements;

static void replacements_free(replacements *list) {
    for (size_t i = 0; i < list->count; ++i)
        free(list->items[i].text);
    free(list->items);
}

static int compare(const void *a, const void *b) {
    const ht_replacement *first = a, *second = b;
    if (first->range.begin != second->range.begin)
        return first->range.begin < second->range.begin ? -1 : 1;
    return first->range.end < second->range.end ? -1 : first->range.end > second->range.end;
}

static void append(replacements *list, ht_replacement *items, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        HT_GROW(list->items, list->count);
        list->items[list->count++] = items[i];
    }
    free(items);
}

/* Launchers go behind the kernel, out of its namespaces' way: same scope, next line. */
static ht_status add_launcher(const ht_kernel *kernel, const ht_kernel_work *work,
                              const ht_values *values, replacements *list, ht_error *error) {
    char *problem;
    char *text = ht_launcher_write(&work->plan, &work->grid, values, &problem);
    if (!text) {
        ht_status status =
            ht_error_set_at(error, HT_ERROR_UNSUPPORTED, kernel->file, kernel->line, 0,
                            "%s:%d: %s: %s", kernel->file, kernel->line, kernel->name, problem);
        free(problem);
        return status;
    }
    ht_replacement *item = ht_alloc(1, sizeof *item);
    size_t end = work->model.range.end;
    *item = (ht_replacement){{end, end}, ht_format("\n\n%s", text)};
    free(text);
    append(list, item, 1);
    return HT_OK;
}

static ht_status add_choice(const ht_refactor *refactor, const ht_refactor_choice *choice,
                            replacements *list, ht_error *error) {
    if (choice->kernel >= refactor->count)
        return ht_error_set(error, HT_ERROR_INTERNAL, "no kernel %zu", choice->kernel);
    const ht_kernel *kernel = &refactor->kernels[choice->kernel];
    const ht_kernel_work *work = &refactor->work[choice->kernel];
    if (kernel->status != HT_KERNEL_TEMPLATED)
        return ht_error_set_at(error, HT_ERROR_UNSUPPORTED, kernel->file, kernel->line, 0,
                               "%s:%d: %s is no kernel that this pass parameterized", kernel->file,
                               kernel->line, kernel->name);
    if (choice->config.count != kernel->template->param_count)
        return ht_error_set(error, HT_ERROR_INTERNAL, "the configuration is another template's");
    const ht_launches *launches = &work->model.facts->launches;
    for (size_t i = 0; i < launches->count; ++i)
        if (launches->items[i].file != 0)
            return ht_error_set_at(
                error, HT_ERROR_UNSUPPORTED, kernel->file, kernel->line, 0,
                "%s:%d: %s is launched at %s:%d, in another file, which would have to change with "
                "it: use the template",
                kernel->file, kernel->line, kernel->name,
                refactor->source->files[launches->items[i].file].path, launches->items[i].line);
    ht_values values = {kernel->template, &choice->config};
    ht_config plain = ht_config_default(kernel->template);
    if (!ht_config_equal(&plain, &choice->config)) {
        ht_replacement *items;
        size_t count;
        char *problem;
        bool done = ht_plan_flatten(&work->plan, &values, &items, &count, &problem);
        append(list, items, count);
        if (!done) {
            ht_error_set_at(error, HT_ERROR_INTERNAL, kernel->file, kernel->line, 0,
                            "%s:%d: %s: %s", kernel->file, kernel->line, kernel->name, problem);
            free(problem);
            return HT_ERROR_INTERNAL;
        }
    }
    if (launches->count == 0)
        return add_launcher(kernel, work, &values, list, error);
    return HT_OK;
}

/* Replaces from first to last; two kernels may ask for the same replacement, but not for different
 * ones. */
static ht_status merge(const ht_source *source, replacements *list, ht_text *out, ht_error *error) {
    size_t at = 0;
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare);
    for (size_t i = 0; i < list->count; ++i) {
        const ht_replacement *item = &list->items[i], *before = i ? item - 1 : NULL;
        bool insert = item->range.begin == item->range.end;
        if (before && !insert && before->range.begin == item->range.begin &&
            before->range.end == item->range.end && strcmp(before->text, item->text) == 0)
            continue;
        if (item->range.begin < at)
            return ht_error_set_at(error, HT_ERROR_UNSUPPORTED, source->path, 0, 0,
                                   "%s: two kernels want to rewrite the same text at offset %zu",
                                   source->path, item->range.begin);
        ht_text_append_n(out, source->text + at, item->range.begin - at);
        ht_text_append(out, item->text);
        at = item->range.end;
    }
    ht_text_append_n(out, source->text + at, source->length - at);
    return HT_OK;
}

static bool known(const ht_source *source, const char *message, bool *used) {
    for (size_t i = 0; i < source->error_count; ++i)
        if (!used[i] && strcmp(source->errors[i].message, message) == 0) {
            used[i] = true;
            return true;
        }
    return false;
}

/* The new text must not have errors that the original has not. */
static ht_status check(const ht_source *source, const char *text, ht_error *error) {
    char **messages;
    size_t count = ht_source_try(source, NULL, text, true, NULL, 0, &messages);
    bool *used = ht_alloc(source->error_count + 1, sizeof *used);
    ht_status status = HT_OK;
    for (size_t i = 0; i < count; ++i) {
        if (status == HT_OK && !known(source, messages[i], used))
            status = ht_error_set_at(error, HT_ERROR_INTERNAL, source->path, 0, 0,
                                     "%s: the rewritten source does not compile: %s", source->path,
                                     messages[i]);
        free(messages[i]);
    }
    free(messages);
    free(used);
    return status;
}

ht_status ht_refactor_apply(const ht_refactor *refactor, const ht_refactor_choice *choices,
                            size_t choice_count, char **out_source, ht_error *error) {
    replacements list = {0};
    ht_text text = {0};
    ht_status status = HT_OK;
    *out_source = NULL;
    for (size_t i = 0; i < choice_count && status == HT_OK; ++i)
        status = add_choice(refactor, &choices[i], &list, error);
    if (status == HT_OK)
        status = merge(refactor->source, &list, &text, error);
    if (status == HT_OK && text.data)
        status = check(refactor->source, text.data, error);
    if (status == HT_OK)
        *out_source = ht_text_take(&text);
    else
        ht_text_free(&text);
    replacements_free(&list);
    return status;
}
