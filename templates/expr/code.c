/* Making instructions, and routines of them. */
#include "templates/expr/code.h"
#include "templates/expr/intern.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_WIDTH = 8 };

struct ht_code {
    ht_intern keys; /* of the instructions, in their order */
    ht_instruction *items;
};

const char *ht_fault_text(ht_fault fault) {
    static const char *const texts[] = {
        [HT_FAULT_NONE] = "no fault",
        [HT_FAULT_DIVISION] = "division by zero",
        [HT_FAULT_OVERFLOW] = "a number is too large",
        [HT_FAULT_SHIFT] = "a shift by less than 0 or more than 63",
        [HT_FAULT_DOMAIN] = "a power, root or logarithm of a number that has none here",
        [HT_FAULT_NAME] = "a name without a value",
    };
    return texts[fault];
}

size_t ht_code_arity(ht_code_op op) {
    switch (op) {
    case HT_CODE_CONSTANT:
    case HT_CODE_FAIL:
    case HT_CODE_CHOICE:
        return 0;
    case HT_CODE_NEGATE:
    case HT_CODE_ABS:
    case HT_CODE_LOG2:
    case HT_CODE_POW2:
    case HT_CODE_COMPLEMENT:
    case HT_CODE_IS_POW2:
    case HT_CODE_NOT:
    case HT_CODE_TRUTH:
    case HT_CODE_TO_REAL:
    case HT_CODE_TO_WHOLE:
    case HT_CODE_REAL_NEGATE:
    case HT_CODE_REAL_ABS:
    case HT_CODE_REAL_TRUTH:
        return 1;
    case HT_CODE_SELECT:
        return 3;
    default:
        return 2;
    }
}

ht_code *ht_code_new(void) {
    ht_code *code = ht_alloc(1, sizeof *code);
    code->keys.width = KEY_WIDTH;
    return code;
}

void ht_code_free(ht_code *code) {
    if (!code)
        return;
    for (uint32_t i = 0; i < code->keys.count; ++i)
        if (code->items[i].op == HT_CODE_CHOICE)
            free((void *)code->items[i].values);
    free(code->items);
    ht_intern_free(&code->keys);
    free(code);
}

size_t ht_code_size(const ht_code *code) {
    return code->keys.count;
}

const ht_instruction *ht_code_at(const ht_code *code, uint32_t instruction) {
    return &code->items[instruction];
}

bool ht_code_constant(const ht_code *code, uint32_t instruction, ht_number *out_value) {
    const ht_instruction *in = &code->items[instruction];
    if (in->op != HT_CODE_CONSTANT)
        return false;
    *out_value = in->constant;
    return true;
}

/* Returns the number of this instruction; `table` sets those apart that differ in nothing else. */
static uint32_t add(ht_code *code, const ht_instruction *in, uint32_t table, bool *out_fresh) {
    uint64_t bits;
    memcpy(&bits, &in->constant, sizeof bits);
    uint32_t key[KEY_WIDTH] = {in->op | (uint32_t)in->type << 8,
                               in->operands[0],
                               in->operands[1],
                               in->operands[2],
                               (uint32_t)bits,
                               (uint32_t)(bits >> 32),
                               in->input,
                               table};
    uint32_t number = ht_intern_put(&code->keys, key, out_fresh);
    if (*out_fresh) {
        HT_GROW(code->items, number);
        code->items[number] = *in;
    }
    return number;
}

static uint32_t add_constant(ht_code *code, ht_code_type type, ht_number value) {
    bool fresh;
    ht_instruction in = {
        .op = HT_CODE_CONSTANT, .type = type, .constant = value, .range = {value, value, false}};
    return add(code, &in, 0, &fresh);
}

uint32_t ht_code_whole(ht_code *code, int64_t value) {
    return add_constant(code, HT_CODE_WHOLE, (ht_number){.whole = value});
}

uint32_t ht_code_text(ht_code *code, int64_t ordinal) {
    return add_constant(code, HT_CODE_TEXT, (ht_number){.whole = ordinal});
}

uint32_t ht_code_real(ht_code *code, double value) {
    return add_constant(code, HT_CODE_REAL, (ht_number){.real = value});
}

