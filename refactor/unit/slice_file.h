/* Kernels as a unit of their own. */
#ifndef HT_REFACTOR_UNIT_SLICE_FILE_H
#define HT_REFACTOR_UNIT_SLICE_FILE_H

#include "refactor/source/options.h"
#include "templates/annotations/template.h"

/* A self-contained device unit cut out of a file: the named kernels with everything they reach. For
 * annotated sources; ht_refactor_file uses it for all. With the types that `template`'s annotations
 * name; NULL: none. */
ht_status ht_slice_file(const char *path, const char *const *kernels, size_t kernel_count,
                        const ht_template *template, const ht_refactor_options *options,
                        char **out_unit, ht_error *error);

#endif
