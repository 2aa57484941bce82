/* Scalar arithmetic: results bit by bit known or not, where the instruction works bit by bit. */
#include "runtime/amd/isa/arithmetic.h"
#include "runtime/amd/isa/opcode.h"

#include <string.h>

/* Computes SCC. */
static bool carry(uint64_t a, uint64_t b, uint64_t c, uint64_t result) {
    (void)a, (void)b, (void)c;
    return result >> 32 & 1;
}

static bool beyond_word(uint64_t a, uint64_t b, uint64_t c, uint64_t result) {
    (void)a, (void)b, (void)c;
    return result >> 32 != 0;
}

static bool overflow_add(uint64_t a, uint64_t b, uint64_t c, uint64_t result) {
    (void)c;
    return (~(a ^ b) & (a ^ result)) >> 31 & 1;
}

static bool overflow_subtract(uint64_t a, uint64_t b, uint64_t c, uint64_t result) {
    (void)c;
    return ((a ^ b) & (a ^ result)) >> 31 & 1;
}

static bool nonzero(uint64_t a, uint64_t b, uint64_t c, uint64_t result) {
    (void)a, (void)b, (void)c;
    return result != 0;
}

static bool first_taken(uint64_t a, uint64_t b, uint64_t c, uint64_t result) {
    (void)c;
    return result == a && a != b;
}

/* Extracts a field, whose width and offset come in one source. */
static uint64_t field(uint64_t a, uint64_t b, uint64_t c) {
    (void)c;
    uint64_t width = b >> 16 & 127;
    return width >= 32 ? a >> (b & 31) : ht_isa_extract(a, b & 31, width);
}

static uint64_t field_signed(uint64_t a, uint64_t b, uint64_t c) {
    (void)c;
    uint64_t width = b >> 16 & 127;
    return width >= 32 ? ht_isa_shift_signed_32(a, b, 0) : ht_isa_extract_signed(a, b & 31, width);
}

static uint64_t trailing_zeros(uint64_t a, uint64_t b, uint64_t c) {
    (void)b, (void)c;
    return a ? (uint64_t)__builtin_ctzll(a) : UINT32_MAX;
}

static uint64_t ones(uint64_t a, uint64_t b, uint64_t c) {
    (void)b, (void)c;
    return (uint64_t)__builtin_popcountll(a);
}

/* Returns the bits of the result that depend on unknown bits of the sources. */
static uint64_t bitwise_unknown(ht_isa_function *f, const uint64_t value[2],
                                const uint64_t unknown[2]) {
    uint64_t first = f(value[0] & ~unknown[0], value[1] & ~unknown[1], 0), differ = 0;
    for (unsigned way = 1; way < 4; way++) {
        uint64_t a = way & 1 ? value[0] | unknown[0] : value[0] & ~unknown[0];
        uint64_t b = way & 2 ? value[1] | unknown[1] : value[1] & ~unknown[1];
        differ |= first ^ f(a, b, 0);
    }
    return differ;
}

/* Writes the result; lanes must not become active by unknown bits. */
static ht_status set_result(ht_wave *wave, const ht_isa_instruction *instruction, unsigned first,
                            unsigned words, uint64_t value, uint64_t unknown, ht_error *error) {
    ht_wave_scalar_set(wave, first, words, value, unknown);
    bool exec = first <= HT_ISA_EXEC + 1 && first + words > HT_ISA_EXEC;
    if (exec && unknown)
        return ht_isa_refuse(instruction, error,
                             "which lanes take part depends on data that the kernel loads");
    return HT_OK;
}

static void set_condition(ht_wave *wave, const ht_isa_opcode *row, const uint64_t value[2],
                          uint64_t carried, uint64_t result, uint64_t unknown) {
    bool zero_test = row->condition == nonzero;
    bool certain = unknown == 0 || (zero_test && (result & ~unknown) != 0);
    ht_wave_scc_set(wave, row->condition(value[0], value[1], carried, result & ~unknown), !certain);
}

static uint64_t width_mask(unsigned words) {
    return words >= 2 ? ~UINT64_C(0) : UINT32_MAX;
}

