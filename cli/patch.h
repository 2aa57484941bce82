/* Unified differences, made by the system's diff. */
#ifndef HT_CLI_PATCH_H
#define HT_CLI_PATCH_H

#include "base/error.h"

/* What turns `original` into `changed`, both files, as `patch -p1` reads it; `name` stands in its
 * headers. "" when they are equal. free(). HT_ERROR_MISSING when there is no diff program. */
ht_status ht_patch_make(const char *original, const char *changed, const char *name,
                        char **out_patch, ht_error *error);
/* The name for the headers: relative to the current folder where that is possible; free(). */
char *ht_patch_name(const char *path);

#endif
