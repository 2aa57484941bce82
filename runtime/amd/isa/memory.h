/* The memory that a kernel's addresses lead to, and how often it goes there. Buffers have no
 * contents, only places; arguments and the dispatch packet have both. */
#ifndef HT_RUNTIME_AMD_ISA_MEMORY_H
#define HT_RUNTIME_AMD_ISA_MEMORY_H

#include "runtime/provider/accesses.h"

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ht_isa_region_kind {
    HT_ISA_LAUNCH, /* kernel arguments, dispatch packet: known bytes, not the kernel's data */
    HT_ISA_IMAGE,  /* the code object: code and constant memory */
    HT_ISA_BUFFER
} ht_isa_region_kind;

typedef struct ht_isa_region {
    ht_isa_region_kind kind;
    uint64_t base, size;
    const uint8_t *bytes;   /* borrowed; NULL: unknown */
    const uint8_t *unknown; /* a non-zero byte where `bytes` is unknown; NULL: all known */
    size_t element;         /* bytes of an output's element; 0: no output */
    uint8_t *written;       /* a bit an element; owned */
    bool read;              /* a vector load went there */
} ht_isa_region;

typedef struct ht_isa_memory {
    ht_isa_region *regions; /* owned */
    size_t count;
    uint64_t lds; /* bytes that a block has */
} ht_isa_memory;

/* NULL when no region holds all of it. */
ht_isa_region *ht_isa_memory_find(const ht_isa_memory *memory, uint64_t address, uint64_t size);
/* An output's elements were written: counts those that were not before. */
void ht_isa_region_write(ht_isa_region *region, uint64_t address, uint64_t size,
                         ht_access_counts *counts);
void ht_isa_memory_free(ht_isa_memory *memory);

#endif
