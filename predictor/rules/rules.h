/* A schema's expressions as instructions: one list for all of them, equal ones shared. Made once;
 * completion_plan.c cuts out what one problem leaves of them. Private to rules and completion. */
#ifndef HT_PREDICTOR_RULES_RULES_H
#define HT_PREDICTOR_RULES_RULES_H

#include "predictor/rules/completion.h"
#include "templates/expr/code.h"

#include <string.h>

/* Parameters and the fields that rules name are the inputs of the instructions: parameter p is
 * input p, field_inputs[j] is input param_count + j. */
enum { HT_RULES_INPUTS_MAX = 64 };
/* Instructions times ways of being legal: what a completion holds numbers of. */
enum { HT_RULES_SIZE_MAX = 1 << 20 };
#define HT_RULES_NONE UINT32_MAX

/* One operation of one configuration. Operands and the result are places in `values` and `faults`.
 */
typedef struct ht_step {
    uint8_t op;
    bool root; /* a condition: the search goes back where it does not hold */
    uint32_t own, operands[3];
} ht_step;

enum { HT_RULES_NUMBER, HT_RULES_SIZE };

typedef struct ht_rules_canonical {
    uint32_t param, root;
    uint32_t *steps; /* what the root needs, in an order that can be run; owned */
    size_t step_count;
} ht_rules_canonical;

struct ht_rules {
    const ht_schema *schema;
    ht_code *code;
    size_t count;   /* instructions */
    ht_step *steps; /* of all of them */
    /* The instructions that are a parameter's number (0) and the size of its type (1). */
    uint32_t choices[HT_PARAM_MAX][2];
    size_t param_count, input_count;
    uint32_t field_inputs[HT_RULES_INPUTS_MAX]; /* index of the field */
    uint32_t *requires;                         /* by requirement; HT_RULES_NONE: left out */
    size_t require_count;
    uint32_t *admits;
    size_t admit_count;
    ht_rules_canonical *canonicals;
    size_t canonical_count;
};

/* Of numbers that are not negative; the narrow division is much quicker. */
static inline bool ht_step_divide(uint8_t op, int64_t a, int64_t b, int64_t *out) {
    int64_t quotient;
    if (a < 0 || b <= 0)
        return false;
    if ((a | b) >> 32)
        quotient = a / b;
    else
        quotient = (uint32_t)a / (uint32_t)b;
    int64_t rest = a - quotient * b;
    *out = op == HT_CODE_REMAINDER ? rest : quotient + (op == HT_CODE_CEIL_DIVIDE && rest);
    return true;
}

/* The usual operations on usual numbers; false for the rest. */
static inline bool ht_step_quick(uint8_t op, int64_t a, int64_t b, int64_t *out) {
    switch (op) {
    case HT_CODE_ADD:
        return !__builtin_add_overflow(a, b, out);
    case HT_CODE_SUBTRACT:
        return !__builtin_sub_overflow(a, b, out);
    case HT_CODE_MULTIPLY:
        return !__builtin_mul_overflow(a, b, out);
    case HT_CODE_DIVIDE:
    case HT_CODE_REMAINDER:
    case HT_CODE_CEIL_DIVIDE:
        return ht_step_divide(op, a, b, out);
    case HT_CODE_MIN:
        *out = a < b ? a : b;
        return true;
    case HT_CODE_MAX:
        *out = a > b ? a : b;
        return true;
    case HT_CODE_EQUAL:
        *out = a == b;
        return true;
    case HT_CODE_NOT_EQUAL:
        *out = a != b;
        return true;
    case HT_CODE_LESS:
        *out = a < b;
        return true;
    case HT_CODE_LESS_EQUAL:
        *out = a <= b;
        return true;
    case HT_CODE_BOTH:
        *out = a && b;
        return true;
    case HT_CODE_EITHER:
        *out = a || b;
        return true;
    case HT_CODE_NOT:
        *out = !a;
        return true;
    default:
        return false;
    }
}

/* As ht_instruction_run for one lane, but quick: the look-ahead spends its time here. */
static inline void ht_step_run(const ht_step *step, ht_number *values, uint8_t *faults) {
    int64_t result;
    if (step->op == HT_CODE_SELECT && !faults[step->operands[0]]) {
        uint32_t chosen = step->operands[values[step->operands[0]].whole ? 1 : 2];
        values[step->own] = values[chosen];
        faults[step->own] = faults[chosen];
        return;
    }
    if (!faults[step->operands[0]] && !faults[step->operands[1]] &&
        ht_step_quick(step->op, values[step->operands[0]].whole, values[step->operands[1]].whole,
                      &result)) {
        values[step->own].whole = result;
        faults[step->own] = HT_FAULT_NONE;
        return;
    }
    ht_instruction in = {.op = step->op, .type = HT_CODE_WHOLE, .checked = true, .may_fault = true};
    memcpy(in.operands, step->operands, sizeof in.operands);
    ht_instruction_run(&in, NULL, 1, &(ht_workspace){values, faults}, step->own);
    if (faults[step->own])
        values[step->own].whole = 0;
}

#endif
