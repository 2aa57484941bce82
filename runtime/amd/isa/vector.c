/* Vector arithmetic on integers, moves between lanes and scalar registers. */
#include "runtime/amd/isa/vector.h"
#include "runtime/amd/isa/arithmetic.h"
#include "runtime/amd/isa/opcode.h"

#include <string.h>

/* Returns true if the row's function knows all forms of the sources. */
static bool sources_modelled(const ht_isa_instruction *instruction, size_t first) {
    for (size_t i = first; i < instruction->operand_count; i++) {
        const ht_isa_operand *operand = &instruction->operands[i];
        bool sign = operand->negated || operand->absolute;
        if (operand->kind == HT_ISA_OTHER || operand->kind == HT_ISA_OFF ||
            (sign && !instruction->opcode->real))
            return false;
    }
    return !instruction->unusual;
}

void ht_isa_vector_compute(ht_wave *wave, const ht_isa_instruction *instruction,
                           const ht_isa_operand *const sources[3], const uint8_t words[3],
                           ht_isa_lanes *out_lanes) {
    const ht_isa_opcode *row = instruction->opcode;
    ht_isa_lanes lanes[3];
    uint64_t exec = ht_wave_exec(wave), unknown = 0;
    for (unsigned i = 0; i < 3 && words[i]; i++)
        unknown |= ht_wave_lanes_unknown(wave, sources[i], words[i]);
    out_lanes->unknown = unknown;
    if ((exec & ~unknown) == 0)
        return;
    for (unsigned i = 0; i < 3; i++) {
        if (words[i])
            ht_wave_lanes(wave, sources[i], words[i], row->real, &lanes[i]);
        else
            memset(lanes[i].value, 0, sizeof lanes[i].value);
    }
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++)
        if (exec >> lane & 1)
            out_lanes->value[lane] =
                row->function(lanes[0].value[lane], lanes[1].value[lane], lanes[2].value[lane]);
}

void ht_isa_vector_set_long(ht_wave *wave, const ht_isa_operand *operand, const ht_isa_lanes *low,
                            const ht_isa_lanes *whole) {
    ht_wave_lanes_set(wave, operand, 2, whole);
    if (low->unknown != whole->unknown)
        ht_wave_lanes_set(wave, operand, 1, low);
}

/* Computes D = f(sources) in every active lane. */
static ht_status compute_result(ht_wave *wave, const ht_isa_instruction *instruction,
                                const ht_isa_operand *last, ht_error *error) {
    const ht_isa_opcode *row = instruction->opcode;
    const ht_isa_operand *operands = instruction->operands;
    const ht_isa_operand *const sources[3] = {&operands[1], &operands[2], last};
    ht_isa_lanes lanes = {.unknown = ~UINT64_C(0)};
    if (operands[0].kind != HT_ISA_VECTOR)
        return ht_isa_refuse(instruction, error, "its result is no vector register");
    bool modelled = row->function && sources_modelled(instruction, 1);
    if (modelled)
        ht_isa_vector_compute(wave, instruction, sources, row->sources, &lanes);
    uint64_t data = ht_wave_exec(wave) & lanes.unknown; /* known values divide indices */
    wave->counts->products += row->products * (uint64_t)__builtin_popcountll(data);
    if (!modelled || !row->rising || lanes.unknown == 0) {
        ht_wave_lanes_set(wave, &operands[0], row->words, &lanes);
        return HT_OK;
    }
    ht_isa_lanes low = {.unknown = ~UINT64_C(0)};
    static const uint8_t one_word[3] = {1, 1, 1};
    uint8_t words[3] = {0};
    memcpy(words, one_word, row->sources[2] ? 3 : 2);
    ht_isa_vector_compute(wave, instruction, sources, words, &low);
    ht_isa_vector_set_long(wave, &operands[0], &low, &lanes);
    return HT_OK;
}

/* Computes D = f(S0, S1, S2). */
ht_status ht_isa_vector(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    return compute_result(wave, instruction, &instruction->operands[3], error);
}

/* Computes D = f(S0, S1, D). */
ht_status ht_isa_vector_accumulate(ht_wave *wave, const ht_isa_instruction *instruction,
                                   ht_error *error) {
    return compute_result(wave, instruction, &instruction->operands[0], error);
}

/* Sets a scalar register from a lane. */
static ht_status set_from_lane(ht_wave *wave, const ht_isa_instruction *instruction,
                               const ht_isa_operand *source, unsigned lane, ht_error *error) {
    ht_isa_lanes lanes;
    const ht_isa_operand *result = &instruction->operands[0];
    if (result->kind != HT_ISA_SCALAR || result->first >= HT_ISA_EXEC)
        return ht_isa_refuse(instruction, error, "its result is no scalar register");
    ht_wave_lanes(wave, source, 1, false, &lanes);
    bool unknown = lanes.unknown >> lane & 1;
    ht_wave_scalar_set(wave, result->first, 1, lanes.value[lane], unknown ? UINT32_MAX : 0);
    return HT_OK;
}

