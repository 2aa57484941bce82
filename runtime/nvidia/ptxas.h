/* The numbers of ptxas on each kernel (NVRTC's option --ptxas-options=-v): registers, stack,
 * spills, shared memory. The cubin itself does not hold the spills, so the numbers travel after it,
 * as a table of text with a footer. The driver reads a cubin by its own headers and never sees
 * them. */
#ifndef HT_RUNTIME_NVIDIA_PTXAS_H
#define HT_RUNTIME_NVIDIA_PTXAS_H

#include "base/text.h"

#include <stdbool.h>

typedef struct ht_ptxas_kernel {
    int registers;
    int stack;        /* bytes a thread */
    int spill_stores; /* bytes a thread, over the kernel's text */
    int spill_loads;
    int shared; /* static bytes */
} ht_ptxas_kernel;

/* Appends the table of every kernel in a compiler's log to `out`: nothing when it speaks of none.
 */
void ht_ptxas_table_append(const char *log, ht_text *out);

/* Appends a compiler's log without the lines of ptxas on kernels: errors and warnings remain. */
void ht_ptxas_log_strip(const char *log, ht_text *out);

/* Finds a kernel by its lowered name in the table after an image; false when there is none. Any
 * bytes are safe. */
bool ht_ptxas_find(const void *image, size_t size, const char *name, ht_ptxas_kernel *out);

#endif
