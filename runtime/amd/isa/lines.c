#include "runtime/amd/isa/lines.h"

#include "base/memory.h"

#include <stdlib.h>

enum { FIRST_SIZE = 256 };

/* Returns the slot of a line: its own, or the free one where it belongs. */
static uint64_t *slot_of(const ht_isa_lines *lines, uint64_t line) {
    size_t at = (size_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (lines->size - 1);
    while (lines->slots[at] && lines->slots[at] != line + 1)
        at = (at + 1) & (lines->size - 1);
    return &lines->slots[at];
}

static void grow(ht_isa_lines *lines) {
    ht_isa_lines larger = {.size = lines->size ? 2 * lines->size : FIRST_SIZE,
                           .count = lines->count};
    larger.slots = ht_alloc(larger.size, sizeof *larger.slots);
    for (size_t i = 0; i < lines->size; i++)
        if (lines->slots[i])
            *slot_of(&larger, lines->slots[i] - 1) = lines->slots[i];
    free(lines->slots);
    *lines = larger;
}

bool ht_isa_lines_add(ht_isa_lines *lines, uint64_t line) {
    if (2 * lines->count >= lines->size)
        grow(lines);
    uint64_t *slot = slot_of(lines, line);
    bool is_new = *slot == 0;
    *slot = line + 1;
    lines->count += is_new;
    return is_new;
}

void ht_isa_lines_free(ht_isa_lines *lines) {
    free(lines->slots);
    *lines = (ht_isa_lines){0};
}
