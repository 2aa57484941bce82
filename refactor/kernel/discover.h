/* The kernels of a source. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_DISCOVER_H
#define HT_REFACTOR_KERNEL_DISCOVER_H

#include "refactor/kernel/facts.h"

/* Definitions of __global__ functions in the user's files. free(items). */
ht_cursors ht_kernels_find(const ht_source *source);
/* Returns true if the kernel's definition is written by a macro. *out_callee (free()) is the first
 * function its body calls, or NULL. */
bool ht_kernel_from_macro(const ht_source *source, CXCursor kernel, char **out_callee);
/* The first error inside the kernel or the functions it reaches; NULL when there is none. */
const ht_source_error *ht_kernel_error(const ht_model *model);

#endif