/* Computes D = f(sources), SCC by the row's rule. */
static ht_status compute(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    const ht_isa_opcode *row = instruction->opcode;
    uint64_t value[2] = {0}, unknown[2] = {0}, mask = width_mask(row->words);
    for (unsigned i = 0; i < 2 && row->sources[i]; i++)
        value[i] =
            ht_wave_scalar(wave, &instruction->operands[i + 1], row->sources[i], &unknown[i]);
    uint64_t result = row->function(value[0], value[1], 0);
    uint64_t uncertain = unknown[0] | unknown[1] ? mask : 0;
    if (row->bitwise)
        uncertain = bitwise_unknown(row->function, value, unknown) & mask;
    else if (row->condition == carry)
        result &= UINT64_C(0x1ffffffff);
    if (row->condition == nonzero)
        result &= mask;
    if (row->condition)
        set_condition(wave, row, value, 0, result, uncertain);
    return set_result(wave, instruction, instruction->operands[0].first, row->words, result & mask,
                      uncertain, error);
}

/* Computes D = f(S0, S1, SCC), SCC the carry. */
static ht_status compute_carry(ht_wave *wave, const ht_isa_instruction *instruction,
                               ht_error *error) {
    const ht_isa_opcode *row = instruction->opcode;
    uint64_t unknown[2];
    uint64_t a = ht_wave_scalar(wave, &instruction->operands[1], 1, &unknown[0]);
    uint64_t b = ht_wave_scalar(wave, &instruction->operands[2], 1, &unknown[1]);
    bool uncertain = unknown[0] || unknown[1] || wave->scc_unknown;
    uint64_t result = row->function(a, b, wave->scc);
    ht_wave_scc_set(wave, result >> 32 & 1, uncertain);
    return set_result(wave, instruction, instruction->operands[0].first, 1, result & UINT32_MAX,
                      uncertain ? UINT32_MAX : 0, error);
}

/* Computes D = f(D, a number of 16 bits with a sign). */
static ht_status compute_short(ht_wave *wave, const ht_isa_instruction *instruction,
                               ht_error *error) {
    const ht_isa_opcode *row = instruction->opcode;
    uint64_t unknown, old = ht_wave_scalar(wave, &instruction->operands[0], 1, &unknown);
    uint64_t number = (uint32_t)(int16_t)instruction->operands[1].integer;
    uint64_t result = row->function(old, number, 0);
    if (row->condition)
        ht_wave_scc_set(wave, row->condition(old, number, 0, result), unknown != 0);
    return set_result(wave, instruction, instruction->operands[0].first, 1, result & UINT32_MAX,
                      unknown ? UINT32_MAX : 0, error);
}

static ht_status move_short(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    uint64_t number = (uint32_t)(int16_t)instruction->operands[1].integer;
    return set_result(wave, instruction, instruction->operands[0].first, 1, number, 0, error);
}

static ht_status compare(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    (void)error;
    const ht_isa_opcode *row = instruction->opcode;
    uint64_t unknown[2];
    uint64_t a = ht_wave_scalar(wave, &instruction->operands[0], row->sources[0], &unknown[0]);
    uint64_t b = ht_wave_scalar(wave, &instruction->operands[1], row->sources[1], &unknown[1]);
    ht_wave_scc_set(wave, row->function(a, b, 0) != 0, unknown[0] || unknown[1]);
    return HT_OK;
}

/* Compares with a second source of 16 bits: with its sign for _i32, without for _u32. */
static ht_status compare_short(ht_wave *wave, const ht_isa_instruction *instruction,
                               ht_error *error) {
    (void)error;
    const ht_isa_opcode *row = instruction->opcode;
    uint64_t unknown, a = ht_wave_scalar(wave, &instruction->operands[0], 1, &unknown);
    int64_t number = instruction->operands[1].integer;
    bool is_signed = strstr(row->name, "_i32") != NULL;
    uint64_t b = is_signed ? (uint32_t)(int16_t)number : (uint16_t)number;
    ht_wave_scc_set(wave, row->function(a, b, 0) != 0, unknown != 0);
    return HT_OK;
}

/* Computes D = SCC ? S0 : S1. Without SCC known, the bits in which both agree are known. */
static ht_status choose(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    unsigned words = instruction->opcode->words;
    uint64_t unknown[2], value[2];
    for (unsigned i = 0; i < 2; i++)
        value[i] = ht_wave_scalar(wave, &instruction->operands[i + 1], words, &unknown[i]);
    unsigned taken = wave->scc ? 0 : 1;
    uint64_t uncertain = unknown[taken];
    if (wave->scc_unknown)
        uncertain = unknown[0] | unknown[1] | (value[0] ^ value[1]);
    return set_result(wave, instruction, instruction->operands[0].first, words, value[taken],
                      uncertain, error);
}

