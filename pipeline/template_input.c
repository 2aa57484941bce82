/* Annotated templates, and the compiler arguments for reading sources. */
#include "pipeline/input.h"

#include "base/memory.h"
#include "refactor/source/stub.h"

#include <stdlib.h>
#include <string.h>

typedef struct names {
    const char **items;
    size_t count;
} names;

static void launches_add(names *names, const ht_launch *launches, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        bool known = false;
        for (size_t j = 0; j < names->count; ++j)
            known |= strcmp(names->items[j], launches[i].kernel) == 0;
        if (known)
            continue;
        HT_GROW(names->items, names->count);
        names->items[names->count++] = launches[i].kernel;
    }
}

static ht_status unit_cut(const char *path, ht_template *template,
                          const ht_refactor_options *options, ht_error *error) {
    names kernels = {0};
    launches_add(&kernels, template->launches, template->launch_count);
    launches_add(&kernels, template->reference_launches, template->reference_launch_count);
    launches_add(&kernels, template->baseline_launches, template->baseline_launch_count);
    char *unit;
    ht_status status =
        ht_slice_file(path, kernels.items, kernels.count, template, options, &unit, error);
    free(kernels.items);
    if (status == HT_ERROR_INPUT && error && !error->line)
        error->line = template->line; /* of the annotation that asks for it */
    if (status != HT_OK)
        return status;
    free(template->unit);
    template->unit = unit;
    /* The file's includes may say more of the kernel's parameters. */
    return ht_template_check(template, error);
}

/* Moves the wanted template to the front and frees the others. */
static bool keep_only(ht_template *templates, size_t *count, const char *kernel) {
    for (size_t i = 0; i < *count; ++i) {
        if (strcmp(templates[i].name, kernel) != 0)
            continue;
        ht_template wanted = templates[i];
        ht_template *others = ht_alloc(*count, sizeof *others);
        size_t other_count = 0;
        for (size_t j = 0; j < *count; ++j) {
            if (j != i)
                others[other_count++] = templates[j];
        }
        ht_template_free(others, other_count);
        templates[0] = wanted;
        *count = 1;
        return true;
    }
    return false;
}

static ht_status unknown_kernel(const char *path, const ht_template *templates, size_t count,
                                const char *kernel, ht_error *error) {
    ht_text known = {0};
    for (size_t i = 0; i < count; ++i)
        ht_text_printf(&known, "%s%s", i ? ", " : "", templates[i].name);
    ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0, "no template is named '%s'; there are: %s",
                    kernel, known.data);
    ht_text_free(&known);
    return HT_ERROR_INPUT;
}

ht_status ht_templates_load(const char *path, const char *kernel,
                            const ht_refactor_options *options, ht_template **out_templates,
                            size_t *out_count, ht_error *error) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_status status = ht_error_named(ht_template_load(path, &templates, &count, error), error);
    if (status != HT_OK)
        return status;
    if (count == 0)
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "no '#pragma tune kernel(...)' in this file; for a kernel without "
                                 "annotations use 'hiptemper optimize' or 'hiptemper refactor'");
    else if (kernel && !keep_only(templates, &count, kernel))
        status = unknown_kernel(path, templates, count, kernel, error);
    for (size_t i = 0; status == HT_OK && i < count; ++i) {
        if (!templates[i].is_unit)
            status = unit_cut(path, &templates[i], options, error);
    }
    if (status != HT_OK) {
        ht_template_free(templates, count);
        return status;
    }
    *out_templates = templates;
    *out_count = count;
    return HT_OK;
}

void ht_compiler_arguments_make(const ht_compiler_options *given,
                                ht_refactor_options *out_options) {
    size_t most = given->include.count + given->define.count + 2 * given->stubs.count + 1;
    char **arguments = ht_alloc(most, sizeof *arguments);
    size_t count = 0;
    for (size_t i = 0; i < given->include.count; ++i)
        arguments[count++] = ht_format("-I%s", given->include.items[i]);
    for (size_t i = 0; i < given->define.count; ++i)
        arguments[count++] = ht_format("-D%s", given->define.items[i]);
    if (given->standard)
        arguments[count++] = ht_format("-std=%s", given->standard);
    for (size_t i = 0; i < given->stubs.count; ++i) {
        arguments[count++] = ht_strdup("-include");
        arguments[count++] = ht_strdup(given->stubs.items[i]);
    }
    *out_options =
        (ht_refactor_options){.arguments = (const char *const *)arguments,
                              .argument_count = count,
                              .limits = {.operations = given->analysis_operations,
                                         .seconds = given->analysis_seconds,
                                         .memory_bytes = (size_t)given->analysis_mebibytes << 20}};
}

ht_status ht_compiler_stub_check(const ht_compiler_options *given, ht_error *error) {
    ht_compiler_options alone = *given;
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < given->stubs.count; ++i) {
        ht_refactor_options options;
        alone.stubs.count = i;
        ht_compiler_arguments_make(&alone, &options);
        status = ht_stub_check(given->stubs.items[i], &options, error);
        ht_compiler_arguments_free(&options);
    }
    return status;
}

void ht_compiler_arguments_free(ht_refactor_options *options) {
    for (size_t i = 0; i < options->argument_count; ++i)
        free((char *)options->arguments[i]);
    free((char **)options->arguments);
    *options = (ht_refactor_options){0};
}
