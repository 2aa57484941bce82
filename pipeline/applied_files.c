#include "pipeline/applied_files.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/outputs.h"
#include "pipeline/patch.h"

#include <stdlib.h>
#include <string.h>

ht_status ht_applied_write(const ht_applied *applied, const char *folder, const char *name,
                           char ***out_copies, ht_error *error) {
    char **copies = ht_alloc(applied->count + 1, sizeof *copies);
    ht_status status = HT_OK;
    for (size_t i = 0; i < applied->count && status == HT_OK; ++i) {
        const char *own = ht_path_name(applied->files[i].path);
        char *place = i ? ht_format("%s.launches/%s", name, own) : ht_strdup(name);
        for (size_t j = 1; j < i; ++j) /* two files of one name */
            if (strcmp(ht_path_name(applied->files[j].path), own) == 0) {
                free(place);
                place = ht_format("%s.launches/%zu/%s", name, i, own);
                break;
            }
        status = ht_output_write(folder, place, applied->files[i].text, &copies[i], error);
        free(place);
    }
    if (status == HT_OK)
        *out_copies = copies;
    else
        ht_applied_copies_free(copies, applied->count);
    return status;
}

static ht_status patch_text(const ht_applied *applied, char *const *copies, const char *folder,
                            ht_text *patch, ht_error *error) {
    ht_status status = HT_OK;
    ht_text_append(patch, "");
    for (size_t i = 0; i < applied->count && status == HT_OK; ++i) {
        char *part = NULL;
        status = ht_patch_make(applied->files[i].path, copies[i], folder, &part, error);
        if (status == HT_OK)
            ht_text_append(patch, part);
        free(part);
    }
    return status;
}

ht_status ht_applied_patch(const ht_applied *applied, char *const *copies, const char *folder,
                           const char *name, ht_applied_patch_file *out, ht_error *error) {
    *out = (ht_applied_patch_file){0};
    const char **paths = ht_alloc(applied->count + 1, sizeof *paths);
    for (size_t i = 0; i < applied->count; ++i)
        paths[i] = applied->files[i].path;
    ht_text patch = {0};
    char *own = ht_format("%s.patch", name);
    ht_status status = ht_patch_folder(paths, applied->count, &out->folder, error);
    if (status == HT_OK)
        status = patch_text(applied, copies, out->folder, &patch, error);
    if (status == HT_OK)
        status = ht_output_write(folder, own, patch.data, &out->path, error);
    if (status != HT_OK)
        ht_applied_patch_free(out);
    free(own);
    free(paths);
    ht_text_free(&patch);
    return status;
}

void ht_applied_patch_free(ht_applied_patch_file *patch) {
    free(patch->path);
    free(patch->folder);
    *patch = (ht_applied_patch_file){0};
}

void ht_applied_copies_free(char **copies, size_t count) {
    for (size_t i = 0; copies && i < count; ++i)
        free(copies[i]);
    free(copies);
}
