/* Vector instructions that make or take masks of lanes: comparisons, choices, carries. */
#include "runtime/amd/isa/arithmetic.h"
#include "runtime/amd/isa/vector.h"

#include <string.h>

/* Writes a mask; lanes that are not active get 0. */
static ht_status set_mask(ht_wave *wave, const ht_isa_instruction *instruction,
                          const ht_isa_operand *operand, uint64_t mask, uint64_t unknown,
                          ht_error *error) {
    uint64_t exec = ht_wave_exec(wave);
    if (operand->kind != HT_ISA_SCALAR)
        return ht_isa_refuse(instruction, error, "its mask is no scalar register");
    if (operand->first >= HT_ISA_EXEC && (unknown & exec))
        return ht_isa_refuse(instruction, error,
                             "which lanes take part depends on data that the kernel loads");
    ht_wave_scalar_set(wave, operand->first, ht_wave_mask_words(wave), mask & exec, unknown & exec);
    return HT_OK;
}

/* Computes MASK = S0 OP S1, OP a comparison. From gfx10 on v_cmpx has no mask but EXEC, which it
 * does not name; before, it writes two. */
static ht_status compare(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    static const ht_isa_operand exec = {.kind = HT_ISA_SCALAR, .first = HT_ISA_EXEC, .words = 2};
    bool on_exec = strncmp(instruction->name, "v_cmpx", 6) == 0;
    const ht_isa_operand *sources = &instruction->operands[on_exec ? 0 : 1];
    ht_isa_lanes lanes = {.unknown = ~UINT64_C(0)};
    uint64_t mask = 0;
    if (instruction->operand_count != (on_exec ? 2 : 3))
        return ht_isa_refuse(instruction, error, "its operands are not modelled");
    if (!instruction->unusual)
        ht_isa_vector_compute(wave, instruction,
                              (const ht_isa_operand *const[3]){&sources[0], &sources[1], NULL},
                              instruction->opcode->sources, &lanes);
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++)
        if (!(lanes.unknown >> lane & 1))
            mask |= (uint64_t)(lanes.value[lane] != 0) << lane;
    return set_mask(wave, instruction, on_exec ? &exec : &instruction->operands[0], mask,
                    lanes.unknown, error);
}

/* Computes D = MASK ? S1 : S0. A lane whose choice is unknown is known where both agree. */
static ht_status choose(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    const ht_isa_operand *operands = instruction->operands;
    ht_isa_lanes lanes[2], result = {0};
    uint64_t unknown, mask;
    if (instruction->operand_count != 4 || operands[0].kind != HT_ISA_VECTOR)
        return ht_isa_refuse(instruction, error, "its operands are not modelled");
    mask = ht_wave_scalar(wave, &operands[3], ht_wave_mask_words(wave), &unknown);
    for (unsigned i = 0; i < 2; i++)
        ht_wave_lanes(wave, &operands[i + 1], 1, true, &lanes[i]);
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++) {
        bool second = mask >> lane & 1;
        bool doubt = unknown >> lane & 1;
        bool agree = lanes[0].value[lane] == lanes[1].value[lane];
        uint64_t hidden = doubt ? lanes[0].unknown | lanes[1].unknown : lanes[second].unknown;
        result.value[lane] = lanes[second].value[lane];
        if (hidden >> lane & 1 || (doubt && !agree) || instruction->unusual)
            result.unknown |= UINT64_C(1) << lane;
    }
    ht_wave_lanes_set(wave, &operands[0], 1, &result);
    return HT_OK;
}

/* Computes D, MASK = f(S0, S1, mask in): the mask is bit 32 of the result. */
static ht_status carry(ht_wave *wave, const ht_isa_instruction *instruction, ht_error *error) {
    const ht_isa_operand *operands = instruction->operands;
    bool takes = instruction->operand_count == 5;
    ht_isa_lanes lanes[2], result = {0};
    uint64_t unknown_in = 0, in = 0, out = 0;
    if (instruction->operand_count < 4 || operands[0].kind != HT_ISA_VECTOR)
        return ht_isa_refuse(instruction, error, "its operands are not modelled");
    if (takes)
        in = ht_wave_scalar(wave, &operands[4], ht_wave_mask_words(wave), &unknown_in);
    for (unsigned i = 0; i < 2; i++)
        ht_wave_lanes(wave, &operands[i + 2], 1, false, &lanes[i]);
    result.unknown = lanes[0].unknown | lanes[1].unknown | unknown_in;
    if (instruction->unusual)
        result.unknown = ~UINT64_C(0);
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++) {
        result.value[lane] = instruction->opcode->function(lanes[0].value[lane],
                                                           lanes[1].value[lane], in >> lane & 1);
        out |= (result.value[lane] >> 32 & 1) << lane;
    }
    ht_wave_lanes_set(wave, &operands[0], 1, &result);
    return set_mask(wave, instruction, &operands[1], out & ~result.unknown, result.unknown, error);
}

/* Computes D = S0 * S1 + S2 of 64 bits, MASK = carry out of it. Compilers also use it where only
 * the low word matters, with anything in the high word of S2. */