uint32_t ht_code_fail(ht_code *code, ht_fault fault) {
    bool fresh;
    ht_instruction in = {.op = HT_CODE_FAIL,
                         .type = HT_CODE_WHOLE,
                         .constant = {.whole = fault},
                         .may_fault = true,
                         .range = {.may_fault = true}};
    return add(code, &in, 0, &fresh);
}

uint32_t ht_code_choice(ht_code *code, uint32_t param, uint32_t table, ht_code_type type,
                        const ht_number *values, size_t count) {
    bool fresh;
    ht_instruction in = {.op = HT_CODE_CHOICE,
                         .type = type,
                         .input = param,
                         .value_count = count,
                         .params = UINT64_C(1) << param};
    if (count == 1)
        return add_constant(code, type, values[0]);
    in.range = (ht_range){values[0], values[0], false};
    for (size_t i = 1; i < count; ++i) {
        bool real = type == HT_CODE_REAL;
        if (real ? values[i].real < in.range.low.real : values[i].whole < in.range.low.whole)
            in.range.low = values[i];
        if (real ? values[i].real > in.range.high.real : values[i].whole > in.range.high.whole)
            in.range.high = values[i];
    }
    uint32_t number = add(code, &in, table, &fresh);
    if (fresh) {
        ht_number *copy = ht_alloc(count, sizeof *copy);
        memcpy(copy, values, count * sizeof *copy);
        code->items[number].values = copy;
    }
    return number;
}

static ht_code_type result_type(const ht_code *code, const ht_instruction *in) {
    if (in->op == HT_CODE_SELECT) /* the branch that cannot but fail has no type of its own */
        return code->items[in->operands[code->items[in->operands[1]].op == HT_CODE_FAIL ? 2 : 1]]
            .type;
    bool real =
        in->op == HT_CODE_TO_REAL || (in->op >= HT_CODE_REAL_NEGATE && in->op <= HT_CODE_REAL_MAX);
    return real ? HT_CODE_REAL : HT_CODE_WHOLE;
}

/* Returns the result when all operands are constants. */
static uint32_t fold(ht_code *code, const ht_instruction *in, size_t arity) {
    ht_number values[4] = {0};
    uint8_t faults[4] = {0};
    ht_workspace space = {values, faults};
    ht_instruction local = *in;
    for (size_t k = 0; k < arity; ++k) {
        const ht_instruction *operand = &code->items[in->operands[k]];
        if (operand->op == HT_CODE_FAIL)
            faults[k] = (uint8_t)operand->constant.whole;
        else
            values[k] = operand->constant;
        local.operands[k] = (uint32_t)k;
    }
    local.may_fault = local.checked = true;
    ht_instruction_run(&local, NULL, 1, &space, 3);
    if (faults[3])
        return ht_code_fail(code, (ht_fault)faults[3]);
    return add_constant(code, in->type, values[3]);
}

static uint32_t make(ht_code *code, ht_instruction in) {
    size_t arity = ht_code_arity(in.op), constants = 0;
    ht_range ranges[3];
    bool fresh;
    in.type = (uint8_t)result_type(code, &in);
    for (size_t k = 0; k < arity; ++k) {
        const ht_instruction *operand = &code->items[in.operands[k]];
        constants += operand->op == HT_CODE_CONSTANT || operand->op == HT_CODE_FAIL;
        ranges[k] = operand->range;
        in.params |= operand->params;
    }
    /* `fails && false` stays, as it is false where its parts are evaluated one by one. */
    bool split = in.op == HT_CODE_BOTH && code->items[in.operands[0]].op == HT_CODE_FAIL;
    if (constants == arity && !split)
        return fold(code, &in, arity);
    in.range = ht_code_range(&in, ranges);
    in.may_fault = in.checked = in.range.may_fault;
    return add(code, &in, 0, &fresh);
}

uint32_t ht_code_unary(ht_code *code, ht_code_op op, uint32_t a) {
    const ht_instruction *in = &code->items[a];
    if (op == HT_CODE_TRUTH && in->type == HT_CODE_WHOLE && in->range.low.whole >= 0 &&
        in->range.high.whole <= 1)
        return a;
    return make(code, (ht_instruction){.op = op, .operands = {a}});
}

