/* Bounded reads of little-endian values from untrusted bytes. */
#ifndef HT_RUNTIME_AMD_BYTES_H
#define HT_RUNTIME_AMD_BYTES_H

#include "runtime/amd/code_object/code_object.h"

#include <stdbool.h>
#include <string.h>

/* Copies `size` bytes at `offset`; false when they do not all lie inside. */
static inline bool bytes_read(ht_amd_bytes bytes, uint64_t offset, void *out, size_t size) {
    if (offset > bytes.size || size > bytes.size - offset)
        return false;
    memcpy(out, bytes.data + offset, size);
    return true;
}

static inline bool bytes_part(ht_amd_bytes bytes, uint64_t offset, uint64_t size,
                              ht_amd_bytes *out) {
    if (offset > bytes.size || size > bytes.size - offset)
        return false;
    *out = (ht_amd_bytes){bytes.data + offset, (size_t)size};
    return true;
}

#endif
