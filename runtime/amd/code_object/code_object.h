/* Code objects as compilers return them: an AMDGPU ELF, or a clang offload bundle that holds one
 * per target. Views into the caller's bytes, nothing is copied. Every malformed image is
 * HT_ERROR_COMPILE with what is wrong and where. */
#ifndef HT_RUNTIME_AMD_CODE_OBJECT_CODE_OBJECT_H
#define HT_RUNTIME_AMD_CODE_OBJECT_CODE_OBJECT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes borrowed from an image. */
typedef struct ht_amd_bytes {
    const uint8_t *data;
    size_t size;
} ht_amd_bytes;

/* Finds the ELF of architecture `arch` in `image`: the image itself, or the bundle's entry for it.
 */
ht_status ht_amd_bundle_find(ht_amd_bytes image, const char *arch, ht_amd_bytes *out_elf,
                             ht_error *error);

/* The size of an image in memory of which nobody says how large it is, and which is trusted. */
#define HT_AMD_UNKNOWN_SIZE (SIZE_MAX / 2)

/* Finds the ELF of any architecture. */
ht_status ht_amd_bundle_first(ht_amd_bytes image, ht_amd_bytes *out_elf, ht_error *error);

/* The contents of the NT_AMDGPU_METADATA note: MessagePack. */
ht_status ht_amd_elf_metadata(ht_amd_bytes elf, ht_amd_bytes *out_note, ht_error *error);

/* The 64-byte kernel descriptor that `symbol` ("NAME.kd") points at. */
ht_status ht_amd_elf_descriptor(ht_amd_bytes elf, const char *symbol, ht_amd_bytes *out_descriptor,
                                ht_error *error);

/* A function's or variable's address in the image as it is loaded, and its bytes: of a symbol
 * without a size, all to the end of its section. */
ht_status ht_amd_elf_symbol(ht_amd_bytes elf, const char *symbol, uint64_t *out_address,
                            ht_amd_bytes *out_bytes, ht_error *error);

/* The section that holds `address`: where it begins in the image, and its bytes. */
ht_status ht_amd_elf_section_of(ht_amd_bytes elf, uint64_t address, uint64_t *out_first,
                                ht_amd_bytes *out_bytes, ht_error *error);

/* Where the image ends that begins at address 0 when it is loaded. */
ht_status ht_amd_elf_extent(ht_amd_bytes elf, uint64_t *out_end, ht_error *error);

/* Name of the function or variable that the pointer variable `variable` is initialised with;
 * borrowed from the ELF. NULL when there is no such variable, or it points at nothing that has a
 * global name. */
const char *ht_amd_elf_pointee(ht_amd_bytes elf, const char *variable);

#endif
