#include "runtime/amd/isa/wave.h"

#include "runtime/amd/isa/arithmetic.h"

#include <string.h>

static uint64_t low_bits(unsigned words) {
    return words >= 2 ? ~UINT64_C(0) : UINT32_MAX;
}

static uint64_t double_bits(double real) {
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

/* Returns a number that stands in the instruction. */
static uint64_t constant(const ht_isa_operand *operand, unsigned words) {
    if (operand->kind == HT_ISA_REAL)
        return words >= 2 ? double_bits(operand->real) : ht_isa_from_float((float)operand->real);
    return (uint64_t)operand->integer & low_bits(words);
}

static bool is_constant(const ht_isa_operand *operand) {
    return operand->kind == HT_ISA_INTEGER || operand->kind == HT_ISA_REAL;
}

uint64_t ht_wave_scalar(const ht_wave *wave, const ht_isa_operand *operand, unsigned words,
                        uint64_t *out_unknown) {
    *out_unknown = 0;
    if (is_constant(operand))
        return constant(operand, words);
    unsigned first = operand->first;
    if (operand->kind != HT_ISA_SCALAR || first + words > HT_ISA_SCALARS) {
        *out_unknown = low_bits(words);
        return 0;
    }
    uint64_t value = wave->scalar[first];
    *out_unknown = wave->scalar_unknown[first];
    if (words >= 2) {
        value |= (uint64_t)wave->scalar[first + 1] << 32;
        *out_unknown |= (uint64_t)wave->scalar_unknown[first + 1] << 32;
    }
    return value;
}

void ht_wave_scalar_set(ht_wave *wave, unsigned first, unsigned words, uint64_t value,
                        uint64_t unknown) {
    value &= ~unknown; /* so that equal states look equal */
    if (first == HT_ISA_NULL)
        return;
    for (unsigned i = 0; i < words && first + i < HT_ISA_SCALARS; i++) {
        wave->scalar[first + i] = (uint32_t)(i < 2 ? value >> (32 * i) : 0);
        wave->scalar_unknown[first + i] = (uint32_t)(i < 2 ? unknown >> (32 * i) : UINT32_MAX);
    }
}

void ht_wave_scc_set(ht_wave *wave, bool value, bool unknown) {
    wave->scc = value && !unknown;
    wave->scc_unknown = unknown;
}

uint64_t ht_wave_lanes_unknown(const ht_wave *wave, const ht_isa_operand *operand, unsigned words) {
    if (operand->kind == HT_ISA_VECTOR) {
        if (operand->first + words > HT_ISA_VECTORS)
            return ~UINT64_C(0);
        uint64_t unknown = wave->vector_unknown[operand->first];
        return words >= 2 ? unknown | wave->vector_unknown[operand->first + 1] : unknown;
    }
    uint64_t bits;
    ht_wave_scalar(wave, operand, words, &bits);
    return bits ? ~UINT64_C(0) : 0;
}

/* Returns the part of a source that SDWA selects, and a float's modifiers. */
static uint64_t modify(const ht_isa_operand *operand, uint64_t value, bool real) {
    if (operand->part != HT_ISA_WHOLE) {
        bool byte = operand->part <= HT_ISA_BYTE_3;
        unsigned shift = byte ? 8 * (unsigned)(operand->part - HT_ISA_BYTE_0)
                              : 16 * (unsigned)(operand->part - HT_ISA_WORD_0);
        uint32_t part = (uint32_t)(value >> shift), sign = byte ? 0x80 : 0x8000;
        part &= 2 * sign - 1;
        /* With its sign bit inverted, a number less that bit's weight has its sign above. */
        value = operand->extended ? (part ^ sign) - sign : part;
    }
    if (real && operand->absolute)
        value &= 0x7fffffff;
    if (real && operand->negated)
        value ^= 0x80000000;
    return value;
}

void ht_wave_lanes(const ht_wave *wave, const ht_isa_operand *operand, unsigned words, bool real,
                   ht_isa_lanes *out_lanes) {
    bool plain =
        operand->part == HT_ISA_WHOLE && !(real && (operand->absolute || operand->negated));
    out_lanes->unknown = ht_wave_lanes_unknown(wave, operand, words);
    if (operand->kind != HT_ISA_VECTOR) {
        uint64_t bits, value = ht_wave_scalar(wave, operand, words, &bits);
        value = plain ? value : modify(operand, value, real);
        for (unsigned lane = 0; lane < HT_ISA_LANES; lane++)
            out_lanes->value[lane] = value;
        return;
    }
    if (operand->first + words > HT_ISA_VECTORS) {
        memset(out_lanes->value, 0, sizeof out_lanes->value);
        return;
    }
    const uint32_t *low = wave->vector[operand->first];
    for (unsigned lane = 0; lane < HT_ISA_LANES; lane++)
        out_lanes->value[lane] = low[lane];
    for (unsigned lane = 0; words >= 2 && lane < HT_ISA_LANES; lane++)
        out_lanes->value[lane] |= (uint64_t)wave->vector[operand->first + 1][lane] << 32;
    for (unsigned lane = 0; !plain && lane < HT_ISA_LANES; lane++)
        out_lanes->value[lane] = modify(operand, out_lanes->value[lane], real);
}

void ht_wave_lanes_set(ht_wave *wave, const ht_isa_operand *operand, unsigned words,
                       const ht_isa_lanes *lanes) {
    uint64_t exec = ht_wave_exec(wave);
    uint64_t unknown = lanes ? lanes->unknown : ~UINT64_C(0);
    if (operand->kind != HT_ISA_VECTOR)
        return;
    for (unsigned i = 0; i < words && operand->first + i < HT_ISA_VECTORS; i++) {
        unsigned at = operand->first + i;
        wave->vector_unknown[at] = (wave->vector_unknown[at] & ~exec) | (unknown & exec);
        for (unsigned lane = 0; lanes && lane < HT_ISA_LANES; lane++)
            if (exec >> lane & 1)
                wave->vector[at][lane] = (uint32_t)(i < 2 ? lanes->value[lane] >> (32 * i) : 0);
    }
}
