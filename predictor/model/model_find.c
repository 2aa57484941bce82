/* Finding the model that is meant: a file, or a folder's model for a kernel. */
#include "predictor/predictor.h"

#include "base/file.h"
#include "base/installed.h"
#include "base/memory.h"
#include "base/nearest.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int is_model(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 6 && entry->d_name[0] != '.' &&
           strcmp(entry->d_name + length - 6, ".model") == 0;
}

char *ht_predictor_builtin_folder(void) {
    const char *own = getenv("HIPTEMPER_MODELS");
    if (own && *own)
        return ht_strdup(own);
    char *found = ht_installed_data("models");
    return found ? found : ht_strdup("share/hiptemper/models");
}

typedef struct search {
    const char *folder, *kernel;
    ht_predictor *found;
    char **others; /* kernels that the folder has models for; owned, NULL at the end */
    size_t other_count;
    ht_error broken; /* the first file that could not be read */
} search;

static void model_try(search *search, const char *name) {
    char *path = ht_path_join(search->folder, name);
    ht_predictor *predictor = NULL;
    ht_error error = {0};
    if (ht_predictor_open(path, &predictor, &error) != HT_OK) {
        if (search->broken.status == HT_OK)
            search->broken = error;
    } else if (search->kernel &&
               strcmp(ht_predictor_schema(predictor)->kernel, search->kernel) == 0) {
        search->found = predictor;
    } else {
        search->others[search->other_count++] = ht_strdup(ht_predictor_schema(predictor)->kernel);
        ht_predictor_free(predictor);
    }
    free(path);
}

/* Fails with the kernels that the folder has models for; the nearest one alone, if one is near. */
static ht_status kernel_missing(const search *search, ht_error *error) {
    const char *near = search->kernel
                           ? ht_nearest_word(search->kernel, (const char *const *)search->others)
                           : NULL;
    ht_text known = {0};
    for (size_t i = 0; i < search->other_count; ++i)
        ht_text_printf(&known, "%s%s", i ? ", " : "", search->others[i]);
    ht_status status;
    if (!search->kernel)
        status = ht_error_set_at(error, HT_ERROR_INPUT, search->folder, 0, 0,
                                 "this is a folder of models: name the kernel with --kernel; there "
                                 "are %s",
                                 known.data ? known.data : "none");
    else if (near)
        status = ht_error_set_at(error, HT_ERROR_INPUT, search->folder, 0, 0,
                                 "the folder has no model for kernel %s; did you mean '%s'?",
                                 search->kernel, near);
    else
        status = ht_error_set_at(error, HT_ERROR_INPUT, search->folder, 0, 0,
                                 "the folder has no model for kernel %s (it has %s); 'hiptemper "
                                 "train' makes one",
                                 search->kernel, known.data ? known.data : "none");
    ht_text_free(&known);
    return status;
}

static ht_status folder_search(const char *folder, const char *kernel, ht_predictor **out_predictor,
                               ht_error *error) {
    search search = {.folder = folder, .kernel = kernel};
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_model, alphasort);
    search.others = ht_alloc((size_t)(count > 0 ? count : 0) + 1, sizeof *search.others);
    char *usual = ht_format("%s.model", kernel ? kernel : ""), *path = ht_path_join(folder, usual);
    if (kernel && ht_file_exists(path))
        model_try(&search, usual);
    for (int i = 0; i < count; ++i) {
        if (!search.found && strcmp(entries[i]->d_name, usual) != 0)
            model_try(&search, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    free(usual);
    free(path);
    ht_status status = HT_OK;
    *out_predictor = search.found;
    if (!search.found && search.broken.status != HT_OK) {
        status = search.broken.status;
        if (error)
            *error = search.broken;
    } else if (!search.found) {
        status = kernel_missing(&search, error);
    }
    for (size_t i = 0; i < search.other_count; ++i)
        free(search.others[i]);
    free(search.others);
    return status;
}

ht_status ht_predictor_find(const char *path, const char *kernel, ht_predictor **out_predictor,
                            ht_error *error) {
    bool builtin = strcmp(path, "builtin") == 0;
    char *folder = builtin ? ht_predictor_builtin_folder() : ht_strdup(path);
    ht_status status;
    if (!builtin && !ht_dir_exists(folder))
        status = ht_predictor_open(path, out_predictor, error);
    else
        status = folder_search(folder, kernel, out_predictor, error);
    free(folder);
    return status;
}
