/* Instructions that go to memory beyond the compute unit. Data that they load are unknown. */
#include "runtime/amd/isa/opcode.h"
#include "runtime/amd/isa/pace.h"

#include <string.h>

enum { LINE = 64 };

/* Computes the address of each active lane. */
static void addresses(const ht_wave *wave, const ht_isa_instruction *instruction,
                      const ht_isa_operand *vector, const ht_isa_operand *scalar,
                      ht_isa_lanes *out_lanes) {
    bool based = scalar && scalar->kind == HT_ISA_SCALAR;
    uint64_t base = 0, unknown = 0;
    ht_wave_lanes(wave, vector, vector->words >= 2 ? 2 : 1, false, out_lanes);
    if (based)
        base = ht_wave_scalar(wave, scalar, 2, &unknown);
    if (unknown)
        out_lanes->unknown = ~UINT64_C(0);
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++)
        out_lanes->value[lane] += base + (uint64_t)instruction->offset[0];
}

/* Adds the lines of [address, address + bytes) to those that the instruction touched already. */
static size_t add_lines(uint64_t *lines, size_t count, uint64_t address, unsigned bytes) {
    for (uint64_t line = address / LINE; line <= (address + bytes - 1) / LINE; line++) {
        size_t at = count;
        while (at > 0 && lines[at - 1] != line)
            at--;
        if (at == 0)
            lines[count++] = line;
    }
    return count;
}

static unsigned row_bytes(const ht_isa_opcode *row) {
    return row->bytes ? row->bytes : 4U * row->words;
}

/* Checks that every place that is known is in memory that the kernel was given. */
static ht_status visit(ht_wave *wave, const ht_isa_instruction *instruction,
                       const ht_isa_lanes *where, bool store, size_t *out_lines, ht_error *error) {
    uint64_t exec = ht_wave_exec(wave), lines[2 * HT_ISA_LANES];
    unsigned bytes = row_bytes(instruction->opcode);
    ht_isa_region *region = NULL;
    *out_lines = 0;
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++) {
        if (!(exec & ~where->unknown & UINT64_C(1) << lane))
            continue;
        uint64_t address = where->value[lane];
        if (!region || address < region->base || address - region->base + bytes > region->size)
            region = ht_isa_memory_find(wave->memory, address, bytes);
        if (!region)
            return ht_isa_refuse(instruction, error,
                                 "lane %u goes to 0x%llx, where no argument's memory is", lane,
                                 (unsigned long long)address);
        if (store)
            ht_isa_region_write(region, address, bytes, wave->counts);
        else
            region->read = true;
        *out_lines = add_lines(lines, *out_lines, address, bytes);
    }
    ht_isa_pace_memory(wave, lines, *out_lines, instruction->opcode->words, !store);
    return HT_OK;
}

static bool has_operands(const ht_isa_instruction *instruction, size_t least) {
    return instruction->operand_count >= least && !instruction->unusual;
}

/* Locates an access: its address may be a pair of registers, or an offset from a scalar pair, the
 * third operand. */
static ht_status locate(const ht_wave *wave, const ht_isa_instruction *instruction,
                        const ht_isa_operand *vector, ht_isa_lanes *out_where, ht_error *error) {
    if (!has_operands(instruction, 2))
        return ht_isa_refuse(instruction, error, "its operands are not modelled");
    addresses(wave, instruction, vector,
              instruction->operand_count > 2 ? &instruction->operands[2] : NULL, out_where);
    return HT_OK;
}

/* Reads a word of the arguments, the dispatch packet or a buffer whose contents are known. */
static void read_word(const ht_isa_region *region, uint64_t address, uint32_t *out_value,
                      uint32_t *out_unknown) {
    uint64_t at = address - region->base;
    *out_value = 0;
    *out_unknown = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (region->unknown && region->unknown[at + i])
            *out_unknown |= UINT32_C(0xff) << (8 * i);
        *out_value |= (uint32_t)region->bytes[at + i] << (8 * i);
    }
}

