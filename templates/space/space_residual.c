#include "templates/space/space_constraint.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = HT_CONDITION_FAULT + 1 /* residuals before the first real one */, UNSTAGED = -1 };

/* How residuals are made without a table. Every instruction has the stage at which its last
 * parameter is chosen; a residual is the values of those that later ones use. */
struct ht_residual_maker {
    const ht_routine *routine;
    int *stage_of;        /* of instructions; UNSTAGED for constants */
    size_t *stage_inputs; /* of stages: the routine's input that is chosen there */
    uint32_t **cuts;      /* of stages: the instructions before it that matter from it on */
    size_t *cut_counts;
    ht_intern *sets;    /* of stages: 3 words for each of its cut: value, value, fault */
    uint32_t **numbers; /* of stages: residual by number in the set */
    uint32_t *rows;     /* of residuals: number in the set of their stage */
    ht_workspace space; /* of one lane */
    ht_range *ranges;
    bool *needed;
    size_t stages;
};

static uint32_t residual_add(ht_residuals *r, size_t width, uint32_t fill) {
    HT_GROW(r->first, r->count);
    r->first[r->count] = r->child_count;
    if (r->child_capacity < r->child_count + width) {
        r->child_capacity = 2 * (r->child_count + width);
        r->children = ht_realloc(r->children, r->child_capacity, sizeof *r->children);
    }
    for (size_t v = 0; v < width; ++v)
        r->children[r->child_count++] = fill;
    return (uint32_t)r->count++;
}

/* Returns the residual of a row of residuals; rows that say one thing of all values are that
 * verdict. */
static uint32_t row_add(ht_residuals *r, ht_intern *set, uint32_t **numbers, const uint32_t *row) {
    bool same = row[0] < NONE, fresh;
    for (size_t v = 1; same && v < set->width; ++v)
        same = row[v] == row[0];
    if (same)
        return row[0];
    uint32_t number = ht_intern_put(set, row, &fresh);
    if (fresh || !*numbers) {
        HT_GROW(*numbers, number);
        uint32_t made = residual_add(r, set->width, 0);
        memcpy(r->children + r->first[made], row, set->width * sizeof *row);
        (*numbers)[number] = made;
    }
    return (*numbers)[number];
}

/* Copies the table in the order of the residuals. */
static uint32_t *table_ordered(const ht_residuals *r, size_t size) {
    const ht_space_constraint *constraint = r->constraint;
    size_t scope = constraint->scope_count, strides[HT_PARAM_MAX] = {0}, choice[HT_PARAM_MAX] = {0};
    uint32_t *out = ht_alloc(size, sizeof *out);
    for (size_t k = 0; k < scope; ++k)
        for (size_t j = 0; j < scope; ++j)
            if (constraint->scope[j] == r->params[k])
                strides[k] = constraint->strides[j];
    size_t at = 0;
    for (size_t i = 0; i < size; ++i) {
        out[i] = constraint->table[at];
        for (size_t k = scope; k-- > 0;) {
            at += strides[k];
            if (++choice[k] < r->widths[k])
                break;
            at -= r->widths[k] * strides[k];
            choice[k] = 0;
        }
    }
    return out;
}

/* Makes residuals from the last parameter to the first: rows of what the next stage made. */
static void from_table(ht_residuals *r) {
    size_t size = 1;
    for (size_t k = 0; k < r->constraint->scope_count; ++k)
        size *= r->widths[k];
    uint32_t *now = table_ordered(r, size);
    for (size_t k = r->constraint->scope_count; k-- > 0;) {
        ht_intern set = {.width = r->widths[k]};
        uint32_t *numbers = NULL;
        size /= r->widths[k];
        for (size_t i = 0; i < size; ++i)
            now[i] = row_add(r, &set, &numbers, now + i * r->widths[k]);
        ht_intern_free(&set);
        free(numbers);
    }
    r->root = now[0];
    free(now);
}

static void stages_make(ht_residuals *r, ht_residual_maker *m) {
    const ht_routine *routine = m->routine;
    for (size_t k = 0; k < m->stages; ++k)
        for (size_t j = 0; j < routine->input_count; ++j)
            if (routine->inputs[j] == r->params[k])
                m->stage_inputs[k] = j;
    for (size_t i = 0; i < routine->count; ++i) {
        m->stage_of[i] = UNSTAGED;
        for (size_t k = 0; k < m->stages; ++k)
            if (routine->items[i].params >> r->params[k] & 1)
                m->stage_of[i] = (int)k;
    }
}

