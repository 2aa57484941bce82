#include "templates/expr/intern.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 32 };

static uint64_t hash_row(const uint32_t *row, size_t width) {
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < width; ++i) {
        hash = (hash ^ row[i]) * UINT64_C(0xd6e8feb86659fd93);
        hash ^= hash >> 32;
    }
    return hash;
}

const uint32_t *ht_intern_row(const ht_intern *set, uint32_t number) {
    return set->rows + number * set->width;
}

/* Returns the slot that holds the row, or the free one where it belongs. */
static size_t slot_of(const ht_intern *set, const uint32_t *row) {
    size_t slot = (size_t)hash_row(row, set->width) & (set->slot_count - 1);
    while (set->slots[slot] &&
           memcmp(ht_intern_row(set, set->slots[slot] - 1), row, set->width * sizeof *row) != 0)
        slot = (slot + 1) & (set->slot_count - 1);
    return slot;
}

static void grow(ht_intern *set) {
    free(set->slots);
    set->slot_count = set->slot_count ? set->slot_count * 2 : FIRST_SLOTS;
    set->slots = ht_alloc(set->slot_count, sizeof *set->slots);
    for (uint32_t i = 0; i < set->count; ++i) {
        size_t slot = (size_t)hash_row(ht_intern_row(set, i), set->width) & (set->slot_count - 1);
        while (set->slots[slot])
            slot = (slot + 1) & (set->slot_count - 1);
        set->slots[slot] = i + 1;
    }
}

uint32_t ht_intern_put(ht_intern *set, const uint32_t *row, bool *out_fresh) {
    if ((size_t)set->count * 2 >= set->slot_count)
        grow(set);
    size_t slot = slot_of(set, row);
    *out_fresh = set->slots[slot] == 0;
    if (!*out_fresh)
        return set->slots[slot] - 1;
    if (set->count == set->row_capacity) {
        set->row_capacity = set->row_capacity ? set->row_capacity * 2 : FIRST_SLOTS / 2;
        set->rows =
            ht_realloc(set->rows, set->row_capacity * (set->width ? set->width : 1), sizeof *row);
    }
    if (set->width)
        memcpy(set->rows + set->count * set->width, row, set->width * sizeof *row);
    set->slots[slot] = ++set->count;
    return set->count - 1;
}

void ht_intern_free(ht_intern *set) {
    free(set->rows);
    free(set->slots);
    *set = (ht_intern){.width = set->width};
}
