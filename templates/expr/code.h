/* The evaluator of both expression languages: C integer expressions of templates (code_expr.h) and
 * Python expressions of T1 files (python.h). Either front end turns its tree into typed
 * instructions without jumps; equal instructions are one, and constants are folded. A routine cut
 * out of the code computes a few results for many configurations at once. For templates/ and the
 * predictor's look-ahead.
 *
 * An operation that has no value (a division by zero, an overflow) marks its lane with a fault;
 * what depends on it has that fault too, but for the operand that `and`, `or` and ?: leave out. */
#ifndef HT_TEMPLATES_EXPR_CODE_H
#define HT_TEMPLATES_EXPR_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ht_code_type { HT_CODE_WHOLE, HT_CODE_REAL, HT_CODE_TEXT } ht_code_type;

typedef enum ht_fault {
    HT_FAULT_NONE,
    HT_FAULT_DIVISION,
    HT_FAULT_OVERFLOW,
    HT_FAULT_SHIFT,
    HT_FAULT_DOMAIN,
    HT_FAULT_NAME
} ht_fault;
/* "division by zero". */
const char *ht_fault_text(ht_fault fault);

typedef enum ht_code_op {
    /* leaves */
    HT_CODE_CONSTANT,
    HT_CODE_FAIL,   /* always a fault */
    HT_CODE_CHOICE, /* the chosen value of a parameter */
    /* whole numbers */
    HT_CODE_NEGATE,
    HT_CODE_ABS,
    HT_CODE_ADD,
    HT_CODE_SUBTRACT,
    HT_CODE_MULTIPLY,
    HT_CODE_DIVIDE,    /* towards zero, as C */
    HT_CODE_REMAINDER, /* sign of the dividend, as C */
    HT_CODE_FLOOR_DIVIDE,
    HT_CODE_MODULO, /* sign of the divisor, as Python */
    HT_CODE_POWER,
    HT_CODE_SHIFT_LEFT,
    HT_CODE_SHIFT_RIGHT,
    HT_CODE_CEIL_DIVIDE,
    HT_CODE_ROUND_UP,
    HT_CODE_GCD,
    HT_CODE_LOG2,
    HT_CODE_POW2,
    HT_CODE_COMPLEMENT,
    HT_CODE_BIT_AND,
    HT_CODE_BIT_OR,
    HT_CODE_BIT_XOR,
    HT_CODE_MIN,
    HT_CODE_MAX,
    HT_CODE_IS_POW2,
    HT_CODE_EQUAL,
    HT_CODE_NOT_EQUAL,
    HT_CODE_LESS,
    HT_CODE_LESS_EQUAL,
    HT_CODE_NOT,   /* 1 for 0, else 0 */
    HT_CODE_TRUTH, /* 0 for 0, else 1 */
    /* reals */
    HT_CODE_TO_REAL,
    HT_CODE_TO_WHOLE, /* towards zero */
    HT_CODE_REAL_NEGATE,
    HT_CODE_REAL_ABS,
    HT_CODE_REAL_ADD,
    HT_CODE_REAL_SUBTRACT,
    HT_CODE_REAL_MULTIPLY,
    HT_CODE_REAL_DIVIDE,
    HT_CODE_REAL_FLOOR_DIVIDE,
    HT_CODE_REAL_MODULO,
    HT_CODE_REAL_POWER,
    HT_CODE_REAL_MIN,
    HT_CODE_REAL_MAX,
    HT_CODE_REAL_EQUAL,
    HT_CODE_REAL_NOT_EQUAL,
    HT_CODE_REAL_LESS,
    HT_CODE_REAL_LESS_EQUAL,
    HT_CODE_REAL_TRUTH,
    /* operands left out: 0 or 1 of whole numbers; SELECT of any type */
    HT_CODE_BOTH,
    HT_CODE_EITHER,
    HT_CODE_SELECT
} ht_code_op;

