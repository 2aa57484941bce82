/* The counts that decide how long a wave takes: which part of a unit an instruction keeps busy, and
 * the waits for memory and LDS. Times are the model's
 * (runtime/amd/model). */
#ifndef HT_RUNTIME_AMD_ISA_PACE_H
#define HT_RUNTIME_AMD_ISA_PACE_H

#include "runtime/amd/isa/wave.h"

/* Fills class, cycles, left_memory and left_local; `text` is the whole instruction, whose name is
 * read already. */
void ht_isa_pace_read(ht_isa_instruction *instruction, const char *text);

/* Counts an instruction that a wave comes to. A wait is counted where it waits for an access that
 * began after the last wait that was counted: accesses that are under way together are waited for
 * once. */
void ht_isa_pace_count(ht_wave *wave, const ht_isa_instruction *instruction);

/* Counts an access to memory: the lines that its lanes touch, and the words of a lane. A load adds
 * them to those of the block. */
void ht_isa_pace_memory(ht_wave *wave, const uint64_t *lines, size_t count, unsigned words,
                        bool load);

/* Returns the passes over 32 banks of 4 bytes that an access to LDS takes (banks.c): the most
 * different words in one bank, for each group of lanes that goes together. Lanes whose wide access
 * is not aligned go one by one. Where addresses are unknown: as if no two lanes met. */
unsigned ht_isa_lds_passes(const ht_isa_lanes *where, uint64_t exec, uint64_t offset,
                           unsigned bytes);

#endif