/* Returns true if instruction i, of an earlier stage, is used from `stage` on. */
static bool is_cut(const ht_residual_maker *m, size_t i, size_t stage) {
    if (m->stage_of[i] == UNSTAGED || m->stage_of[i] >= (int)stage)
        return false;
    for (size_t j = i + 1; j < m->routine->count; ++j) {
        const ht_instruction *in = &m->routine->items[j];
        for (size_t k = 0; m->stage_of[j] >= (int)stage && k < ht_code_arity(in->op); ++k)
            if (in->operands[k] == i)
                return true;
    }
    return false;
}

static void cuts_make(ht_residual_maker *m) {
    for (size_t stage = 0; stage < m->stages; ++stage) {
        for (size_t i = 0; i < m->routine->count; ++i)
            if (is_cut(m, i, stage)) {
                HT_GROW(m->cuts[stage], m->cut_counts[stage]);
                m->cuts[stage][m->cut_counts[stage]++] = (uint32_t)i;
            }
        m->sets[stage].width = 3 * m->cut_counts[stage];
    }
    for (size_t i = 0; i < m->routine->count; ++i)
        if (m->stage_of[i] == UNSTAGED)
            ht_instruction_run(&m->routine->items[i], NULL, 1, &m->space, i);
}

static void from_expression(ht_residuals *r) {
    ht_residual_maker *m = ht_alloc(1, sizeof *m);
    m->routine = r->constraint->routine;
    m->stages = r->constraint->scope_count;
    m->stage_of = ht_alloc(m->routine->count, sizeof *m->stage_of);
    m->stage_inputs = ht_alloc(m->stages, sizeof *m->stage_inputs);
    m->cuts = ht_alloc(m->stages, sizeof *m->cuts);
    m->cut_counts = ht_alloc(m->stages, sizeof *m->cut_counts);
    m->sets = ht_alloc(m->stages, sizeof *m->sets);
    m->numbers = ht_alloc(m->stages, sizeof *m->numbers);
    m->ranges = ht_alloc(m->routine->count, sizeof *m->ranges);
    m->needed = ht_alloc(m->routine->count, sizeof *m->needed);
    ht_workspace_make(m->routine, &m->space);
    r->maker = m;
    stages_make(r, m);
    cuts_make(m);
    r->root = residual_add(r, r->widths[0], (uint32_t)HT_RESIDUAL_UNKNOWN);
    for (uint32_t i = 0; i < r->count; ++i) {
        HT_GROW(m->rows, i);
        m->rows[i] = 0; /* the root's set has no words */
    }
}

void ht_residuals_make(const ht_space_constraint *constraint, const ht_space_model *model,
                       const uint32_t *rank, ht_residuals *out) {
    *out = (ht_residuals){.constraint = constraint};
    size_t scope = constraint->scope_count;
    out->params = ht_alloc(scope, sizeof *out->params);
    out->widths = ht_alloc(scope, sizeof *out->widths);
    for (size_t k = 0; k < scope; ++k) {
        size_t at = 0;
        for (size_t j = 0; j < scope; ++j)
            at += rank[constraint->scope[j]] < rank[constraint->scope[k]];
        out->params[at] = constraint->scope[k];
        out->widths[at] = model->dimensions[constraint->scope[k]].value_count;
    }
    for (int verdict = 0; verdict < NONE; ++verdict)
        residual_add(out, 0, 0);
    if (!scope)
        out->root = (uint32_t)ht_space_constraint_check(constraint, NULL);
    else if (constraint->table)
        from_table(out);
    else
        from_expression(out);
}

void ht_residuals_free(ht_residuals *r) {
    ht_residual_maker *m = r->maker;
    for (size_t k = 0; m && k < m->stages; ++k) {
        free(m->cuts[k]);
        free(m->numbers[k]);
        ht_intern_free(&m->sets[k]);
    }
    if (m) {
        free(m->stage_of);
        free(m->stage_inputs);
        free(m->cuts);
        free(m->cut_counts);
        free(m->sets);
        free(m->numbers);
        free(m->rows);
        free(m->ranges);
        free(m->needed);
        ht_workspace_free(&m->space);
        free(m);
    }
    free(r->params);
    free(r->widths);
    free(r->children);
    free(r->first);
    *r = (ht_residuals){0};
}