typedef union ht_number {
    int64_t whole; /* also the number of a text in sorted order */
    double real;
} ht_number;

/* Between which values a result lies, and whether there may be none. Both ends are in. */
typedef struct ht_range {
    ht_number low, high;
    bool may_fault;
} ht_range;

typedef struct ht_instruction {
    uint8_t op;     /* ht_code_op */
    uint8_t type;   /* ht_code_type of the result */
    bool checked;   /* its own operation can overflow */
    bool may_fault; /* it or an operand can */
    uint32_t operands[3];
    ht_number constant; /* HT_CODE_CONSTANT; HT_CODE_FAIL: the fault */
    uint32_t input; /* HT_CODE_CHOICE: the parameter; in a routine: its place among the inputs */
    const ht_number *values; /* HT_CODE_CHOICE: by value index; owned by the code */
    size_t value_count;
    ht_range range;
    uint64_t params; /* what it depends on */
} ht_instruction;

typedef struct ht_code ht_code;

ht_code *ht_code_new(void);
void ht_code_free(ht_code *code);
size_t ht_code_size(const ht_code *code);
/* Valid until the next instruction is made. */
const ht_instruction *ht_code_at(const ht_code *code, uint32_t instruction);
/* Each returns the number of an instruction, a new one or one that is equal. */
uint32_t ht_code_whole(ht_code *code, int64_t value);
uint32_t ht_code_real(ht_code *code, double value);
uint32_t ht_code_text(ht_code *code, int64_t ordinal);
uint32_t ht_code_fail(ht_code *code, ht_fault fault);
/* One table of values by the index of a parameter's choice (< 64 parameters). The values are copied
 * once for each (param, table). */
uint32_t ht_code_choice(ht_code *code, uint32_t param, uint32_t table, ht_code_type type,
                        const ht_number *values, size_t count);
uint32_t ht_code_unary(ht_code *code, ht_code_op op, uint32_t a);
uint32_t ht_code_binary(ht_code *code, ht_code_op op, uint32_t a, uint32_t b);
uint32_t ht_code_select(ht_code *code, uint32_t condition, uint32_t a, uint32_t b);
/* Returns true if it is a constant. */
bool ht_code_constant(const ht_code *code, uint32_t instruction, ht_number *out_value);
size_t ht_code_arity(ht_code_op op);

/* code_range.c: the result's range by those of the operands. */
ht_range ht_code_range(const ht_instruction *instruction, const ht_range *operands);

/* Instructions that compute chosen results, in an order that can be run. */
typedef struct ht_routine {
    ht_instruction *items; /* owned; operands count within it */
    size_t count;
    uint32_t *inputs; /* parameters, ascending; owned */
    size_t input_count;
    uint32_t *results; /* owned */
    size_t result_count;
} ht_routine;

enum { HT_LANES = 64 };

/* Values and faults of every instruction for up to HT_LANES configurations: the lanes of
 * instruction i start at i * lanes. */
typedef struct ht_workspace {
    ht_number *values;
    uint8_t *faults; /* only of instructions that may fault */
} ht_workspace;

ht_routine *ht_routine_new(const ht_code *code, const uint32_t *results, size_t count);
void ht_routine_free(ht_routine *routine);
void ht_workspace_make(const ht_routine *routine, ht_workspace *out_space);
void ht_workspace_free(ht_workspace *space);
/* code_run.c. `choices[k]` are the value indices of input k, one for each of the `lanes`. */
void ht_routine_run(const ht_routine *routine, const uint16_t *const *choices, size_t lanes,
                    const ht_workspace *space);
/* One instruction; used by the runs above and to fold constants. */
void ht_instruction_run(const ht_instruction *instruction, const uint16_t *choices, size_t lanes,
                        const ht_workspace *space, size_t own);
/* One result for one configuration; `config_choices` by parameter. */
ht_fault ht_routine_value(const ht_routine *routine, const uint16_t *config_choices, size_t result,
                          ht_number *out_value);

#endif
