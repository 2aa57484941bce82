/* Arithmetic on floats, of vectors and, from gfx11.5 on, of scalars. Divisions of integers are
 * computed with floats and then corrected by the code itself, so known values must stay known, and
 * exact enough. The other floats are the kernel's data: unknown, and counted where they multiply.
 */
#include "runtime/amd/isa/arithmetic.h"
#include "runtime/amd/isa/vector.h"

#include <math.h>

#define REAL(name, expression)                                                                     \
    static uint64_t name(uint64_t a_bits, uint64_t b_bits, uint64_t c_bits) {                      \
        float a = ht_isa_to_float(a_bits), b = ht_isa_to_float(b_bits),                            \
              c = ht_isa_to_float(c_bits);                                                         \
        (void)a, (void)b, (void)c;                                                                 \
        return ht_isa_from_float(expression);                                                      \
    }
REAL(add, a + b)
REAL(subtract, a - b)
REAL(subtract_from, b - a)
REAL(multiply, a *b)
REAL(fused, fmaf(a, b, c))
REAL(multiply_add, a *b + c)
REAL(reciprocal, 1 / a)
REAL(truncated, truncf(a))
REAL(lower, floorf(a))
REAL(upper, ceilf(a))
REAL(least, fminf(a, b))
REAL(most, fmaxf(a, b))

static uint64_t from_unsigned(uint64_t a, uint64_t b, uint64_t c) {
    (void)b, (void)c;
    return ht_isa_from_float((float)(uint32_t)a);
}

static uint64_t from_signed(uint64_t a, uint64_t b, uint64_t c) {
    (void)b, (void)c;
    return ht_isa_from_float((float)(int32_t)a);
}

/* Rounds towards zero, and to the nearest number that the type has. */
static uint64_t to_unsigned(uint64_t a, uint64_t b, uint64_t c) {
    float value = ht_isa_to_float(a);
    (void)b, (void)c;
    if (!(value > 0))
        return 0;
    return value >= 4294967296.0F ? UINT32_MAX : (uint32_t)value;
}

static uint64_t to_signed(uint64_t a, uint64_t b, uint64_t c) {
    float value = ht_isa_to_float(a);
    (void)b, (void)c;
    if (isnan(value))
        return 0;
    if (value >= 2147483648.0F)
        return INT32_MAX;
    return value < -2147483648.0F ? 0x80000000U : (uint32_t)(int32_t)value;
}

#define ONE(stem, f) {.name = "v_" stem, ht_isa_vector, f, NULL, 1, {1}, .real = true}
#define TWO(stem, f) {.name = "v_" stem, ht_isa_vector, f, NULL, 1, {1, 1}, .real = true}
/* A product that is added to a third source, or to what the result's register holds. */
#define FUSED(stem, f)                                                                             \
    {.name = "v_" stem, ht_isa_vector, f, NULL, 1, {1, 1, 1}, .products = 1, .real = true}
#define ONTO(stem, f)                                                                              \
    {.name = "v_" stem,                                                                            \
     ht_isa_vector_accumulate,                                                                     \
     f,                                                                                            \
     NULL,                                                                                         \
     1,                                                                                            \
     {1, 1, 1},                                                                                    \
     .products = 1,                                                                                \
     .real = true}
/* Products of data alone. */
#define DATA(stem, words, products)                                                                \
    {.name = "v_" stem, ht_isa_vector, NULL, NULL, words, {0}, 0, products}

const ht_isa_opcode ht_isa_vector_real_opcodes[] = {
    TWO("add_f32", add),
    TWO("sub_f32", subtract),
    TWO("subrev_f32", subtract_from),
    {.name = "v_mul_f32", ht_isa_vector, multiply, NULL, 1, {1, 1}, .products = 1, .real = true},
    {.name = "v_mul_legacy_f32", ht_isa_vector, NULL, NULL, 1, .products = 1},
    TWO("min_f32", least),
    TWO("max_f32", most),
    ONE("rcp_f32", reciprocal),
    ONE("rcp_iflag_f32", reciprocal),
    ONE("trunc_f32", truncated),
    ONE("floor_f32", lower),
    ONE("ceil_f32", upper),
    ONE("cvt_u32_f32", to_unsigned),
    ONE("cvt_i32_f32", to_signed),
    {.name = "v_cvt_f32_u32", ht_isa_vector, from_unsigned, NULL, 1, {1}},
    {.name = "v_cvt_f32_i32", ht_isa_vector, from_signed, NULL, 1, {1}},
    FUSED("fma_f32", fused),
    FUSED("mad_f32", multiply_add),
    FUSED("madak_f32", multiply_add),
    FUSED("madmk_f32", multiply_add),
    FUSED("fmaak_f32", fused),
    FUSED("fmamk_f32", fused),
    ONTO("fmac_f32", fused),
    ONTO("mac_f32", multiply_add),
    DATA("pk_fma_f32", 2, 2),
    DATA("fma_f64", 2, 1),
    DATA("fmac_f64", 2, 1),
    DATA("fma_f16", 1, 1),
    DATA("fmac_f16", 1, 1),
    DATA("mac_f16", 1, 1),
    DATA("pk_fma_f16", 1, 2),
    DATA("fma_mix_f32", 1, 1),
    DATA("fma_mixlo_f16", 1, 1),
    DATA("fma_mixhi_f16", 1, 1),
    DATA("dot2_f32_f16", 1, 2),
    DATA("dot2c_f32_f16", 1, 2),
    DATA("mul_f64", 2, 1),
    DATA("mul_f16", 1, 1),
    DATA("pk_mul_f16", 1, 2),
    DATA("pk_mul_f32", 2, 2),
    DATA("pk_add_f32", 2, 0),
    {0},
};

/* Computes D = f(S0, S1) of scalar floats; with a modifier of a sign the result is unknown. */
static ht_status scalar_real(ht_wave *wave, const ht_isa_instruction *instruction,
                             ht_error *error) {
    const ht_isa_opcode *row = instruction->opcode;
    uint64_t value[2] = {0}, unknown = 0;
    for (unsigned i = 0; i < 2 && row->sources[i]; i++) {
        const ht_isa_operand *source = &instruction->operands[i + 1];
        uint64_t uncertain;
        value[i] = ht_wave_scalar(wave, source, 1, &uncertain);
        unknown |= uncertain | (source->negated || source->absolute);
    }
    if (instruction->operands[0].kind != HT_ISA_SCALAR)
        return ht_isa_refuse(instruction, error, "its result is no scalar register");
    ht_wave_scalar_set(wave, instruction->operands[0].first, 1,
                       row->function(value[0], value[1], 0), unknown ? UINT32_MAX : 0);
    return HT_OK;
}

#define SCALAR(stem, f, ...)                                                                       \
    {                                                                                              \
        .name = "s_" stem, scalar_real, f, NULL, 1, {                                              \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

const ht_isa_opcode ht_isa_scalar_real_opcodes[] = {
    SCALAR("add_f32", add, 1, 1),
    SCALAR("sub_f32", subtract, 1, 1),
    SCALAR("mul_f32", multiply, 1, 1),
    SCALAR("trunc_f32", truncated, 1),
    SCALAR("floor_f32", lower, 1),
    SCALAR("ceil_f32", upper, 1),
    SCALAR("cvt_u32_f32", to_unsigned, 1),
    SCALAR("cvt_i32_f32", to_signed, 1),
    SCALAR("cvt_f32_u32", from_unsigned, 1),
    SCALAR("cvt_f32_i32", from_signed, 1),
    {0},
};