static ht_status read_first_lane(ht_wave *wave, const ht_isa_instruction *instruction,
                                 ht_error *error) {
    uint64_t exec = ht_wave_exec(wave);
    unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
    return set_from_lane(wave, instruction, &instruction->operands[1], lane, error);
}

/* Reads the lane that a source names. */
static ht_status which_lane(ht_wave *wave, const ht_isa_instruction *instruction,
                            unsigned *out_lane, ht_error *error) {
    uint64_t unknown, lane = ht_wave_scalar(wave, &instruction->operands[2], 1, &unknown);
    *out_lane = (unsigned)(lane % wave->lanes);
    if (unknown)
        return ht_isa_refuse(instruction, error, "its lane depends on data that the kernel loads");
    return HT_OK;
}

static ht_status read_lane(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    unsigned lane;
    ht_status status = which_lane(wave, instruction, &lane, error);
    if (!status)
        status = set_from_lane(wave, instruction, &instruction->operands[1], lane, error);
    return status;
}

/* Writes the lane whether it is active or not. */
static ht_status write_lane(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    unsigned lane;
    const ht_isa_operand *result = &instruction->operands[0];
    ht_status status = which_lane(wave, instruction, &lane, error);
    if (status)
        return status;
    if (result->kind != HT_ISA_VECTOR)
        return ht_isa_refuse(instruction, error, "its result is no vector register");
    uint64_t unknown, value = ht_wave_scalar(wave, &instruction->operands[1], 1, &unknown);
    uint64_t bit = UINT64_C(1) << lane;
    wave->vector[result->first][lane] = (uint32_t)value;
    wave->vector_unknown[result->first] =
        (wave->vector_unknown[result->first] & ~bit) | (unknown ? bit : 0);
    return HT_OK;
}

/* Does two moves: each takes the low or the high word of its source. */
static ht_status move_pair(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    ht_isa_lanes lanes[2], result = {0};
    if (instruction->operand_count < 3 || instruction->operands[0].kind != HT_ISA_VECTOR)
        return ht_isa_refuse(instruction, error, "its operands are not modelled");
    for (unsigned i = 0; i < 2; i++) {
        ht_isa_operand word = instruction->operands[i + 1];
        if (word.words >= 2)
            word.first = (uint16_t)(word.first + (instruction->select >> i & 1));
        ht_wave_lanes(wave, &word, 1, false, &lanes[i]);
        for (unsigned lane = 0; lane < HT_ISA_LANES; lane++)
            result.value[lane] |= (lanes[i].value[lane] & UINT32_MAX) << (32 * i);
    }
    for (unsigned i = 0; i < 2; i++) {
        ht_isa_operand word = instruction->operands[0];
        ht_isa_lanes half = {.unknown = lanes[i].unknown};
        for (unsigned lane = 0; lane < HT_ISA_LANES; lane++)
            half.value[lane] = result.value[lane] >> (32 * i) & UINT32_MAX;
        word.first = (uint16_t)(word.first + i);
        ht_wave_lanes_set(wave, &word, 1, &half);
    }
    return HT_OK;
}

/* Counts the lanes of a mask below each lane, added to the second source. */
static ht_status count_below(ht_wave *wave, const ht_isa_instruction *instruction,
                             ht_error *error) {
    (void)error;
    ht_isa_lanes lanes;
    bool high = strstr(instruction->name, "_hi_") != NULL;
    uint64_t unknown, mask = ht_wave_scalar(wave, &instruction->operands[1], 1, &unknown);
    ht_wave_lanes(wave, &instruction->operands[2], 1, false, &lanes);
    lanes.unknown |= unknown ? ~UINT64_C(0) : 0;
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++) {
        uint64_t below = (UINT64_C(1) << lane) - 1;
        below = high ? below >> 32 : below & UINT32_MAX;
        lanes.value[lane] += (uint64_t)__builtin_popcountll(mask & below);
    }
    ht_wave_lanes_set(wave, &instruction->operands[0], 1, &lanes);
    return HT_OK;
}

static uint64_t median_signed(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t low = ht_isa_least_signed(a, b, 0), high = ht_isa_most_signed(a, b, 0);
    return ht_isa_most_signed(low, ht_isa_least_signed(high, c, 0), 0);
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t low = ht_isa_least(a, b, 0), high = ht_isa_most(a, b, 0);
    return ht_isa_most(low, ht_isa_least(high, c, 0), 0);
}

#define LEAST_3(name, f)                                                                           \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c) {                                     \
        return f(f(a, b, 0), c, 0);                                                                \
    }
LEAST_3(least_3, ht_isa_least)
LEAST_3(least_3_signed, ht_isa_least_signed)
LEAST_3(most_3, ht_isa_most)
LEAST_3(most_3_signed, ht_isa_most_signed)

static uint64_t leading_zeros(uint64_t a, uint64_t b, uint64_t c) {
    (void)b, (void)c;
    return a ? (uint64_t)__builtin_clz((unsigned)a) : UINT32_MAX;
}

