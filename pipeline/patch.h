/* Unified differences, made by the system's diff, that both `patch -p1` and `git apply` take. */
#ifndef HT_PIPELINE_PATCH_H
#define HT_PIPELINE_PATCH_H

#include "base/error.h"

#include <stddef.h>

/* The folder from which a patch of these files is applied, as an absolute path: the current one
 * when they are all below it, else the nearest that is above all of them. Symbolic links are
 * resolved, since no tool patches through them. free(). HT_ERROR_IO for a file that is not there.
 */
ht_status ht_patch_folder(const char *const *paths, size_t count, char **out_folder,
                          ht_error *error);

/* Makes the patch from the file `original` to the file `changed`; the headers name the original
 * relative to `folder` (of ht_patch_folder), in the quotes that git and GNU patch know where it has
 * bytes that need them. "" when the two are equal. free(). HT_ERROR_MISSING when there is no diff
 * program. */
ht_status ht_patch_make(const char *original, const char *changed, const char *folder,
                        char **out_patch, ht_error *error);

#endif
