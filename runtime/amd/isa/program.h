/* The instructions of a compiled kernel, as a disassembler prints them (gfx9, gfx10): one line of
 * text to one instruction. Text comes from outside, so nothing in it is trusted. */
#ifndef HT_RUNTIME_AMD_ISA_PROGRAM_H
#define HT_RUNTIME_AMD_ISA_PROGRAM_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Scalar registers by the numbers that the hardware gives them; vector registers 0 to 255, then the
 * accumulation registers. */
enum {
    HT_ISA_VCC = 106,
    HT_ISA_TTMP = 108, /* of the trap handler; those of gfx12 have the block's indices */
    HT_ISA_M0 = 124,
    HT_ISA_NULL = 125, /* from gfx10: reads 0, drops what is written */
    HT_ISA_EXEC = 126,
    HT_ISA_SCALARS = 128,
    HT_ISA_ACCUMULATORS = 256,
    HT_ISA_VECTORS = 512,
    HT_ISA_OPERANDS_MAX = 6,
    HT_ISA_ANY = 255
};

typedef enum ht_isa_kind {
    HT_ISA_NONE,
    HT_ISA_SCALAR,
    HT_ISA_VECTOR,
    HT_ISA_INTEGER, /* `integer`, signed where it was written in decimals */
    HT_ISA_REAL,    /* `real`; its bits depend on the instruction's type */
    HT_ISA_OFF,     /* no address register */
    HT_ISA_OTHER    /* what only a few instructions have: counters, hardware registers */
} ht_isa_kind;

/* A part of a source register that takes part: an SDWA selection. */
typedef enum ht_isa_part {
    HT_ISA_WHOLE,
    HT_ISA_BYTE_0,
    HT_ISA_BYTE_1,
    HT_ISA_BYTE_2,
    HT_ISA_BYTE_3,
    HT_ISA_WORD_0,
    HT_ISA_WORD_1
} ht_isa_part;

typedef struct ht_isa_operand {
    ht_isa_kind kind;
    uint16_t first; /* register */
    uint8_t words;  /* registers, at least 1 */
    bool negated, absolute, extended;
    ht_isa_part part;
    int64_t integer;
    double real;
} ht_isa_operand;

/* The part of a unit that is busy with an instruction. */
typedef enum ht_isa_class {
    HT_ISA_FREE, /* waits, hints, barriers */
    HT_ISA_VECTOR_FULL,
    HT_ISA_VECTOR_SLOW, /* a quarter of the rate */
    HT_ISA_VECTOR_DOUBLE,
    HT_ISA_MATRIX,
    HT_ISA_SCALAR_UNIT, /* and branches */
    HT_ISA_SCALAR_LOAD,
    HT_ISA_LOCAL, /* LDS, exchanges between lanes */
    HT_ISA_MEMORY,
    HT_ISA_SCRATCH
} ht_isa_class;

struct ht_isa_opcode; /* opcode.h */

typedef struct ht_isa_instruction {
    uint64_t address;
    char *text; /* owned */
    char name[32];
    const struct ht_isa_opcode *opcode; /* NULL: none is known by this name */
    ht_isa_operand operands[HT_ISA_OPERANDS_MAX];
    size_t operand_count;
    int64_t offset[2]; /* offset:, or offset0: and offset1: */
    uint8_t select;    /* op_sel, a bit a source */
    bool unusual;      /* a modifier that changes what is computed and is not modelled */
    size_t target;     /* of a branch: index of an instruction */
    ht_isa_class class;
    bool store;     /* to memory or scratch */
    uint8_t cycles; /* of a matrix instruction */
    /* Of a wait: how many accesses to memory, and to LDS or by scalar loads, may be left;
     * HT_ISA_ANY for any number. */
    uint8_t left_memory, left_local;
} ht_isa_instruction;

typedef struct ht_isa_program {
    ht_isa_instruction *instructions; /* owned */
    size_t count;
} ht_isa_program;

/* Adds the instruction at `address`, which must be higher than those before. Text that is no
 * instruction is HT_ERROR_INPUT with the text. */
ht_status ht_isa_program_add(ht_isa_program *program, uint64_t address, const char *text,
                             ht_error *error);
/* Finds where branches lead; one that leads out of the program is HT_ERROR_INPUT. */
ht_status ht_isa_program_link(ht_isa_program *program, ht_error *error);
/* A listing: an instruction a line, 4 bytes each, from address 0; empty lines and what follows //
 * do not count. Links it. */
ht_status ht_isa_program_parse(const char *listing, ht_isa_program *out_program, ht_error *error);
/* Index of the instruction at `address`; `count` when none begins there. */
size_t ht_isa_program_find(const ht_isa_program *program, uint64_t address);
void ht_isa_program_free(ht_isa_program *program);

#endif
