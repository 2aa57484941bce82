/* One wavefront of up to 64 lanes: registers whose contents are known or not. Values that a kernel
 * loads from its buffers are unknown, and so is all that is computed from them; sizes, indices and
 * addresses are known. */
#ifndef HT_RUNTIME_AMD_ISA_WAVE_H
#define HT_RUNTIME_AMD_ISA_WAVE_H

#include "runtime/amd/isa/lines.h"
#include "runtime/amd/isa/memory.h"
#include "runtime/amd/isa/program.h"

enum { HT_ISA_LANES = 64 };

/* The accesses of one counter that a wave has begun, by their numbers from 1 on. */
typedef struct ht_isa_queue {
    uint64_t begun;
    uint64_t covered; /* those up to here had been waited for, or had begun before that wait */
    /* The first after `covered` that goes far: to a line that is new to the block, or by a scalar
     * load; and the first that goes to scratch. 0: none. */
    uint64_t first_far, first_scratch;
} ht_isa_queue;

typedef struct ht_wave {
    uint32_t scalar[HT_ISA_SCALARS];
    uint32_t scalar_unknown[HT_ISA_SCALARS]; /* bits */
    uint32_t vector[HT_ISA_VECTORS][HT_ISA_LANES];
    uint64_t vector_unknown[HT_ISA_VECTORS]; /* lanes */
    unsigned lanes;                          /* 32 or 64; of 32 the upper half of every mask is 0 */
    bool stores_apart; /* a counter of their own, so that s_waitcnt's vmcnt has none (gfx10) */
    bool scc, scc_unknown;
    bool ended;
    size_t next; /* instruction */
    const ht_isa_program *program;
    ht_isa_memory *memory;
    ht_access_counts *counts;
    const ht_isa_instruction *first_unmodelled; /* whose result was unknown for want of a row */
    /* Scratch: words of lane 0, 1, ... at offset 0, then at offset 4, ... */
    uint32_t *scratch;
    uint64_t *scratch_unknown; /* lanes, a mask a word */
    size_t scratch_words;
    ht_isa_queue memory_queue, local_queue;
    ht_isa_lines *lines; /* that the block has loaded; borrowed */
} ht_wave;

/* A source's value in every lane. */
typedef struct ht_isa_lanes {
    uint64_t value[HT_ISA_LANES];
    uint64_t unknown; /* lanes */
} ht_isa_lanes;

static inline uint64_t ht_wave_exec(const ht_wave *wave) {
    return wave->scalar[HT_ISA_EXEC] | (uint64_t)wave->scalar[HT_ISA_EXEC + 1] << 32;
}

/* Contents of a scalar register or a constant, `words` (1 or 2) of 32 bits. *out_unknown: bits. */
uint64_t ht_wave_scalar(const ht_wave *wave, const ht_isa_operand *operand, unsigned words,
                        uint64_t *out_unknown);
void ht_wave_scalar_set(ht_wave *wave, unsigned first, unsigned words, uint64_t value,
                        uint64_t unknown);
void ht_wave_scc_set(ht_wave *wave, bool value, bool unknown);

/* The words of a mask of lanes in scalar registers. */
static inline unsigned ht_wave_mask_words(const ht_wave *wave) {
    return wave->lanes / 32;
}

/* Lanes in which a source is unknown: cheaper than its values. */
uint64_t ht_wave_lanes_unknown(const ht_wave *wave, const ht_isa_operand *operand, unsigned words);
/* `real`: a written number is a float32. */
void ht_wave_lanes(const ht_wave *wave, const ht_isa_operand *operand, unsigned words, bool real,
                   ht_isa_lanes *out_lanes);
/* Writes the active lanes of `words` vector registers; NULL for values: all unknown. */
void ht_wave_lanes_set(ht_wave *wave, const ht_isa_operand *operand, unsigned words,
                       const ht_isa_lanes *lanes);

#endif
