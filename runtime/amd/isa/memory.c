#include "runtime/amd/isa/memory.h"

#include <stdlib.h>

ht_isa_region *ht_isa_memory_find(const ht_isa_memory *memory, uint64_t address, uint64_t size) {
    for (size_t i = 0; i < memory->count; i++) {
        ht_isa_region *region = &memory->regions[i];
        if (address >= region->base && region->size >= size &&
            address - region->base <= region->size - size)
            return region;
    }
    return NULL;
}

void ht_isa_region_write(ht_isa_region *region, uint64_t address, uint64_t size,
                         ht_access_counts *counts) {
    if (region->element == 0 || size == 0)
        return;
    uint64_t first = (address - region->base) / region->element;
    uint64_t last = (address - region->base + size - 1) / region->element;
    for (uint64_t i = first; i <= last; i++) {
        uint8_t bit = (uint8_t)(1U << (i % 8));
        counts->outputs += !(region->written[i / 8] & bit);
        region->written[i / 8] |= bit;
    }
}

void ht_isa_memory_free(ht_isa_memory *memory) {
    for (size_t i = 0; i < memory->count; i++)
        free(memory->regions[i].written);
    free(memory->regions);
    *memory = (ht_isa_memory){0};
}
