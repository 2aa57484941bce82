#include "runtime/amd/isa/pace.h"

#include <string.h>

enum { BANKS = 32, WORD = 4 };

/* Different words of a group of lanes in each bank: a pass takes one of each. */
typedef struct banks {
    uint64_t words[BANKS][BANKS];
    unsigned count[BANKS];
    unsigned most;
} banks;

static void add(banks *banks, uint64_t word) {
    unsigned bank = (unsigned)(word % BANKS), *count = &banks->count[bank];
    for (unsigned i = 0; i < *count; i++)
        if (banks->words[bank][i] == word)
            return;
    if (*count < BANKS)
        banks->words[bank][(*count)++] = word;
    if (*count > banks->most)
        banks->most = *count;
}

/* Returns true if a wide access does not lie at a multiple of what it is wide: 8 bytes, or 16. */
static bool is_misaligned(uint64_t address, unsigned bytes) {
    return bytes > WORD && address % (bytes > 8 ? 16 : 8) != 0;
}

/* Returns the passes of the lanes [first, first + group). */
static unsigned group_passes(const ht_isa_lanes *where, uint64_t exec, uint64_t offset,
                             unsigned bytes, unsigned first, unsigned group) {
    banks banks;
    unsigned apart = 0;
    memset(banks.count, 0, sizeof banks.count);
    banks.most = 0;
    for (unsigned lane = first; lane < first + group; lane++) {
        uint64_t address = where->value[lane] + offset;
        if (!(exec >> lane & 1))
            continue;
        if (where->unknown >> lane & 1) {
            banks.most = banks.most ? banks.most : 1;
            continue;
        }
        if (is_misaligned(address, bytes)) {
            apart++;
            continue;
        }
        for (uint64_t word = address / WORD; word <= (address + bytes - 1) / WORD; word++)
            add(&banks, word);
    }
    return banks.most + apart;
}

unsigned ht_isa_lds_passes(const ht_isa_lanes *where, uint64_t exec, uint64_t offset,
                           unsigned bytes) {
    unsigned group = bytes > 8 ? 8 : bytes > WORD ? 16 : 32;
    unsigned passes = 0;
    for (unsigned first = 0; first < HT_ISA_LANES; first += group)
        passes += group_passes(where, exec, offset, bytes, first, group);
    return passes;
}