/* Shortens `and` and `or` with one side known; UINT32_MAX when that does not help. */
static uint32_t shorten(ht_code *code, ht_code_op op, uint32_t a, uint32_t b) {
    ht_number value;
    if (ht_code_constant(code, a, &value))
        return (value.whole != 0) == (op == HT_CODE_EITHER)
                   ? ht_code_whole(code, op == HT_CODE_EITHER)
                   : ht_code_unary(code, HT_CODE_TRUTH, b);
    if (code->items[a].op == HT_CODE_FAIL && op == HT_CODE_EITHER)
        return a;
    if (ht_code_constant(code, b, &value) && (value.whole != 0) == (op == HT_CODE_BOTH))
        return ht_code_unary(code, HT_CODE_TRUTH, a);
    return UINT32_MAX;
}

uint32_t ht_code_binary(ht_code *code, ht_code_op op, uint32_t a, uint32_t b) {
    uint32_t shorter = UINT32_MAX;
    if (op == HT_CODE_BOTH || op == HT_CODE_EITHER)
        shorter = shorten(code, op, a, b);
    if (shorter != UINT32_MAX)
        return shorter;
    return make(code, (ht_instruction){.op = op, .operands = {a, b}});
}

uint32_t ht_code_select(ht_code *code, uint32_t condition, uint32_t a, uint32_t b) {
    ht_number value;
    if (ht_code_constant(code, condition, &value))
        return value.whole ? a : b;
    if (code->items[condition].op == HT_CODE_FAIL)
        return condition;
    return make(code, (ht_instruction){.op = HT_CODE_SELECT, .operands = {condition, a, b}});
}

/* Marks what the results need. Operands always come before what uses them. */
static size_t mark(const ht_code *code, const uint32_t *results, size_t count, bool *needed) {
    size_t size = 0;
    for (size_t i = 0; i < count; ++i)
        needed[results[i]] = true;
    for (uint32_t i = code->keys.count; i-- > 0;) {
        if (!needed[i])
            continue;
        ++size;
        for (size_t k = 0; k < ht_code_arity(code->items[i].op); ++k)
            needed[code->items[i].operands[k]] = true;
    }
    return size;
}

ht_routine *ht_routine_new(const ht_code *code, const uint32_t *results, size_t count) {
    ht_routine *routine = ht_alloc(1, sizeof *routine);
    bool *needed = ht_alloc(code->keys.count, sizeof *needed);
    uint32_t *place = ht_alloc(code->keys.count, sizeof *place);
    uint64_t params = 0;
    routine->items = ht_alloc(mark(code, results, count, needed), sizeof *routine->items);
    for (size_t i = 0; i < count; ++i)
        params |= code->items[results[i]].params;
    routine->inputs = ht_alloc((size_t)__builtin_popcountll(params), sizeof *routine->inputs);
    for (uint64_t rest = params; rest; rest &= rest - 1)
        routine->inputs[routine->input_count++] = (uint32_t)__builtin_ctzll(rest);
    for (uint32_t i = 0; i < code->keys.count; ++i) {
        if (!needed[i])
            continue;
        ht_instruction in = code->items[i];
        if (in.op == HT_CODE_CHOICE)
            in.input = (uint32_t)__builtin_popcountll(params & ((UINT64_C(1) << in.input) - 1));
        for (size_t k = 0; k < ht_code_arity(in.op); ++k)
            in.operands[k] = place[in.operands[k]];
        place[i] = (uint32_t)routine->count;
        routine->items[routine->count++] = in;
    }
    routine->results = ht_alloc(count, sizeof *routine->results);
    routine->result_count = count;
    for (size_t i = 0; i < count; ++i)
        routine->results[i] = place[results[i]];
    free(needed);
    free(place);
    return routine;
}

void ht_routine_free(ht_routine *routine) {
    if (!routine)
        return;
    free(routine->items);
    free(routine->inputs);
    free(routine->results);
    free(routine);
}

void ht_workspace_make(const ht_routine *routine, ht_workspace *out_space) {
    out_space->values = ht_alloc(routine->count, HT_LANES * sizeof *out_space->values);
    out_space->faults = ht_alloc(routine->count, HT_LANES);
}

void ht_workspace_free(ht_workspace *space) {
    free(space->values);
    free(space->faults);
}
