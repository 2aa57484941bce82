/* Reading the ELF files that clang and the linker made. */
#ifndef HT_RUNTIME_HOST_OBJECT_H
#define HT_RUNTIME_HOST_OBJECT_H

#include "base/error.h"

#include <stddef.h>

/* The __shared__ arrays of a compiled unit. */
typedef struct ht_object_arrays {
    char **dynamic; /* `extern __shared__`: undefined thread-local symbols; owned */
    size_t dynamic_count;
} ht_object_arrays;

/* Sums too large for a block are HT_ERROR_COMPILE, a damaged file HT_ERROR_INTERNAL. */
ht_status ht_object_read_arrays(const void *data, size_t length, ht_object_arrays *out_arrays,
                                ht_error *error);
void ht_object_arrays_free(ht_object_arrays *arrays);

/* How many bytes an image in memory has, by its own headers; 0 when it is no 64-bit ELF file. */
size_t ht_object_image_size(const void *image);
/* Size of its thread-local segment. */
size_t ht_object_tls_size(const void *image);

#endif
