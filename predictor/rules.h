/* A schema's expressions as instructions: one list for all of them, equal ones shared. Made once;
 * completion_plan.c cuts out what one problem leaves of them. Private to rules and completion. */
#ifndef HT_PREDICTOR_RULES_H
#define HT_PREDICTOR_RULES_H

#include "predictor/completion.h"
#include "templates/code.h"

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

/* As ht_instruction_run for one lane, but quick: the look-ahead spends its time here. */
static inline void ht_step_run(const ht_step *step, ht_number *values, uint8_t *faults) {
    const ht_number *x = &values[step->operands[0]], *y = &values[step->operands[1]];
    uint8_t fault = faults[step->operands[0]] | faults[step->operands[1]];
    ht_number *out = &values[step->own];
    int64_t result = 0;
    if (fault)
        goto slow;
    switch (step->op) {
    case HT_CODE_ADD:
        if (__builtin_add_overflow(x->whole, y->whole, &result))
            goto slow;
        break;
    case HT_CODE_SUBTRACT:
        if (__builtin_sub_overflow(x->whole, y->whole, &result))
            goto slow;
        break;
    case HT_CODE_MULTIPLY:
        if (__builtin_mul_overflow(x->whole, y->whole, &result))
            goto slow;
        break;
    case HT_CODE_DIVIDE:
    case HT_CODE_REMAINDER: {
        int64_t a = x->whole, b = y->whole;
        if (a < 0 || b <= 0)
            goto slow;
        if ((a | b) >> 32) /* the narrow division is much quicker */
            result = step->op == HT_CODE_DIVIDE ? a / b : a % b;
        else
            result =
                step->op == HT_CODE_DIVIDE ? (uint32_t)a / (uint32_t)b : (uint32_t)a % (uint32_t)b;
        break;
    }
    case HT_CODE_MIN:
        result = x->whole < y->whole ? x->whole : y->whole;
        break;
    case HT_CODE_MAX:
        result = x->whole > y->whole ? x->whole : y->whole;
        break;
    case HT_CODE_EQUAL:
        result = x->whole == y->whole;
        break;
    case HT_CODE_NOT_EQUAL:
        result = x->whole != y->whole;
        break;
    case HT_CODE_LESS:
        result = x->whole < y->whole;
        break;
    case HT_CODE_LESS_EQUAL:
        result = x->whole <= y->whole;
        break;
    case HT_CODE_BOTH:
        result = (x->whole != 0) & (y->whole != 0);
        break;
    case HT_CODE_EITHER:
        result = (x->whole != 0) | (y->whole != 0);
        break;
    default:
        goto slow;
    }
    out->whole = result;
    faults[step->own] = HT_FAULT_NONE;
    return;
slow: {
    ht_instruction in = {.op = step->op, .type = HT_CODE_WHOLE, .checked = true, .may_fault = true};
    for (size_t k = 0; k < 3; ++k)
        in.operands[k] = step->operands[k];
    ht_instruction_run(&in, NULL, 1, &(ht_workspace){values, faults}, step->own);
    if (faults[step->own])
        out->whole = 0;
}
}

#endif
