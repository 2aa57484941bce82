/* Runs instructions over lanes. Loops are plain so that compilers turn them into vector code. */
#include "templates/expr/code.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct lanes {
    const ht_number *a, *b, *c; /* those that are not there are others */
    ht_number *out;
    uint8_t *fault;
    size_t count;
} lanes;

#define EACH(member, value)                                                                        \
    for (size_t i = 0; i < l->count; ++i)                                                          \
        l->out[i].member = (value);                                                                \
    break
/* For operations that may have no value: `test` says whether it has one and sets `value`. A lane
 * that has failed keeps its first fault. */
#define CHECKED(test, why)                                                                         \
    for (size_t i = 0; i < l->count; ++i) {                                                        \
        int64_t a = l->a[i].whole, b = l->b[i].whole, value = 0;                                   \
        bool bad = (test);                                                                         \
        l->out[i].whole = bad ? 0 : value;                                                         \
        if (bad && !l->fault[i])                                                                   \
            l->fault[i] = (why);                                                                   \
        (void)b;                                                                                   \
    }                                                                                              \
    break
#define A l->a[i].whole
#define B l->b[i].whole
#define RA l->a[i].real
#define RB l->b[i].real

static int64_t floor_quotient(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t floor_modulo(int64_t a, int64_t b) {
    int64_t rest = a % b;
    return rest && (rest < 0) != (b < 0) ? rest + b : rest;
}

static bool bad_divisor(int64_t a, int64_t b) {
    return b == 0 || (a == INT64_MIN && b == -1);
}

static bool power(int64_t base, int64_t exponent, int64_t *out) {
    int64_t result = 1;
    if (exponent < 0)
        return true;
    while (exponent) {
        if (exponent & 1 && __builtin_mul_overflow(result, base, &result))
            return true;
        exponent >>= 1;
        if (exponent && __builtin_mul_overflow(base, base, &base))
            return true;
    }
    *out = result;
    return false;
}

static bool shift_left(int64_t a, int64_t b, int64_t *out) {
    if (b < 0 || b > 63)
        return true;
    *out = (int64_t)((uint64_t)a << b);
    return *out >> b != a;
}

static bool round_up(int64_t a, int64_t b, int64_t *out) {
    if (b <= 0)
        return true;
    int64_t rest = floor_modulo(a, b);
    *out = a;
    return rest && __builtin_add_overflow(a, b - rest, out);
}

static bool gcd(int64_t a, int64_t b, int64_t *out) {
    uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    *out = (int64_t)x;
    return x > INT64_MAX;
}

static void run_checked(ht_code_op op, const lanes *l) {
    switch (op) {
    case HT_CODE_NEGATE:
        CHECKED(__builtin_sub_overflow(0, a, &value), HT_FAULT_OVERFLOW);
    case HT_CODE_ABS:
        CHECKED(a < 0 ? __builtin_sub_overflow(0, a, &value) : (value = a, false),
                HT_FAULT_OVERFLOW);
    case HT_CODE_ADD:
        CHECKED(__builtin_add_overflow(a, b, &value), HT_FAULT_OVERFLOW);
    case HT_CODE_SUBTRACT:
        CHECKED(__builtin_sub_overflow(a, b, &value), HT_FAULT_OVERFLOW);
    case HT_CODE_MULTIPLY:
        CHECKED(__builtin_mul_overflow(a, b, &value), HT_FAULT_OVERFLOW);
    case HT_CODE_DIVIDE:
        CHECKED(bad_divisor(a, b) || (value = a / b, false),
                b ? HT_FAULT_OVERFLOW : HT_FAULT_DIVISION);
    case HT_CODE_REMAINDER:
        CHECKED(bad_divisor(a, b) || (value = a % b, false),
                b ? HT_FAULT_OVERFLOW : HT_FAULT_DIVISION);
    case HT_CODE_FLOOR_DIVIDE:
        CHECKED(bad_divisor(a, b) || (value = floor_quotient(a, b), false),
                b ? HT_FAULT_OVERFLOW : HT_FAULT_DIVISION);
    case HT_CODE_MODULO:
        CHECKED(bad_divisor(a, b) ? b == 0 : (value = floor_modulo(a, b), false),
                HT_FAULT_DIVISION);
    case HT_CODE_CEIL_DIVIDE:
        CHECKED(bad_divisor(a, b) || (value = a / b + (a % b != 0 && (a < 0) == (b < 0)), false),
                b ? HT_FAULT_OVERFLOW : HT_FAULT_DIVISION);
    case HT_CODE_POWER:
        CHECKED(power(a, b, &value), b < 0 ? HT_FAULT_DOMAIN : HT_FAULT_OVERFLOW);
    case HT_CODE_SHIFT_LEFT:
        CHECKED(shift_left(a, b, &value), b < 0 || b > 63 ? HT_FAULT_SHIFT : HT_FAULT_OVERFLOW);
    case HT_CODE_SHIFT_RIGHT:
        CHECKED(b < 0 || b > 63 || (value = a >> b, false), HT_FAULT_SHIFT);
    case HT_CODE_ROUND_UP:
        CHECKED(round_up(a, b, &value), b <= 0 ? HT_FAULT_DOMAIN : HT_FAULT_OVERFLOW);
    case HT_CODE_GCD:
        CHECKED(gcd(a, b, &value), HT_FAULT_OVERFLOW);
    case HT_CODE_LOG2:
        CHECKED(a <= 0 || (value = 63 - __builtin_clzll((unsigned long long)a), false),
                HT_FAULT_DOMAIN);
    default: /* HT_CODE_POW2 */
        CHECKED(a < 0 || a > 62 || (value = (int64_t)1 << a, false), HT_FAULT_DOMAIN);
    }
}

/* Runs operations that cannot fail; sums and products only where their ranges show that. Unsigned,
 * as lanes that failed before hold anything. */
static void run_whole(ht_code_op op, const lanes *l) {
    switch (op) {
    case HT_CODE_NEGATE:
        EACH(whole, (int64_t)-(uint64_t)A);
    case HT_CODE_ABS:
        EACH(whole, A < 0 ? (int64_t)-(uint64_t)A : A);
    case HT_CODE_ADD:
        EACH(whole, (int64_t)((uint64_t)A + (uint64_t)B));
    case HT_CODE_SUBTRACT:
        EACH(whole, (int64_t)((uint64_t)A - (uint64_t)B));
    case HT_CODE_MULTIPLY:
        EACH(whole, (int64_t)((uint64_t)A * (uint64_t)B));
    case HT_CODE_COMPLEMENT:
        EACH(whole, ~A);
    case HT_CODE_BIT_AND:
        EACH(whole, A & B);
    case HT_CODE_BIT_OR:
        EACH(whole, A | B);
    case HT_CODE_BIT_XOR:
        EACH(whole, A ^ B);
    case HT_CODE_MIN:
        EACH(whole, A < B ? A : B);
    case HT_CODE_MAX:
        EACH(whole, A > B ? A : B);
    case HT_CODE_IS_POW2:
        EACH(whole, A > 0 && !(A & (A - 1)));
    case HT_CODE_EQUAL:
        EACH(whole, A == B);
    case HT_CODE_NOT_EQUAL:
        EACH(whole, A != B);
    case HT_CODE_LESS:
        EACH(whole, A < B);
    case HT_CODE_LESS_EQUAL:
        EACH(whole, A <= B);
    case HT_CODE_NOT:
        EACH(whole, !A);
    default: /* HT_CODE_TRUTH */
        EACH(whole, A != 0);
    }
}

/* Divides as CPython's float_floor_div: from the remainder, so that both agree. */
static double floor_real_quotient(double a, double b) {
    double rest = fmod(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0))
        quotient -= 1;
    double whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
}