/* Computes D = EXEC; EXEC = f(S0, EXEC); SCC = any lane is left. Of one word in waves of 32. */
static ht_status save_exec(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    const ht_isa_opcode *row = instruction->opcode;
    uint64_t exec = ht_wave_exec(wave), mask = width_mask(row->words), unknown[2] = {0};
    uint64_t value[2] = {0, exec};
    value[0] = ht_wave_scalar(wave, &instruction->operands[1], row->words, &unknown[0]);
    uint64_t uncertain = bitwise_unknown(row->function, value, unknown) & mask;
    uint64_t result = row->function(value[0], value[1], 0) & mask;
    ht_wave_scalar_set(wave, instruction->operands[0].first, row->words, exec, 0);
    set_condition(wave, row, value, 0, result, uncertain);
    return set_result(wave, instruction, HT_ISA_EXEC, row->words, result, uncertain, error);
}

static uint64_t and_not_first(uint64_t a, uint64_t b, uint64_t c) {
    return ht_isa_and_not(b, a, c);
}

static uint64_t or_not_first(uint64_t a, uint64_t b, uint64_t c) {
    return ht_isa_or_not(b, a, c);
}

#define COMPARISONS(X)                                                                             \
    X("eq_i32", equal_32, 1), X("eq_u32", equal_32, 1), X("lg_i32", differ_32, 1),                 \
        X("lg_u32", differ_32, 1), X("lt_i32", less_signed_32, 1), X("lt_u32", less_32, 1),        \
        X("le_i32", less_equal_signed_32, 1), X("le_u32", less_equal_32, 1),                       \
        X("gt_i32", greater_signed_32, 1), X("gt_u32", greater_32, 1),                             \
        X("ge_i32", greater_equal_signed_32, 1), X("ge_u32", greater_equal_32, 1)
#define LONG(test, f, n)                                                                           \
    {                                                                                              \
        .name = "s_cmp_" test, compare, ht_isa_##f, .sources = { n, n }                            \
    }
#define SHORT(test, f, n)                                                                          \
    {                                                                                              \
        .name = "s_cmpk_" test, compare_short, ht_isa_##f, .sources = { n }                        \
    }
/* Of 32 and of 64 bits. */
#define BITWISE(stem, f)                                                                           \
    {.name = "s_" stem "_b32", compute, ht_isa_##f, nonzero, 1, {1, 1}, .bitwise = true}, {        \
        .name = "s_" stem "_b64", compute, ht_isa_##f, nonzero, 2, {2, 2}, .bitwise = true         \
    }
#define SAVE(stem, f)                                                                              \
    {.name = "s_" stem "_saveexec_b64", save_exec, f, nonzero, 2, {2}}, {                          \
        .name = "s_" stem "_saveexec_b32", save_exec, f, nonzero, 1, {1}                           \
    }
#define PLAIN(stem, f, rule) {.name = "s_" stem, compute, f, rule, 1, {1, 1}}

