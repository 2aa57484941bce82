#include "cli/applied_files.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/outputs.h"
#include "cli/patch.h"

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

ht_status ht_applied_patch(const ht_applied *applied, char *const *copies, const char *folder,
                           const char *name, char **out_path, ht_error *error) {
    ht_text patch = {0};
    ht_status status = HT_OK;
    ht_text_append(&patch, "");
    for (size_t i = 0; i < applied->count && status == HT_OK; ++i) {
        char *label = ht_patch_name(applied->files[i].path), *part = NULL;
        status = ht_patch_make(applied->files[i].path, copies[i], label, &part, error);
        if (status == HT_OK)
            ht_text_append(&patch, part);
        free(part);
        free(label);
    }
    char *own = ht_format("%s.patch", name);
    if (status == HT_OK)
        status = ht_output_write(folder, own, patch.data, out_path, error);
    free(own);
    ht_text_free(&patch);
    return status;
}

void ht_applied_copies_free(char **copies, size_t count) {
    for (size_t i = 0; copies && i < count; ++i)
        free(copies[i]);
    free(copies);
}