/* Returns true if ranges show that the result is the same whatever is still to be chosen. */
static bool decided(ht_residual_maker *m, size_t stage, uint32_t *out_verdict) {
    const ht_routine *routine = m->routine;
    ht_range operands[3];
    for (size_t i = 0; i < routine->count; ++i) {
        const ht_instruction *in = &routine->items[i];
        if (m->stage_of[i] <= (int)stage) {
            m->ranges[i] =
                (ht_range){m->space.values[i], m->space.values[i], m->space.faults[i] != 0};
            continue;
        }
        for (size_t k = 0; k < ht_code_arity(in->op); ++k)
            operands[k] = m->ranges[in->operands[k]];
        m->ranges[i] = in->op == HT_CODE_CHOICE ? in->range : ht_code_range(in, operands);
    }
    ht_range result = m->ranges[routine->results[0]];
    if (result.may_fault || (result.low.whole <= 0 && result.high.whole > 0))
        return false;
    *out_verdict = result.low.whole > 0 ? HT_CONDITION_TRUE : HT_CONDITION_FALSE;
    return true;
}

/* Returns true if an instruction leaves operand k out, given what is known after `stage`. */
static bool left_out(const ht_residual_maker *m, const ht_instruction *in, size_t k, size_t stage) {
    uint32_t first = in->operands[0];
    if (in->op < HT_CODE_BOTH || k == 0 || m->stage_of[first] > (int)stage)
        return false;
    bool truth = m->space.values[first].whole != 0;
    return m->space.faults[first] || (in->op == HT_CODE_BOTH     ? !truth
                                      : in->op == HT_CODE_EITHER ? truth
                                                                 : truth != (k == 1));
}

/* Marks what the result will need, of the instructions up to `stage`. Operands come before what
 * uses them, so that one pass from the end does. */
static void mark_needed(ht_residual_maker *m, size_t stage) {
    memset(m->needed, 0, m->routine->count * sizeof *m->needed);
    m->needed[m->routine->results[0]] = true;
    for (size_t i = m->routine->count; i-- > 0;) {
        const ht_instruction *in = &m->routine->items[i];
        for (size_t k = 0; m->needed[i] && m->stage_of[i] > (int)stage && k < ht_code_arity(in->op);
             ++k)
            if (!left_out(m, in, k, stage))
                m->needed[in->operands[k]] = true;
    }
}

/* Returns the residual of the values that are needed after `stage`. */
static uint32_t intern_values(ht_residuals *r, ht_residual_maker *m, size_t stage) {
    size_t next = stage + 1, count = m->cut_counts[next];
    uint32_t *key = ht_alloc(3 * count, sizeof *key);
    bool fresh;
    mark_needed(m, stage);
    for (size_t k = 0; k < count; ++k) {
        uint32_t i = m->cuts[next][k];
        if (!m->needed[i])
            continue;
        memcpy(key + 3 * k, &m->space.values[i], sizeof m->space.values[i]);
        key[3 * k + 2] = m->space.faults[i];
    }
    uint32_t number = ht_intern_put(&m->sets[next], key, &fresh);
    free(key);
    if (fresh) {
        uint32_t made = residual_add(r, r->widths[next], (uint32_t)HT_RESIDUAL_UNKNOWN);
        HT_GROW(m->numbers[next], number);
        m->numbers[next][number] = made;
        HT_GROW(m->rows, made);
        m->rows[made] = number;
    }
    return m->numbers[next][number];
}

static uint32_t compute_next(ht_residuals *r, uint32_t residual, size_t stage, size_t value) {
    ht_residual_maker *m = r->maker;
    const ht_routine *routine = m->routine;
    uint32_t verdict;
    uint16_t choice = (uint16_t)value;
    for (size_t k = 0; k < m->cut_counts[stage]; ++k) {
        const uint32_t *row = ht_intern_row(&m->sets[stage], m->rows[residual]) + 3 * k;
        memcpy(&m->space.values[m->cuts[stage][k]], row, sizeof *m->space.values);
        m->space.faults[m->cuts[stage][k]] = (uint8_t)row[2];
    }
    for (size_t i = 0; i < routine->count; ++i)
        if (m->stage_of[i] == (int)stage)
            ht_instruction_run(&routine->items[i], &choice, 1, &m->space, i);
    if (m->stage_of[routine->results[0]] <= (int)stage) {
        if (m->space.faults[routine->results[0]])
            return HT_CONDITION_FAULT;
        return m->space.values[routine->results[0]].whole ? HT_CONDITION_TRUE : HT_CONDITION_FALSE;
    }
    return decided(m, stage, &verdict) ? verdict : intern_values(r, m, stage);
}

uint32_t ht_residual_next(ht_residuals *r, uint32_t residual, size_t stage, size_t value) {
    if (residual < NONE)
        return residual;
    size_t at = r->first[residual] + value;
    if (r->children[at] == (uint32_t)HT_RESIDUAL_UNKNOWN) {
        uint32_t next = compute_next(r, residual, stage, value);
        r->children[at] = next; /* the array may have moved */
    }
    return r->children[at];
}