/* Writes a load's result: known where the contents of memory are. */
static void load_words(ht_wave *wave, const ht_isa_instruction *instruction,
                       const ht_isa_lanes *where) {
    const ht_isa_opcode *row = instruction->opcode;
    ht_isa_operand word = instruction->operands[0];
    const ht_isa_region *region = NULL;
    uint64_t exec = ht_wave_exec(wave) & ~where->unknown;
    bool whole = row->bytes == 0 && word.kind == HT_ISA_VECTOR;
    if (whole && exec)
        region = ht_isa_memory_find(wave->memory, where->value[__builtin_ctzll(exec)], 4);
    if (!region || !region->bytes) {
        ht_wave_lanes_set(wave, &word, word.words, NULL);
        return;
    }
    for (unsigned i = 0; i < row->words; i++, word.first++) {
        ht_isa_lanes lanes = {.unknown = ~exec};
        for (unsigned lane = 0; lane < HT_ISA_LANES; lane++) {
            uint64_t address = where->value[lane] + 4 * (uint64_t)i;
            uint32_t value = 0, hidden = UINT32_MAX;
            if (exec >> lane & 1 && address >= region->base &&
                address - region->base + 4 <= region->size)
                read_word(region, address, &value, &hidden);
            lanes.value[lane] = value;
            lanes.unknown |= hidden ? UINT64_C(1) << lane : 0;
        }
        ht_wave_lanes_set(wave, &word, 1, &lanes);
    }
}

static ht_status load(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    ht_access_counts *counts = wave->counts;
    ht_isa_lanes where = {0};
    size_t lines = 0;
    uint64_t lanes = (uint64_t)__builtin_popcountll(ht_wave_exec(wave));
    const ht_isa_operand *operands = instruction->operands;
    ht_status status = locate(wave, instruction, &operands[1], &where, error);
    if (!status)
        status = visit(wave, instruction, &where, false, &lines, error);
    counts->global_loads += lanes;
    counts->global_load_bytes += lanes * row_bytes(instruction->opcode);
    counts->global_load_issues += lanes > 0;
    counts->global_load_lines += lines;
    load_words(wave, instruction, &where);
    return status;
}

static ht_status store(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    ht_isa_lanes where = {0};
    size_t lines;
    uint64_t exec = ht_wave_exec(wave), lanes = (uint64_t)__builtin_popcountll(exec);
    ht_status status = locate(wave, instruction, &instruction->operands[0], &where, error);
    wave->counts->global_stores += lanes;
    wave->counts->global_store_bytes += lanes * row_bytes(instruction->opcode);
    if (!status && exec & where.unknown) /* or outputs would go uncounted */
        status = ht_isa_refuse(instruction, error,
                               "where it stores depends on data that the kernel loads");
    return status ? status : visit(wave, instruction, &where, true, &lines, error);
}

/* Does an atomic update. The form that returns the old value has its register in front. */
static ht_status atomic(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    ht_isa_lanes where = {0};
    size_t lines, count = instruction->operand_count;
    bool flat = strncmp(instruction->name, "flat", 4) == 0;
    bool returns = count == (flat ? 3 : 4);
    const ht_isa_operand *operands = instruction->operands;
    if (!has_operands(instruction, 2))
        return ht_isa_refuse(instruction, error, "its operands are not modelled");
    addresses(wave, instruction, &operands[returns], flat ? NULL : &operands[count - 1], &where);
    wave->counts->atomics += (uint64_t)__builtin_popcountll(ht_wave_exec(wave));
    ht_status status = visit(wave, instruction, &where, true, &lines, error);
    if (returns)
        ht_wave_lanes_set(wave, &operands[0], operands[0].words, NULL);
    return status;
}

