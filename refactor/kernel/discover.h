/* The kernels of a source. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_DISCOVER_H
#define HT_REFACTOR_KERNEL_DISCOVER_H

#include "refactor/kernel/facts.h"

/* Returns the definitions of __global__ functions in the user's files. free(items). */
ht_cursors ht_kernels_find(const ht_source *source);
/* Returns the definition of a kernel by its (perhaps qualified) name; null cursor: there is
 * none. */
CXCursor ht_kernels_named(const ht_cursors *kernels, const char *name);
/* Returns true if clang gave up inside of the kernel because its brackets are nested too deeply. */
bool ht_kernel_too_deep(const ht_source *source, CXCursor kernel);
/* Returns true if a macro writes the kernel's definition. *out_callee (free()) is the first
 * function that its body calls, or NULL. */
bool ht_kernel_from_macro(const ht_source *source, CXCursor kernel, char **out_callee);
/* Returns the first error inside the kernel or the functions it reaches; NULL: there is none. */
const ht_source_error *ht_kernel_error(const ht_model *model);

#endif
