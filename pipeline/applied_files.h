/* Rewritten sources as copies in a folder, with one patch for them all. */
#ifndef HT_PIPELINE_APPLIED_FILES_H
#define HT_PIPELINE_APPLIED_FILES_H

#include "refactor/refactor.h"

/* Writes applied->files[0] as FOLDER/NAME, the others under their own names in
 * FOLDER/NAME.launches. *out_copies (free() each, then the array) are the paths, as many as files.
 */
ht_status ht_applied_write(const ht_applied *applied, const char *folder, const char *name,
                           char ***out_copies, ht_error *error);
typedef struct ht_applied_patch_file {
    char *path;   /* owned */
    char *folder; /* from which it applies; owned */
} ht_applied_patch_file;

/* FOLDER/NAME.patch, for `patch -p1` and `git apply`. HT_ERROR_MISSING when there is no diff
 * program. */
ht_status ht_applied_patch(const ht_applied *applied, char *const *copies, const char *folder,
                           const char *name, ht_applied_patch_file *out_patch, ht_error *error);
void ht_applied_patch_free(ht_applied_patch_file *patch);
void ht_applied_copies_free(char **copies, size_t count);

#endif
