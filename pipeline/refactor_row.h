/* A kernel's object in the JSON report of `refactor` (docs/json.md): files are read in other
 * processes, and their rows come as text. */
#ifndef HT_PIPELINE_REFACTOR_ROW_H
#define HT_PIPELINE_REFACTOR_ROW_H

#include "refactor/refactor.h"

#include <jansson.h>

/* "templated", "needs-problem", ... */
const char *ht_kernel_status_name(ht_kernel_status status);

/* File names may be NULL: none was written. New reference. */
json_t *ht_refactor_row_json(const ht_kernel *kernel, const char *template_file,
                             const char *skeleton_file);

#endif
