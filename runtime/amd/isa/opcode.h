/* The effects of instructions, by name. A family of instructions is one file with a table of
 * them. */
#ifndef HT_RUNTIME_AMD_ISA_OPCODE_H
#define HT_RUNTIME_AMD_ISA_OPCODE_H

#include "runtime/amd/isa/wave.h"

typedef ht_status ht_isa_execute(ht_wave *wave, const ht_isa_instruction *instruction,
                                 ht_error *error);
/* A result of up to 64 bits from up to three sources. */
typedef uint64_t ht_isa_function(uint64_t a, uint64_t b, uint64_t c);
/* The new SCC, from sources and result. */
typedef bool ht_isa_condition(uint64_t a, uint64_t b, uint64_t c, uint64_t result);

typedef struct ht_isa_opcode {
    const char *name; /* without _e32 and _e64 */
    ht_isa_execute *execute;
    ht_isa_function *function;
    ht_isa_condition *condition;
    uint8_t words;      /* of the result, or that memory moves for a lane */
    uint8_t sources[3]; /* words of each source */
    uint8_t bytes;      /* that memory moves for a lane, where it is not whole words */
    uint8_t products;   /* multiplications of data, for a lane */
    bool real;          /* sources are float32, with the sign's modifiers */
    bool rising;        /* the low word of the result comes from the low words of the sources */
    bool bitwise;       /* each bit of the result comes from the same bit of the sources */
} ht_isa_opcode;

/* Tables, each ending with a row without a name. */
extern const ht_isa_opcode ht_isa_scalar_opcodes[];
extern const ht_isa_opcode ht_isa_control_opcodes[];
extern const ht_isa_opcode ht_isa_vector_opcodes[];
extern const ht_isa_opcode ht_isa_vector_real_opcodes[];
extern const ht_isa_opcode ht_isa_scalar_real_opcodes[];
extern const ht_isa_opcode ht_isa_vector_mask_opcodes[];
extern const ht_isa_opcode ht_isa_memory_opcodes[];
extern const ht_isa_opcode ht_isa_local_opcodes[];

/* NULL when no table has it. `name` may have the suffix of an encoding. */
const ht_isa_opcode *ht_isa_opcode_find(const char *name);

/* Executes an instruction without a row: its result is unknown. One that may do more than write its
 * first operand is HT_ERROR_UNSUPPORTED. */
ht_status ht_isa_execute_unknown(ht_wave *wave, const ht_isa_instruction *instruction,
                                 ht_error *error);

/* The error of an instruction that cannot be followed: names it and where it stands. */
ht_status ht_isa_refuse(const ht_isa_instruction *instruction, ht_error *error, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

#endif
