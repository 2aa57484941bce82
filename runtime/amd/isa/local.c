/* Instructions that go to LDS and to scratch memory. LDS holds the kernel's data, so that loads
 * from it are unknown. Scratch holds spilt registers too, so its words are kept. */
#include "runtime/amd/isa/opcode.h"
#include "runtime/amd/isa/pace.h"

#include <string.h>

/* Checks one place of an LDS instruction in every active lane, which must be in the block's
 * memory. */
static ht_status check_place(ht_wave *wave, const ht_isa_instruction *instruction,
                             const ht_isa_lanes *where, uint64_t offset, unsigned bytes,
                             ht_error *error) {
    uint64_t lanes = ht_wave_exec(wave) & ~where->unknown;
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++) {
        uint64_t address = (where->value[lane] + offset) & UINT32_MAX;
        if (lanes >> lane & 1 && address + bytes > wave->memory->lds)
            return ht_isa_refuse(
                instruction, error, "lane %u goes to byte %llu of LDS, of which the block has %llu",
                lane, (unsigned long long)address, (unsigned long long)wave->memory->lds);
    }
    return HT_OK;
}

/* Visits the places of an instruction; sources: their number, and the power of two that multiplies
 * their offsets. */
static ht_status visit(ht_wave *wave, const ht_isa_instruction *instruction,
                       const ht_isa_operand *address, uint64_t *out_places, uint64_t *out_bytes,
                       ht_error *error) {
    const ht_isa_opcode *row = instruction->opcode;
    ht_isa_lanes where = {0};
    ht_status status = HT_OK;
    if (instruction->operand_count < 2 || instruction->unusual)
        return ht_isa_refuse(instruction, error, "its operands are not modelled");
    uint64_t places = row->sources[0] * (uint64_t)__builtin_popcountll(ht_wave_exec(wave));
    *out_places += places;
    *out_bytes += places * row->bytes;
    ht_wave_lanes(wave, address, 1, false, &where);
    for (unsigned i = 0; i < row->sources[0] && !status; i++) {
        uint64_t offset = (uint64_t)instruction->offset[i] << row->sources[1];
        status = check_place(wave, instruction, &where, offset, row->bytes, error);
        wave->counts->lds_passes +=
            ht_isa_lds_passes(&where, ht_wave_exec(wave), offset, row->bytes);
    }
    return status;
}

static ht_status read(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    const ht_isa_operand *operands = instruction->operands;
    ht_status status = visit(wave, instruction, &operands[1], &wave->counts->lds_reads,
                             &wave->counts->lds_read_bytes, error);
    ht_wave_lanes_set(wave, &operands[0], operands[0].words, NULL);
    return status;
}

static ht_status write(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    return visit(wave, instruction, &instruction->operands[0], &wave->counts->lds_writes,
                 &wave->counts->lds_write_bytes, error);
}

/* Exchanges registers between lanes; no memory takes part. */
static ht_status exchange(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    (void)error;
    wave->counts->lds_passes += wave->lanes / 32;
    ht_wave_lanes_set(wave, &instruction->operands[0], 1, NULL);
    return HT_OK;
}

static ht_status scratch_check(const ht_wave *wave, const ht_isa_instruction *instruction,
                               const ht_isa_lanes *where, ht_error *error) {
    uint64_t lanes = ht_wave_exec(wave) & ~where->unknown;
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++)
        if (lanes >> lane & 1 &&
            where->value[lane] / 4 + instruction->opcode->words > wave->scratch_words)
            return ht_isa_refuse(
                instruction, error, "lane %u goes to byte %llu of scratch, of which there are %zu",
                lane, (unsigned long long)where->value[lane], 4 * wave->scratch_words);
    return HT_OK;
}

/* Computes byte offsets of scratch: buffer_ has a descriptor between the address register and the
 * offset register, scratch_ has none. */
static ht_status scratch_where(ht_wave *wave, const ht_isa_instruction *instruction,
                               ht_isa_lanes *out_where, ht_error *error) {
    wave->counts->scratch += (uint64_t)__builtin_popcountll(ht_wave_exec(wave));
    wave->counts->scratch_bytes += 4 * wave->lanes * (uint64_t)instruction->opcode->words;
    bool buffer = strncmp(instruction->name, "buffer", 6) == 0;
    bool store = strstr(instruction->name, "store") != NULL;
    const ht_isa_operand *vector = &instruction->operands[!buffer && store ? 0 : 1];
    const ht_isa_operand *scalar = &instruction->operands[buffer ? 3 : 2];
    if (instruction->operand_count != (buffer ? 4U : 3U) || instruction->unusual)
        return ht_isa_refuse(instruction, error, "its operands are not modelled");
    *out_where = (ht_isa_lanes){0};
    if (vector->kind == HT_ISA_VECTOR)
        ht_wave_lanes(wave, vector, 1, false, out_where);
    uint64_t unknown = 0, base = (uint64_t)instruction->offset[0];
    if (scalar->kind != HT_ISA_OFF) /* a buffer's offset counts bytes of all lanes together */
        base += ht_wave_scalar(wave, scalar, 1, &unknown) / (buffer ? wave->lanes : 1);
    out_where->unknown |= unknown ? ~UINT64_C(0) : 0;
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++)
        out_where->value[lane] += base;
    return scratch_check(wave, instruction, out_where, error);
}

