#include "pipeline/predictor_input.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

ht_status ht_data_kernel(char *const *paths, size_t count, char **out_kernel, ht_error *error) {
    char *kernel = ht_dataset_kernel(paths[0]);
    for (size_t i = 1; i < count; ++i) {
        char *other = ht_dataset_kernel(paths[i]);
        bool same = strcmp(other, kernel) == 0;
        if (!same)
            ht_error_set(error, HT_ERROR_INPUT,
                         "the files are of several kernels, %s (%s) and %s (%s): one model is of "
                         "one kernel; train them one by one",
                         kernel, paths[0], other, paths[i]);
        free(other);
        if (!same) {
            free(kernel);
            return HT_ERROR_INPUT;
        }
    }
    *out_kernel = kernel;
    return HT_OK;
}

ht_status ht_data_read(const ht_schema *schema, char *const *paths, size_t count,
                       ht_dataset *out_dataset, ht_error *error) {
    return ht_error_named(
        ht_dataset_read(schema, (const char *const *)paths, count, out_dataset, error), error);
}

static ht_status builtin_parse(const char *kernel, const char *text, ht_schema **out_schema,
                               ht_error *error) {
    char *name = ht_format("built-in schema %s", kernel);
    ht_status status = ht_schema_parse(text, name, out_schema, error);
    free(name);
    return status;
}

static ht_status unknown_schema(const char *given, ht_error *error) {
    const char *const *names = ht_schema_builtin_names();
    const char *near = ht_nearest_word(given, names);
    ht_text list = {0};
    for (size_t i = 0; names[i]; ++i)
        ht_text_printf(&list, "%s%s", i ? ", " : "", names[i]);
    ht_status status =
        near ? ht_error_set(error, HT_ERROR_INPUT,
                            "option --schema: there is neither a file nor a built-in schema '%s'; "
                            "did you mean '%s'?",
                            given, near)
             : ht_error_set(error, HT_ERROR_INPUT,
                            "option --schema: there is neither a file nor a built-in schema '%s'; "
                            "built in are %s, and 'header' takes what the data has",
                            given, list.data ? list.data : "none");
    ht_text_free(&list);
    return status;
}

static ht_status header_schema(const char *params, char *const *paths, size_t count,
                               ht_schema **out_schema, char **out_told, ht_error *error) {
    *out_told = ht_strdup("from the data's header, without constraints");
    return ht_error_named(
        ht_schema_from_tsv((const char *const *)paths, count, params, out_schema, error), error);
}

ht_status ht_schema_choose(const char *given, const char *params, char *const *paths, size_t count,
                           ht_schema **out_schema, char **out_told, ht_error *error) {
    *out_told = NULL;
    if (strcmp(given, "header") == 0)
        return header_schema(params, paths, count, out_schema, out_told, error);
    bool any = strcmp(given, "auto") == 0;
    char *kernel = NULL;
    if (any) {
        ht_status status = ht_data_kernel(paths, count, &kernel, error);
        if (status != HT_OK)
            return status;
    }
    const char *name = any ? kernel : given;
    const char *text = ht_schema_builtin_text(name);
    ht_status status;
    if (!any && ht_file_exists(given)) {
        *out_told = ht_strdup(ht_path_name(given));
        status = ht_error_named(ht_schema_read(given, out_schema, error), error);
    } else if (text) {
        *out_told = ht_format("built in, %s", name);
        status = builtin_parse(name, text, out_schema, error);
    } else if (any) {
        status = header_schema(params, paths, count, out_schema, out_told, error);
    } else {
        status = unknown_schema(given, error);
    }
    free(kernel);
    return status;
}

ht_status ht_fold_options_check(const ht_fold_options *options, ht_error *error) {
    ht_fold fold;
    if (strcmp(options->by, "problem") != 0 && strcmp(options->by, "record") != 0)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "option --fold-by: '%s' is neither problem nor record", options->by);
    if (options->fold && ht_fold_parse(options->fold, &fold, error) != HT_OK) {
        ht_error_prefix(error, "option --fold: ");
        return HT_ERROR_INPUT;
    }
    return HT_OK;
}

ht_status ht_fold_options_group(const ht_fold_options *options, ht_dataset *dataset,
                                ht_error *error) {
    if (strcmp(options->by, "record") == 0)
        ht_dataset_ungroup(dataset);
    else if (options->regroup)
        return ht_dataset_regroup(dataset, options->regroup, error);
    return HT_OK;
}

ht_status ht_fold_options_keep(const ht_fold_options *options, bool inside, ht_dataset *dataset,
                               ht_error *error) {
    ht_fold fold;
    if (!options->fold)
        return HT_OK;
    ht_status status = ht_fold_parse(options->fold, &fold, error);
    if (status != HT_OK)
        return status;
    ht_dataset kept, left;
    ht_dataset_split_fold(dataset, &fold, &kept, &left);
    ht_dataset_free(dataset);
    *dataset = inside ? kept : left;
    ht_dataset_free(inside ? &left : &kept);
    return HT_OK;
}