static ht_status multiply_add_long(ht_wave *wave, const ht_isa_instruction *instruction,
                                   ht_error *error) {
    const ht_isa_operand *operands = instruction->operands;
    bool is_signed = instruction->opcode->function == ht_isa_multiply_high_signed;
    ht_isa_lanes lanes[3], result = {0}, low;
    uint64_t out = 0;
    if (instruction->operand_count != 5 || operands[0].kind != HT_ISA_VECTOR)
        return ht_isa_refuse(instruction, error, "its operands are not modelled");
    for (unsigned i = 0; i < 3; i++) {
        ht_wave_lanes(wave, &operands[i + 2], i == 2 ? 2 : 1, false, &lanes[i]);
        result.unknown |= lanes[i].unknown;
    }
    uint64_t low_unknown = ht_wave_lanes_unknown(wave, &operands[4], 1);
    if (instruction->unusual)
        result.unknown = low_unknown = ~UINT64_C(0);
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++) {
        uint64_t a = lanes[0].value[lane], b = lanes[1].value[lane];
        uint64_t product = is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : a * b;
        bool over = __builtin_add_overflow(product, lanes[2].value[lane], &result.value[lane]);
        out |= (uint64_t)over << lane;
    }
    low = result;
    low.unknown = lanes[0].unknown | lanes[1].unknown | low_unknown;
    ht_isa_vector_set_long(wave, &operands[0], &low, &result);
    return set_mask(wave, instruction, &operands[1], out & ~result.unknown, result.unknown, error);
}

#define COMPARE(type, words, infix)                                                                \
    {.name = "v_cmp_eq_" type, compare, ht_isa_equal##infix, NULL, 0, {words, words}}, {           \
        .name = "v_cmp_ne_" type, compare, ht_isa_differ##infix, NULL, 0, {                        \
            words, words                                                                           \
        }                                                                                          \
    }
#define ORDER(type, words, infix)                                                                  \
    {.name = "v_cmp_lt_" type, compare, ht_isa_less##infix, NULL, 0, {words, words}},              \
        {.name = "v_cmp_le_" type, compare, ht_isa_less_equal##infix, NULL, 0, {words, words}},    \
        {.name = "v_cmp_gt_" type, compare, ht_isa_greater##infix, NULL, 0, {words, words}}, {     \
        .name = "v_cmp_ge_" type, compare, ht_isa_greater_equal##infix, NULL, 0, {                 \
            words, words                                                                           \
        }                                                                                          \
    }
#define CARRY(stem, f) {.name = "v_" stem "_co_u32", carry, f, NULL, 1, {1, 1}}

static uint64_t subtract_from_3(uint64_t a, uint64_t b, uint64_t c) {
    return b - a - c;
}

#define REAL_TESTS(X)                                                                              \
    X(lt, x < y)                                                                                   \
    X(eq, x == y)                                                                                  \
    X(le, x <= y)                                                                                  \
    X(gt, x > y)                                                                                   \
    X(lg, x<y || x> y)                                                                             \
    X(ge, x >= y)                                                                                  \
    X(o, x == x && y == y)                                                                         \
    X(u, x != x || y != y)                                                                         \
    X(nge, !(x >= y))                                                                              \
    X(nlg, !(x < y || x > y))                                                                      \
    X(ngt, !(x > y))                                                                               \
    X(nle, !(x <= y))                                                                              \
    X(neq, x != y)                                                                                 \
    X(nlt, !(x < y))
#define REAL_TEST(test, expression)                                                                \
    static uint64_t real_##test(uint64_t a, uint64_t b, uint64_t c) {                              \
        float x = ht_isa_to_float(a), y = ht_isa_to_float(b);                                      \
        (void)c;                                                                                   \
        return expression;                                                                         \
    }
REAL_TESTS(REAL_TEST)
#define REAL_ROW(test, expression)                                                                 \
    {.name = "v_cmp_" #test "_f32", compare, real_##test, NULL, 0, {1, 1}, .real = true},

const ht_isa_opcode ht_isa_vector_mask_opcodes[] = {
    REAL_TESTS(REAL_ROW) COMPARE("u32", 1, _32),
    COMPARE("i32", 1, _32),
    COMPARE("u64", 2, _64),
    COMPARE("i64", 2, _64),
    ORDER("u32", 1, _32),
    ORDER("i32", 1, _signed_32),
    ORDER("u64", 2, _64),
    ORDER("i64", 2, _signed_64),
    {.name = "v_cndmask_b32", choose, NULL, NULL, 1},
    CARRY("add", ht_isa_add_3),
    CARRY("addc", ht_isa_add_3),
    CARRY("sub", ht_isa_subtract_3),
    CARRY("subb", ht_isa_subtract_3),
    CARRY("subrev", subtract_from_3),
    CARRY("subbrev", subtract_from_3),
    {.name = "v_add_co_ci_u32", carry, ht_isa_add_3, NULL, 1, {1, 1}},
    {.name = "v_sub_co_ci_u32", carry, ht_isa_subtract_3, NULL, 1, {1, 1}},
    {.name = "v_subrev_co_ci_u32", carry, subtract_from_3, NULL, 1, {1, 1}},
    {.name = "v_mad_u64_u32", multiply_add_long, ht_isa_multiply_high, NULL, 2},
    {.name = "v_mad_i64_i32", multiply_add_long, ht_isa_multiply_high_signed, NULL, 2},
    {0},
};