static ht_status scratch_load(ht_wave *wave, const ht_isa_instruction *instruction,
                              ht_error *error) {
    ht_isa_lanes where = {0};
    uint64_t exec = ht_wave_exec(wave);
    ht_isa_operand word = instruction->operands[0];
    ht_status status = scratch_where(wave, instruction, &where, error);
    if (status)
        return status;
    for (unsigned i = 0; i < instruction->opcode->words; i++, word.first++) {
        ht_isa_lanes lanes = {.unknown = where.unknown};
        for (unsigned lane = 0; lane < HT_ISA_LANES; lane++) {
            if (!(exec & ~where.unknown & UINT64_C(1) << lane))
                continue;
            size_t at = where.value[lane] / 4 + i;
            lanes.value[lane] = wave->scratch[at * HT_ISA_LANES + lane];
            lanes.unknown |= wave->scratch_unknown[at] & UINT64_C(1) << lane;
        }
        if (instruction->opcode->bytes || instruction->operands[0].kind != HT_ISA_VECTOR)
            lanes.unknown = ~UINT64_C(0);
        ht_wave_lanes_set(wave, &word, 1, &lanes);
    }
    return HT_OK;
}

/* Forgets scratch where a lane stores to an unknown place: nothing of its scratch is known then. */
static void forget_scratch(ht_wave *wave, uint64_t lanes) {
    for (size_t at = 0; at < wave->scratch_words; at++)
        wave->scratch_unknown[at] |= lanes;
}

static ht_status scratch_store(ht_wave *wave, const ht_isa_instruction *instruction,
                               ht_error *error) {
    ht_isa_lanes where = {0};
    uint64_t exec = ht_wave_exec(wave);
    bool buffer = strncmp(instruction->name, "buffer", 6) == 0;
    ht_isa_operand word = instruction->operands[buffer ? 0 : 1];
    ht_status status = scratch_where(wave, instruction, &where, error);
    if (status)
        return status;
    forget_scratch(wave, exec & where.unknown);
    for (unsigned i = 0; i < instruction->opcode->words; i++, word.first++) {
        ht_isa_lanes lanes;
        ht_wave_lanes(wave, &word, 1, false, &lanes);
        for (unsigned lane = 0; lane < HT_ISA_LANES; lane++) {
            uint64_t bit = UINT64_C(1) << lane;
            if (!(exec & ~where.unknown & bit))
                continue;
            size_t at = where.value[lane] / 4 + i;
            bool known = !(lanes.unknown & bit) && !instruction->opcode->bytes;
            wave->scratch[at * HT_ISA_LANES + lane] = (uint32_t)lanes.value[lane];
            wave->scratch_unknown[at] = (wave->scratch_unknown[at] & ~bit) | (known ? 0 : bit);
        }
    }
    return HT_OK;
}

/* Bytes of a place, places, and the scale of their offsets. */
#define PLACES(stem, execute, bytes, places, scale)                                                \
    {.name = "ds_" stem, execute, NULL, NULL, 0, {places, scale}, bytes}
#define SCRATCH(stem, execute, words, bytes)                                                       \
    {.name = "buffer_" stem, execute, NULL, NULL, words, {0}, bytes}, {                            \
        .name = "scratch_" stem, execute, NULL, NULL, words, {0}, bytes                            \
    }

const ht_isa_opcode ht_isa_local_opcodes[] = {
    PLACES("read_b32", read, 4, 1, 0),
    PLACES("read_b64", read, 8, 1, 0),
    PLACES("read_b96", read, 12, 1, 0),
    PLACES("read_b128", read, 16, 1, 0),
    PLACES("read_u8", read, 1, 1, 0),
    PLACES("read_i8", read, 1, 1, 0),
    PLACES("read_u16", read, 2, 1, 0),
    PLACES("read_i16", read, 2, 1, 0),
    PLACES("read_u16_d16", read, 2, 1, 0),
    PLACES("read_u16_d16_hi", read, 2, 1, 0),
    PLACES("read2_b32", read, 4, 2, 2),
    PLACES("read2_b64", read, 8, 2, 3),
    PLACES("read2st64_b32", read, 4, 2, 8),
    PLACES("read2st64_b64", read, 8, 2, 9),
    PLACES("write_b32", write, 4, 1, 0),
    PLACES("write_b64", write, 8, 1, 0),
    PLACES("write_b96", write, 12, 1, 0),
    PLACES("write_b128", write, 16, 1, 0),
    PLACES("write_b8", write, 1, 1, 0),
    PLACES("write_b16", write, 2, 1, 0),
    PLACES("write_b16_d16_hi", write, 2, 1, 0),
    PLACES("write2_b32", write, 4, 2, 2),
    PLACES("write2_b64", write, 8, 2, 3),
    PLACES("write2st64_b32", write, 4, 2, 8),
    PLACES("write2st64_b64", write, 8, 2, 9),
    {.name = "ds_bpermute_b32", exchange, NULL, NULL, 1},
    {.name = "ds_permute_b32", exchange, NULL, NULL, 1},
    {.name = "ds_swizzle_b32", exchange, NULL, NULL, 1},
    SCRATCH("load_dword", scratch_load, 1, 0),
    SCRATCH("load_dwordx2", scratch_load, 2, 0),
    SCRATCH("load_dwordx3", scratch_load, 3, 0),
    SCRATCH("load_dwordx4", scratch_load, 4, 0),
    SCRATCH("load_ubyte", scratch_load, 1, 1),
    SCRATCH("load_ushort", scratch_load, 1, 2),
    SCRATCH("store_dword", scratch_store, 1, 0),
    SCRATCH("store_dwordx2", scratch_store, 2, 0),
    SCRATCH("store_dwordx3", scratch_store, 3, 0),
    SCRATCH("store_dwordx4", scratch_store, 4, 0),
    SCRATCH("store_byte", scratch_store, 1, 1),
    SCRATCH("store_short", scratch_store, 1, 2),
    {0},
};
