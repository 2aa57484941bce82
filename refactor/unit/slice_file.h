/* Cuts kernels out of a file as a unit. */
#ifndef HT_REFACTOR_UNIT_SLICE_FILE_H
#define HT_REFACTOR_UNIT_SLICE_FILE_H

#include "refactor/source/options.h"
#include "templates/annotations/template.h"

/* Returns a self-contained device unit: the named kernels of a file with everything they reach, and
 * the types that `template`'s annotations (may be NULL) name. For annotated sources;
 * ht_refactor_file uses it for all. */
ht_status ht_slice_file(const char *path, const char *const *kernels, size_t kernel_count,
                        const ht_template *template, const ht_refactor_options *options,
                        char **out_unit, ht_error *error);

#endif