static uint64_t reverse(uint64_t a, uint64_t b, uint64_t c) {
    uint32_t result = 0;
    (void)b, (void)c;
    for (unsigned i = 0; i < 32; i++)
        result |= (uint32_t)(a >> i & 1) << (31 - i);
    return result;
}

static uint64_t zeros_below(uint64_t a, uint64_t b, uint64_t c) {
    (void)b, (void)c;
    return a ? (uint64_t)__builtin_ctz((unsigned)a) : UINT32_MAX;
}

#define ONE(stem, f) {.name = "v_" stem, ht_isa_vector, f, NULL, 1, {1}}
#define TWO(stem, f) {.name = "v_" stem, ht_isa_vector, ht_isa_##f, NULL, 1, {1, 1}}
#define THREE(stem, f) {.name = "v_" stem, ht_isa_vector, f, NULL, 1, {1, 1, 1}}

const ht_isa_opcode ht_isa_vector_opcodes[] = {
    ONE("mov_b32", ht_isa_move),
    ONE("accvgpr_read_b32", ht_isa_move),
    ONE("accvgpr_write_b32", ht_isa_move),
    ONE("accvgpr_mov_b32", ht_isa_move),
    ONE("not_b32", ht_isa_invert),
    ONE("bfrev_b32", reverse),
    ONE("ffbh_u32", leading_zeros),
    ONE("ffbl_b32", zeros_below),
    TWO("add_u32", add),
    TWO("sub_u32", subtract),
    TWO("subrev_u32", subtract_from),
    TWO("add_nc_u32", add),
    TWO("sub_nc_u32", subtract),
    TWO("subrev_nc_u32", subtract_from),
    TWO("add_nc_i32", add),
    TWO("sub_nc_i32", subtract),
    TWO("add_i32", add),
    TWO("sub_i32", subtract),
    TWO("mul_lo_u32", multiply),
    TWO("mul_hi_u32", multiply_high),
    TWO("mul_hi_i32", multiply_high_signed),
    TWO("mul_u32_u24", multiply_24),
    TWO("mul_i32_i24", multiply_24_signed),
    TWO("and_b32", both),
    TWO("or_b32", either),
    TWO("xor_b32", differ),
    TWO("xnor_b32", same),
    TWO("lshlrev_b32", reversed_left_32),
    TWO("lshrrev_b32", reversed_right_32),
    TWO("ashrrev_i32", reversed_signed_32),
    TWO("min_u32", least),
    TWO("max_u32", most),
    TWO("min_i32", least_signed),
    TWO("max_i32", most_signed),
    TWO("bfm_b32", bit_mask),
    TWO("add_u16", half_add),
    TWO("sub_u16", half_subtract),
    TWO("mul_lo_u16", half_multiply),
    {.name = "v_lshlrev_b64",
     ht_isa_vector,
     ht_isa_reversed_left_64,
     NULL,
     2,
     {1, 2},
     .rising = true},
    {.name = "v_lshrrev_b64", ht_isa_vector, ht_isa_reversed_right_64, NULL, 2, {1, 2}},
    {.name = "v_ashrrev_i64", ht_isa_vector, ht_isa_reversed_signed_64, NULL, 2, {1, 2}},
    THREE("add3_u32", ht_isa_add_3),
    THREE("lshl_add_u32", ht_isa_shift_add),
    THREE("add_lshl_u32", ht_isa_add_shift),
    THREE("lshl_or_b32", ht_isa_shift_or),
    THREE("and_or_b32", ht_isa_and_or),
    THREE("or3_b32", ht_isa_or_3),
    THREE("xad_u32", ht_isa_xor_add),
    THREE("bfe_u32", ht_isa_extract),
    THREE("bfe_i32", ht_isa_extract_signed),
    THREE("bfi_b32", ht_isa_insert),
    THREE("alignbit_b32", ht_isa_align_bits),
    THREE("mad_u32_u24", ht_isa_multiply_add_24),
    THREE("mad_i32_i24", ht_isa_multiply_add_24_signed),
    THREE("med3_u32", median),
    THREE("med3_i32", median_signed),
    THREE("min3_u32", least_3),
    THREE("min3_i32", least_3_signed),
    THREE("max3_u32", most_3),
    THREE("max3_i32", most_3_signed),
    {.name = "v_mov_b64", ht_isa_vector, ht_isa_move, NULL, 2, {2}, .rising = true},
    {.name = "v_lshl_add_u64", ht_isa_vector, ht_isa_shift_add, NULL, 2, {2, 1, 2}, .rising = true},
    {.name = "v_readfirstlane_b32", read_first_lane},
    {.name = "v_readlane_b32", read_lane},
    {.name = "v_writelane_b32", write_lane},
    {.name = "v_pk_mov_b32", move_pair},
    {.name = "v_mbcnt_lo_u32_b32", count_below},
    {.name = "v_mbcnt_hi_u32_b32", count_below},
    {.name = "v_nop", ht_isa_nothing},
    {0},
};