static ht_status scalar_load(ht_wave *wave, const ht_isa_instruction *instruction,
                             ht_error *error) {
    const ht_isa_operand *operands = instruction->operands;
    unsigned words = instruction->opcode->words;
    uint64_t unknown[2];
    if (!has_operands(instruction, 3) || operands[0].kind != HT_ISA_SCALAR)
        return ht_isa_refuse(instruction, error, "its operands are not modelled");
    uint64_t address =
        ht_wave_scalar(wave, &operands[1], 2, &unknown[0]) + (uint64_t)instruction->offset[0];
    bool number = operands[2].kind == HT_ISA_INTEGER;
    address += ht_wave_scalar(wave, &operands[2], number ? 2 : 1, &unknown[1]);
    address &= ~UINT64_C(3);
    bool known = !unknown[0] && !unknown[1];
    const ht_isa_region *region =
        known ? ht_isa_memory_find(wave->memory, address, 4U * words) : NULL;
    if (known && !region)
        return ht_isa_refuse(instruction, error,
                             "it reads at 0x%llx, where no argument's memory is",
                             (unsigned long long)address);
    bool data = !region || region->kind != HT_ISA_LAUNCH;
    wave->counts->scalar_loads += data;
    wave->counts->scalar_load_bytes += data ? 4U * words : 0;
    for (unsigned i = 0; i < words; i++) {
        uint32_t value = 0, hidden = UINT32_MAX;
        if (region && region->bytes)
            read_word(region, address + 4 * (uint64_t)i, &value, &hidden);
        ht_wave_scalar_set(wave, operands[0].first + i, 1, value, hidden);
    }
    return HT_OK;
}

/* Both ways of addressing. */
#define ROW(stem, execute, words, bytes)                                                           \
    {.name = "global_" stem, execute, NULL, NULL, words, {0}, bytes}, {                            \
        .name = "flat_" stem, execute, NULL, NULL, words, {0}, bytes                               \
    }

const ht_isa_opcode ht_isa_memory_opcodes[] = {
    ROW("load_dword", load, 1, 0),
    ROW("load_dwordx2", load, 2, 0),
    ROW("load_dwordx3", load, 3, 0),
    ROW("load_dwordx4", load, 4, 0),
    ROW("load_ubyte", load, 1, 1),
    ROW("load_sbyte", load, 1, 1),
    ROW("load_ushort", load, 1, 2),
    ROW("load_sshort", load, 1, 2),
    ROW("load_ubyte_d16", load, 1, 1),
    ROW("load_ubyte_d16_hi", load, 1, 1),
    ROW("load_sbyte_d16", load, 1, 1),
    ROW("load_sbyte_d16_hi", load, 1, 1),
    ROW("load_short_d16", load, 1, 2),
    ROW("load_short_d16_hi", load, 1, 2),
    ROW("store_dword", store, 1, 0),
    ROW("store_dwordx2", store, 2, 0),
    ROW("store_dwordx3", store, 3, 0),
    ROW("store_dwordx4", store, 4, 0),
    ROW("store_byte", store, 1, 1),
    ROW("store_short", store, 1, 2),
    ROW("store_byte_d16_hi", store, 1, 1),
    ROW("store_short_d16_hi", store, 1, 2),
    ROW("atomic_add", atomic, 1, 0),
    ROW("atomic_add_f32", atomic, 1, 0),
    ROW("atomic_add_f64", atomic, 2, 0),
    ROW("atomic_pk_add_f16", atomic, 1, 0),
    ROW("atomic_cmpswap", atomic, 1, 0),
    {.name = "s_load_dword", scalar_load, NULL, NULL, 1},
    {.name = "s_load_dwordx2", scalar_load, NULL, NULL, 2},
    {.name = "s_load_dwordx3", scalar_load, NULL, NULL, 3},
    {.name = "s_load_dwordx4", scalar_load, NULL, NULL, 4},
    {.name = "s_load_dwordx8", scalar_load, NULL, NULL, 8},
    {.name = "s_load_dwordx16", scalar_load, NULL, NULL, 16},
    {0},
};
