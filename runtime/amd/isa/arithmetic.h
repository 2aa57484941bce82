/* The results of the integer instructions of both kinds. Sources come cut to their width; results
 * are cut by whoever keeps them. */
#ifndef HT_RUNTIME_AMD_ISA_ARITHMETIC_H
#define HT_RUNTIME_AMD_ISA_ARITHMETIC_H

#include <stdint.h>
#include <string.h>

/* X(name, expression in a, b and c) */
#define HT_ISA_FUNCTIONS(X)                                                                        \
    X(move, a)                                                                                     \
    X(invert, ~a)                                                                                  \
    X(both, a &b)                                                                                  \
    X(either, a | b)                                                                               \
    X(differ, a ^ b)                                                                               \
    X(and_not, a & ~b)                                                                             \
    X(or_not, a | ~b)                                                                              \
    X(not_both, ~(a & b))                                                                          \
    X(neither, ~(a | b))                                                                           \
    X(same, ~(a ^ b))                                                                              \
    X(add, a + b)                                                                                  \
    X(add_3, a + b + c)                                                                            \
    X(subtract, a - b)                                                                             \
    X(subtract_from, b - a)                                                                        \
    X(subtract_3, a - b - c)                                                                       \
    X(multiply, a *b)                                                                              \
    X(multiply_high, (uint64_t)(uint32_t)a *(uint32_t)b >> 32)                                     \
    X(multiply_high_signed, (uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32)                    \
    X(multiply_24, (a & 0xffffff) * (b & 0xffffff))                                                \
    X(multiply_24_signed, (uint64_t)((int64_t)ht_isa_signed(a, 24) * ht_isa_signed(b, 24)))        \
    X(multiply_add_24, (a & 0xffffff) * (b & 0xffffff) + c)                                        \
    X(multiply_add_24_signed,                                                                      \
      (uint64_t)((int64_t)ht_isa_signed(a, 24) * ht_isa_signed(b, 24)) + c)                        \
    X(shift_left_32, a << (b & 31))                                                                \
    X(shift_right_32, (uint32_t)a >> (b & 31))                                                     \
    X(shift_signed_32, (uint32_t)((int32_t)a >> (b & 31)))                                         \
    X(shift_left_64, a << (b & 63))                                                                \
    X(shift_right_64, a >> (b & 63))                                                               \
    X(shift_signed_64, (uint64_t)((int64_t)a >> (b & 63)))                                         \
    X(reversed_left_32, b << (a & 31))                                                             \
    X(reversed_right_32, (uint32_t)b >> (a & 31))                                                  \
    X(reversed_signed_32, (uint32_t)((int32_t)b >> (a & 31)))                                      \
    X(reversed_left_64, b << (a & 63))                                                             \
    X(reversed_right_64, b >> (a & 63))                                                            \
    X(reversed_signed_64, (uint64_t)((int64_t)b >> (a & 63)))                                      \
    X(least, a < b ? a : b)                                                                        \
    X(most, a > b ? a : b)                                                                         \
    X(least_signed, (int32_t)a < (int32_t)b ? a : b)                                               \
    X(most_signed, (int32_t)a > (int32_t)b ? a : b)                                                \
    X(extract, a >> (b & 31) & ((UINT64_C(1) << (c & 31)) - 1))                                    \
    X(extract_signed,                                                                              \
      (c & 31) == 0 ? 0 : (uint64_t)ht_isa_signed(a >> (b & 31), (unsigned)(c & 31)))              \
    X(insert, (a & b) | (~a & c))                                                                  \
    X(align_bits, (uint32_t)((a << 32 | (uint32_t)b) >> (c & 31)))                                 \
    X(shift_add, (a << (b & 31)) + c)                                                              \
    X(add_shift, (a + b) << (c & 31))                                                              \
    X(shift_or, (a << (b & 31)) | c)                                                               \
    X(and_or, (a & b) | c)                                                                         \
    X(or_3, a | b | c)                                                                             \
    X(xor_add, (a ^ b) + c)                                                                        \
    X(half_add, (uint16_t)(a + b))                                                                 \
    X(half_subtract, (uint16_t)(a - b))                                                            \
    X(half_multiply, (uint16_t)((a & 0xffff) * (b & 0xffff)))                                      \
    X(sign_8, (uint64_t)ht_isa_signed(a, 8))                                                       \
    X(sign_16, (uint64_t)ht_isa_signed(a, 16))                                                     \
    X(absolute, (int32_t)a < 0 ? 0 - a : a)                                                        \
    X(pack_low, (a & 0xffff) | b << 16)                                                            \
    X(bit_mask, ((UINT64_C(1) << (a & 31)) - 1) << (b & 31))                                       \
    X(shift_1_add, (a << 1) + b)                                                                   \
    X(shift_2_add, (a << 2) + b)                                                                   \
    X(shift_3_add, (a << 3) + b)                                                                   \
    X(shift_4_add, (a << 4) + b)                                                                   \
    X(equal_32, (uint32_t)a == (uint32_t)b)                                                        \
    X(differ_32, (uint32_t)a != (uint32_t)b)                                                       \
    X(less_32, (uint32_t)a < (uint32_t)b)                                                          \
    X(less_equal_32, (uint32_t)a <= (uint32_t)b)                                                   \
    X(greater_32, (uint32_t)a > (uint32_t)b)                                                       \
    X(greater_equal_32, (uint32_t)a >= (uint32_t)b)                                                \
    X(less_signed_32, (int32_t)a < (int32_t)b)                                                     \
    X(less_equal_signed_32, (int32_t)a <= (int32_t)b)                                              \
    X(greater_signed_32, (int32_t)a > (int32_t)b)                                                  \
    X(greater_equal_signed_32, (int32_t)a >= (int32_t)b)                                           \
    X(equal_64, a == b)                                                                            \
    X(differ_64, a != b)                                                                           \
    X(less_64, a < b)                                                                              \
    X(less_equal_64, a <= b)                                                                       \
    X(greater_64, a > b)                                                                           \
    X(greater_equal_64, a >= b)                                                                    \
    X(less_signed_64, (int64_t)a < (int64_t)b)                                                     \
    X(less_equal_signed_64, (int64_t)a <= (int64_t)b)                                              \
    X(greater_signed_64, (int64_t)a > (int64_t)b)                                                  \
    X(greater_equal_signed_64, (int64_t)a >= (int64_t)b)                                           \
    X(bit_clear, !(a >> (b & 31) & 1))                                                             \
    X(bit_set, a >> (b & 31) & 1)

/* The low `bits` (1 to 32) of a value, with their sign. */
static inline int64_t ht_isa_signed(uint64_t value, unsigned bits) {
    uint64_t sign = UINT64_C(1) << (bits - 1);
    value &= (sign << 1) - 1;
    return (int64_t)(value ^ sign) - (int64_t)sign;
}

/* A float32 and its bits. */
static inline float ht_isa_to_float(uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline uint64_t ht_isa_from_float(float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

#define HT_ISA_DECLARE(name, expression) uint64_t ht_isa_##name(uint64_t a, uint64_t b, uint64_t c);
HT_ISA_FUNCTIONS(HT_ISA_DECLARE)
#undef HT_ISA_DECLARE

#endif
