/* Reading the ELF files that clang and the linker made: which __shared__ arrays each kernel uses,
 * and how large an image is. Clang alone cannot say the first: arrays in device functions belong to
 * every kernel that reaches them. */
#ifndef HT_RUNTIME_HOST_OBJECT_H
#define HT_RUNTIME_HOST_OBJECT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ht_object ht_object;

/* Indexes a relocatable object; `data` is borrowed. A damaged file is HT_ERROR_INTERNAL. */
ht_status ht_object_open(void *data, size_t length, ht_object **out_object, ht_error *error);
void ht_object_free(ht_object *object);

/* Names of the `extern __shared__` arrays, which the object leaves undefined: as thread-local
 * symbols, or, in an object compiled for checking, as weak ones. The array (not the strings, which
 * lie in the data) is the caller's to free. */
size_t ht_object_dynamic_arrays(const ht_object *object, bool checked, const char ***out_names);

/* Names of the functions and variables that the object leaves undefined, with the same ownership.
 */
size_t ht_object_undefined(const ht_object *object, const char ***out_names);

/* Bytes of the static __shared__ arrays that can be reached from a symbol, through calls and
 * tables. */
size_t ht_object_static_lds(const ht_object *object, const char *symbol);

/* The bytes of a defined data symbol within the data; NULL when there are fewer than `size`. */
void *ht_object_find_data(const ht_object *object, const char *symbol, size_t size);

/* In an object compiled for checking, the section of the static __shared__ arrays. */
#define HT_OBJECT_LDS ".lds"
/* Calls `each` for every symbol that lies in a section of this name, with its address in the image.
 * Gives the section's own address and size (both 0 when there is none). */
void ht_object_section(const ht_object *object, const char *section, size_t *out_address,
                       size_t *out_size,
                       void (*each)(void *context, const char *name, size_t address, size_t size),
                       void *context);

/* How many bytes an image in memory has, by its own headers; 0 when it is no 64-bit ELF file. */
size_t ht_object_image_size(const void *image);
/* Size of its thread-local segment. */
size_t ht_object_tls_size(const void *image);

#endif