static double real_modulo(double a, double b) {
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static void run_real_checked(ht_code_op op, const lanes *l) {
    for (size_t i = 0; i < l->count; ++i) {
        double a = RA, b = RB, value = 0;
        ht_fault fault = HT_FAULT_NONE;
        bool divides = op == HT_CODE_REAL_DIVIDE || op == HT_CODE_REAL_FLOOR_DIVIDE ||
                       op == HT_CODE_REAL_MODULO;
        if ((divides && b == 0) || (op == HT_CODE_REAL_POWER && a == 0 && b < 0))
            fault = HT_FAULT_DIVISION;
        else if (op == HT_CODE_REAL_POWER && a < 0 && b != floor(b))
            fault = HT_FAULT_DOMAIN;
        else
            value = op == HT_CODE_REAL_ADD            ? a + b
                    : op == HT_CODE_REAL_SUBTRACT     ? a - b
                    : op == HT_CODE_REAL_MULTIPLY     ? a * b
                    : op == HT_CODE_REAL_DIVIDE       ? a / b
                    : op == HT_CODE_REAL_FLOOR_DIVIDE ? floor_real_quotient(a, b)
                    : op == HT_CODE_REAL_MODULO       ? real_modulo(a, b)
                                                      : pow(a, b);
        if (fault == HT_FAULT_NONE && !isfinite(value))
            fault = HT_FAULT_OVERFLOW;
        l->out[i].real = fault ? 0 : value;
        if (fault && !l->fault[i])
            l->fault[i] = (uint8_t)fault;
    }
}

/* Returns false past 2^53 for whole numbers that no real is equal to. */
static bool to_real(int64_t a, ht_number *out) {
    out->real = (double)a;
    return a > (int64_t)1 << 53 || a < -((int64_t)1 << 53);
}

static bool to_whole(double a, ht_number *out) {
    bool fits = a > -0x1p63 && a < 0x1p63;
    out->whole = fits ? (int64_t)a : 0;
    return !fits;
}

static void run_conversion(ht_code_op op, const lanes *l) {
    for (size_t i = 0; i < l->count; ++i) {
        bool bad = op == HT_CODE_TO_REAL ? to_real(A, &l->out[i]) : to_whole(RA, &l->out[i]);
        if (bad && !l->fault[i])
            l->fault[i] = HT_FAULT_OVERFLOW;
    }
}

static void run_real(ht_code_op op, const lanes *l) {
    switch (op) {
    case HT_CODE_TO_REAL:
    case HT_CODE_TO_WHOLE:
        run_conversion(op, l);
        break;
    case HT_CODE_REAL_NEGATE:
        EACH(real, -RA);
    case HT_CODE_REAL_ABS:
        EACH(real, fabs(RA));
    case HT_CODE_REAL_MIN:
        EACH(real, RA < RB ? RA : RB);
    case HT_CODE_REAL_MAX:
        EACH(real, RA > RB ? RA : RB);
    case HT_CODE_REAL_EQUAL:
        EACH(whole, RA == RB);
    case HT_CODE_REAL_NOT_EQUAL:
        EACH(whole, RA != RB);
    case HT_CODE_REAL_LESS:
        EACH(whole, RA < RB);
    case HT_CODE_REAL_LESS_EQUAL:
        EACH(whole, RA <= RB);
    case HT_CODE_REAL_TRUTH:
        EACH(whole, RA != 0);
    default:
        run_real_checked(op, l);
    }
}

static void run_choosing(ht_code_op op, const lanes *l) {
    switch (op) {
    case HT_CODE_BOTH:
        EACH(whole, (A != 0) & (B != 0));
    case HT_CODE_EITHER:
        EACH(whole, (A != 0) | (B != 0));
    default: /* HT_CODE_SELECT */
        EACH(whole, A ? B : l->c[i].whole);
    }
}

/* Returns the fault of operand `operand` in a lane, 0 when it cannot have any. */
static uint8_t fault_of(const uint8_t *faults, size_t lane) {
    return faults ? faults[lane] : HT_FAULT_NONE;
}

/* Collects the faults of the operands that count. */
static void gather_faults(ht_code_op op, const lanes *l, const uint8_t *const *faults) {
    for (size_t i = 0; i < l->count; ++i) {
        uint8_t fault = fault_of(faults[0], i);
        if (!fault && op == HT_CODE_SELECT)
            fault = fault_of(A ? faults[1] : faults[2], i);
        else if (!fault && (op == HT_CODE_BOTH ? A != 0 : op == HT_CODE_EITHER ? A == 0 : true))
            fault = fault_of(faults[1], i);
        l->fault[i] = fault;
    }
}

static void run_leaf(const ht_instruction *in, const uint16_t *choices, const lanes *l) {
    for (size_t i = 0; i < l->count; ++i)
        l->out[i] = in->op == HT_CODE_CHOICE ? in->values[choices[i]]
                    : in->op == HT_CODE_FAIL ? (ht_number){0}
                                             : in->constant;
    if (in->op == HT_CODE_FAIL)
        memset(l->fault, (int)in->constant.whole, l->count);
}

void ht_instruction_run(const ht_instruction *in, const uint16_t *choices, size_t count,
                        const ht_workspace *space, size_t own) {
    size_t arity = ht_code_arity(in->op);
    const ht_number *operands[3] = {space->values, space->values, space->values};
    const uint8_t *faults[3] = {0};
    for (size_t k = 0; k < 3 && arity; ++k) {
        operands[k] = space->values + in->operands[k < arity ? k : 0] * count;
        if (in->may_fault && k < arity)
            faults[k] = space->faults + in->operands[k] * count;
    }
    lanes l = {operands[0],
               operands[1],
               operands[2],
               space->values + own * count,
               space->faults + own * count,
               count};
    if (arity && in->may_fault)
        gather_faults(in->op, &l, faults);
    else
        memset(l.fault, 0, count);
    if (!arity)
        run_leaf(in, choices, &l);
    else if (in->op >= HT_CODE_BOTH)
        run_choosing(in->op, &l);
    else if (in->op >= HT_CODE_TO_REAL)
        run_real(in->op, &l);
    else if (in->op >= HT_CODE_COMPLEMENT || (in->op <= HT_CODE_MULTIPLY && !in->checked))
        run_whole(in->op, &l);
    else
        run_checked(in->op, &l);
}

void ht_routine_run(const ht_routine *routine, const uint16_t *const *choices, size_t count,
                    const ht_workspace *space) {
    for (size_t i = 0; i < routine->count; ++i) {
        const ht_instruction *in = &routine->items[i];
        ht_instruction_run(in, in->op == HT_CODE_CHOICE ? choices[in->input] : NULL, count, space,
                           i);
    }
}

ht_fault ht_routine_value(const ht_routine *routine, const uint16_t *config_choices, size_t result,
                          ht_number *out_value) {
    enum { SMALL = 128 };
    ht_number values[SMALL];
    uint8_t faults[SMALL];
    ht_workspace space = {values, faults};
    uint32_t at = routine->results[result];
    if (routine->count > SMALL)
        ht_workspace_make(routine, &space);
    for (size_t i = 0; i < routine->count; ++i) {
        const ht_instruction *in = &routine->items[i];
        const uint16_t *choice =
            in->op == HT_CODE_CHOICE ? &config_choices[routine->inputs[in->input]] : NULL;
        ht_instruction_run(in, choice, 1, &space, i);
    }
    *out_value = space.values[at];
    ht_fault fault = (ht_fault)space.faults[at];
    if (routine->count > SMALL)
        ht_workspace_free(&space);
    return fault;
}
