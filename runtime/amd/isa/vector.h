/* Shared by the files of vector instructions. */
#ifndef HT_RUNTIME_AMD_ISA_VECTOR_H
#define HT_RUNTIME_AMD_ISA_VECTOR_H

#include "runtime/amd/isa/opcode.h"

/* D = f(S0, S1, S2) in every active lane, and the same with D as the last source. Without a
 * function the result is unknown. */
ht_isa_execute ht_isa_vector, ht_isa_vector_accumulate, ht_isa_nothing;

/* f of given sources, of which `words` of each are looked at; *out_lanes has values where it is
 * known. */
void ht_isa_vector_compute(ht_wave *wave, const ht_isa_instruction *instruction,
                           const ht_isa_operand *const sources[3], const uint8_t words[3],
                           ht_isa_lanes *out_lanes);

/* Writes a result of two words of which the low one may be known alone. */
void ht_isa_vector_set_long(ht_wave *wave, const ht_isa_operand *operand, const ht_isa_lanes *low,
                            const ht_isa_lanes *whole);

#endif
