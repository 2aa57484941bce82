/* Finds a kernel's `template <...>` header in a unit's text. Private to templates/. */
#ifndef HT_TEMPLATES_ANNOTATIONS_KERNEL_HEADER_H
#define HT_TEMPLATES_ANNOTATIONS_KERNEL_HEADER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ht_header_param {
    char *name;    /* "" when it has none; owned */
    bool optional; /* has a default, or is a pack */
    bool pack;
} ht_header_param;

/* The inside of a declaration's parentheses; borrowed from the unit. */
typedef struct ht_header_list {
    const char *text; /* NULL when they were not understood */
    size_t length;
} ht_header_list;

typedef struct ht_kernel_header {
    ht_header_param *params; /* owned */
    size_t param_count;
    ht_header_list *lists; /* of function parameters, one a declaration; owned */
    size_t list_count;
} ht_kernel_header;

/* Looks for a `__global__` function of that (perhaps qualified) name; false when there is none. A
 * plain function has no params. A declaration and the definition are taken together. */
bool ht_kernel_header_find(const char *unit, const char *kernel, ht_kernel_header *out_header);
void ht_kernel_header_free(ht_kernel_header *header);

#endif
