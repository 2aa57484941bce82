/* Puts a problem's numbers into the rules: constants are folded, operands that do not matter are
 * dropped, comparisons that the ranges decide are decided. */
#include "predictor/rules/completion_plan.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void ht_problem_rules_make(const ht_rules *rules, ht_problem_rules *out) {
    size_t count = rules->count ? rules->count : 1;
    *out = (ht_problem_rules){.steps = ht_alloc(count, sizeof *out->steps),
                              .same = ht_alloc(count, sizeof *out->same),
                              .ranges = ht_alloc(count, sizeof *out->ranges),
                              .levels = ht_alloc(count, sizeof *out->levels),
                              .params = ht_alloc(count, sizeof *out->params),
                              .values = ht_alloc(count, sizeof *out->values),
                              .faults = ht_alloc(count, sizeof *out->faults)};
}

void ht_problem_rules_free(ht_problem_rules *problem) {
    free(problem->steps);
    free(problem->same);
    free(problem->ranges);
    free(problem->levels);
    free(problem->params);
    free(problem->values);
    free(problem->faults);
}

static void set_constant(ht_problem_rules *p, uint32_t i, int64_t value, uint8_t fault) {
    ht_number number = {.whole = fault ? 0 : value};
    p->values[i] = number;
    p->faults[i] = fault;
    p->levels[i] = 0;
    p->params[i] = 0;
    p->ranges[i] = (ht_range){number, number, fault != 0};
}

static void start_leaf(const ht_rules *rules, const int64_t *fields, const ht_instruction *in,
                       uint32_t i, ht_problem_rules *p) {
    if (in->op == HT_CODE_CONSTANT) {
        set_constant(p, i, in->constant.whole, HT_FAULT_NONE);
    } else if (in->op == HT_CODE_FAIL) {
        set_constant(p, i, 0, (uint8_t)in->constant.whole);
    } else if (in->input >= rules->param_count) {
        set_constant(p, i, fields[rules->field_inputs[in->input - rules->param_count]],
                     HT_FAULT_NONE);
    } else {
        p->levels[i] = (uint8_t)(in->input + 1);
        p->params[i] = UINT64_C(1) << in->input;
        p->ranges[i] = in->range;
    }
}

static bool constant(const ht_problem_rules *p, uint32_t i) {
    return !p->levels[i];
}

static bool is_number(const ht_problem_rules *p, uint32_t i, int64_t value) {
    return constant(p, i) && !p->faults[i] && p->values[i].whole == value;
}

static bool is_truth(const ht_problem_rules *p, uint32_t i) {
    return p->ranges[i].low.whole >= 0 && p->ranges[i].high.whole <= 1;
}

/* Makes instruction i stand for the truth of another. */
static uint32_t truth_of(ht_problem_rules *p, uint32_t i, uint32_t other) {
    if (is_truth(p, other))
        return other;
    p->steps[i] = (ht_step){.op = HT_CODE_TRUTH, .own = i, .operands = {other, other, other}};
    return i;
}

/* Shortens and, or, ?: with a known side. Returns i when that does not help. */
static uint32_t shorten_choice(ht_problem_rules *p, uint32_t i) {
    const ht_step step = p->steps[i];
    uint32_t a = step.operands[0], b = step.operands[1];
    bool both = step.op == HT_CODE_BOTH;
    if (constant(p, a)) {
        bool holds = p->values[a].whole != 0;
        if (p->faults[a])
            return a;
        if (step.op == HT_CODE_SELECT)
            return step.operands[holds ? 1 : 2];
        if (holds == both)
            return truth_of(p, i, b);
        set_constant(p, i, holds, HT_FAULT_NONE);
    } else if (step.op != HT_CODE_SELECT && constant(p, b) && !p->faults[b] &&
               (p->values[b].whole != 0) == both) {
        return truth_of(p, i, a);
    }
    return i;
}

/* Shortens x * 1, x + 0, x / 1 and the like. */
static uint32_t shorten_sum(const ht_problem_rules *p, uint32_t i) {
    uint32_t a = p->steps[i].operands[0], b = p->steps[i].operands[1];
    switch (p->steps[i].op) {
    case HT_CODE_MULTIPLY:
        return is_number(p, a, 1) ? b : is_number(p, b, 1) ? a : i;
    case HT_CODE_ADD:
        return is_number(p, a, 0) ? b : is_number(p, b, 0) ? a : i;
    case HT_CODE_SUBTRACT:
        return is_number(p, b, 0) ? a : i;
    case HT_CODE_DIVIDE:
    case HT_CODE_CEIL_DIVIDE:
        return is_number(p, b, 1) ? a : i;
    default:
        return i;
    }
}

/* Folds instruction i where operands or ranges decide it. */
static void fold(ht_problem_rules *p, uint32_t i) {
    const ht_step *step = &p->steps[i];
    size_t arity = ht_code_arity((ht_code_op)step->op), constants = 0;
    ht_range ranges[3];
    uint64_t params = 0;
    uint8_t level = 0;
    for (size_t k = 0; k < arity; ++k) {
        uint32_t operand = step->operands[k];
        if (constant(p, operand) && p->faults[operand] && step->op < HT_CODE_BOTH) {
            set_constant(p, i, 0, p->faults[operand]);
            return;
        }
        constants += constant(p, operand);
        ranges[k] = p->ranges[operand];
        params |= p->params[operand];
        level = level > p->levels[operand] ? level : p->levels[operand];
    }
    if (constants == arity) {
        ht_step_run(step, p->values, p->faults);
        set_constant(p, i, p->values[i].whole, p->faults[i]);
        return;
    }
    ht_instruction in = {.op = step->op, .type = HT_CODE_WHOLE};
    ht_range range = ht_code_range(&in, ranges);
    if (!range.may_fault && range.low.whole == range.high.whole) {
        set_constant(p, i, range.low.whole, HT_FAULT_NONE);
        return;
    }
    p->ranges[i] = range;
    p->params[i] = params;
    p->levels[i] = level;
}

void ht_problem_rules_start(const ht_rules *rules, const int64_t *fields, ht_problem_rules *p) {
    for (uint32_t i = 0; i < rules->count; ++i) {
        const ht_instruction *in = ht_code_at(rules->code, i);
        size_t arity = ht_code_arity((ht_code_op)in->op);
        p->same[i] = i;
        p->steps[i] = (ht_step){.op = in->op, .own = i};
        if (!arity) {
            start_leaf(rules, fields, in, i, p);
            continue;
        }
        for (size_t k = 0; k < 3; ++k)
            p->steps[i].operands[k] = p->same[in->operands[k < arity ? k : 0]];
        p->levels[i] = UINT8_MAX; /* not known yet */
        uint32_t same = in->op >= HT_CODE_BOTH ? shorten_choice(p, i) : shorten_sum(p, i);
        p->same[i] = same;
        if (same == i && p->levels[i])
            fold(p, i);
    }
}
