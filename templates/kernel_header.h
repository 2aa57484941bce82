/* Finds a kernel's `template <...>` header in a unit's text. Private to templates/. */
#ifndef HT_TEMPLATES_KERNEL_HEADER_H
#define HT_TEMPLATES_KERNEL_HEADER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ht_header_param {
    char *name;    /* "" when it has none; owned */
    bool optional; /* has a default, or is a pack */
} ht_header_param;

typedef struct ht_kernel_header {
    ht_header_param *params; /* owned */
    size_t param_count;
} ht_kernel_header;

/* Looks for a `__global__` function of that (perhaps qualified) name; false when there is none. A
 * plain function has no params. A declaration and the definition are taken together. */
bool ht_kernel_header_find(const char *unit, const char *kernel, ht_kernel_header *out_header);
void ht_kernel_header_free(ht_kernel_header *header);

#endif