const ht_isa_opcode ht_isa_scalar_opcodes[] = {
    COMPARISONS(LONG),
    COMPARISONS(SHORT),
    LONG("eq_u64", equal_64, 2),
    LONG("lg_u64", differ_64, 2),
    LONG("eq_i64", equal_64, 2),
    LONG("lg_i64", differ_64, 2),
    {.name = "s_bitcmp0_b32", compare, ht_isa_bit_clear, .sources = {1, 1}},
    {.name = "s_bitcmp1_b32", compare, ht_isa_bit_set, .sources = {1, 1}},
    BITWISE("and", both),
    BITWISE("or", either),
    BITWISE("xor", differ),
    BITWISE("andn2", and_not),
    BITWISE("orn2", or_not),
    BITWISE("nand", not_both),
    BITWISE("nor", neither),
    BITWISE("xnor", same),
    {.name = "s_mov_b32", compute, ht_isa_move, NULL, 1, {1}, .bitwise = true},
    {.name = "s_mov_b64", compute, ht_isa_move, NULL, 2, {2}, .bitwise = true},
    {.name = "s_not_b32", compute, ht_isa_invert, nonzero, 1, {1}, .bitwise = true},
    {.name = "s_not_b64", compute, ht_isa_invert, nonzero, 2, {2}, .bitwise = true},
    SAVE("and", ht_isa_both),
    SAVE("or", ht_isa_either),
    SAVE("xor", ht_isa_differ),
    SAVE("andn2", ht_isa_and_not),
    SAVE("orn2", ht_isa_or_not),
    SAVE("nand", ht_isa_not_both),
    SAVE("nor", ht_isa_neither),
    SAVE("xnor", ht_isa_same),
    SAVE("andn1", and_not_first),
    SAVE("orn1", or_not_first),
    PLAIN("add_u32", ht_isa_add, carry),
    PLAIN("add_i32", ht_isa_add, overflow_add),
    PLAIN("sub_u32", ht_isa_subtract, carry),
    PLAIN("sub_i32", ht_isa_subtract, overflow_subtract),
    {.name = "s_addc_u32", compute_carry, ht_isa_add_3, NULL, 1, {1, 1}},
    {.name = "s_subb_u32", compute_carry, ht_isa_subtract_3, NULL, 1, {1, 1}},
    PLAIN("min_u32", ht_isa_least, first_taken),
    PLAIN("max_u32", ht_isa_most, first_taken),
    PLAIN("min_i32", ht_isa_least_signed, first_taken),
    PLAIN("max_i32", ht_isa_most_signed, first_taken),
    PLAIN("mul_i32", ht_isa_multiply, NULL),
    PLAIN("mul_hi_u32", ht_isa_multiply_high, NULL),
    PLAIN("mul_hi_i32", ht_isa_multiply_high_signed, NULL),
    PLAIN("lshl_b32", ht_isa_shift_left_32, nonzero),
    PLAIN("lshr_b32", ht_isa_shift_right_32, nonzero),
    PLAIN("ashr_i32", ht_isa_shift_signed_32, nonzero),
    {.name = "s_add_nc_u64", compute, ht_isa_add, NULL, 2, {2, 2}},
    {.name = "s_sub_nc_u64", compute, ht_isa_subtract, NULL, 2, {2, 2}},
    {.name = "s_mul_u64", compute, ht_isa_multiply, NULL, 2, {2, 2}},
    {.name = "s_lshl_b64", compute, ht_isa_shift_left_64, nonzero, 2, {2, 1}},
    {.name = "s_lshr_b64", compute, ht_isa_shift_right_64, nonzero, 2, {2, 1}},
    {.name = "s_ashr_i64", compute, ht_isa_shift_signed_64, nonzero, 2, {2, 1}},
    PLAIN("bfe_u32", field, nonzero),
    PLAIN("bfe_i32", field_signed, nonzero),
    PLAIN("bfm_b32", ht_isa_bit_mask, NULL),
    PLAIN("lshl1_add_u32", ht_isa_shift_1_add, beyond_word),
    PLAIN("lshl2_add_u32", ht_isa_shift_2_add, beyond_word),
    PLAIN("lshl3_add_u32", ht_isa_shift_3_add, beyond_word),
    PLAIN("lshl4_add_u32", ht_isa_shift_4_add, beyond_word),
    PLAIN("pack_ll_b32_b16", ht_isa_pack_low, NULL),
    {.name = "s_abs_i32", compute, ht_isa_absolute, nonzero, 1, {1}},
    {.name = "s_sext_i32_i8", compute, ht_isa_sign_8, NULL, 1, {1}},
    {.name = "s_sext_i32_i16", compute, ht_isa_sign_16, NULL, 1, {1}},
    {.name = "s_ff1_i32_b32", compute, trailing_zeros, NULL, 1, {1}},
    {.name = "s_ff1_i32_b64", compute, trailing_zeros, NULL, 1, {2}},
    {.name = "s_bcnt1_i32_b32", compute, ones, nonzero, 1, {1}},
    {.name = "s_bcnt1_i32_b64", compute, ones, nonzero, 1, {2}},
    {.name = "s_movk_i32", move_short, NULL, NULL, 1, {0}},
    {.name = "s_addk_i32", compute_short, ht_isa_add, overflow_add, 1, {1}},
    {.name = "s_mulk_i32", compute_short, ht_isa_multiply, NULL, 1, {1}},
    {.name = "s_cselect_b32", choose, NULL, NULL, 1, {1, 1}},
    {.name = "s_cselect_b64", choose, NULL, NULL, 2, {2, 2}},
    {0},
};
