/* Finding the model that is meant: a file, or a folder's model for a kernel. */
#include "predictor/predictor.h"

#include "base/file.h"
#include "base/installed.h"
#include "base/memory.h"

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
    ht_text others;  /* kernels that the folder has models for */
    ht_error broken; /* the first file that could not be read */
} search;

static void model_try(search *search, const char *name) {
    char *path = ht_path_join(search->folder, name);
    ht_predictor *predictor = NULL;
    ht_error error = {0};
    if (ht_predictor_open(path, &predictor, &error) != HT_OK) {
        if (search->broken.status == HT_OK)
            search->broken = error;
    } else if (strcmp(ht_predictor_schema(predictor)->kernel, search->kernel) == 0) {
        search->found = predictor;
    } else {
        if (search->others.length < 600)
            ht_text_printf(&search->others, "%s%s", search->others.length ? ", " : "",
                           ht_predictor_schema(predictor)->kernel);
        ht_predictor_free(predictor);
    }
    free(path);
}

static ht_status folder_search(const char *folder, const char *kernel, ht_predictor **out_predictor,
                               ht_error *error) {
    search search = {.folder = folder, .kernel = kernel};
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_model, alphasort);
    char *usual = ht_format("%s.model", kernel), *path = ht_path_join(folder, usual);
    if (ht_file_exists(path))
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
        status = ht_error_set_at(error, HT_ERROR_INPUT, folder, 0, 0,
                                 "the folder has no model for kernel %s (it has %s); 'hiptemper "
                                 "train' makes one",
                                 kernel, search.others.length ? search.others.data : "none");
    }
    ht_text_free(&search.others);
    return status;
}

ht_status ht_predictor_find(const char *path, const char *kernel, ht_predictor **out_predictor,
                            ht_error *error) {
    bool builtin = strcmp(path, "builtin") == 0;
    char *folder = builtin ? ht_predictor_builtin_folder() : ht_strdup(path);
    ht_status status;
    if (!builtin && !ht_dir_exists(folder))
        status = ht_predictor_open(path, out_predictor, error);
    else if (!kernel)
        status = ht_error_set_at(error, HT_ERROR_INPUT, folder, 0, 0,
                                 "this is a folder: say which kernel's model is meant");
    else
        status = folder_search(folder, kernel, out_predictor, error);
    free(folder);
    return status;
}
