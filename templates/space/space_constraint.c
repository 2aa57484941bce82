#include "templates/space/space_constraint.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_MAX = 1 << 17 };

/* Returns the combinations of the parameters in `params`; SIZE_MAX when there are more. */
static size_t combinations(const ht_space_model *model, uint64_t params) {
    size_t product = 1;
    for (; params; params &= params - 1)
        if (__builtin_mul_overflow(product, model->dimensions[__builtin_ctzll(params)].value_count,
                                   &product))
            return SIZE_MAX;
    return product;
}

static uint64_t params_of(const ht_space_model *model, size_t condition) {
    return ht_code_at(model->code, model->conditions[condition].instruction)->params;
}

/* Returns the constraint that a condition belongs to, a new one when there is none. */
static ht_space_constraint *place_of(const ht_space_model *model, size_t condition, bool by_source,
                                     ht_space_constraints *out) {
    uint64_t params = params_of(model, condition);
    bool small = combinations(model, params) <= TABLE_MAX;
    for (size_t i = 0; small && i < out->count; ++i) {
        ht_space_constraint *candidate = &out->items[i];
        if (candidate->params == params &&
            (!by_source || model->conditions[candidate->conditions[0]].source ==
                               model->conditions[condition].source))
            return candidate;
    }
    HT_GROW(out->items, out->count);
    ht_space_constraint *made = &out->items[out->count++];
    *made = (ht_space_constraint){.params = params};
    return made;
}

static void scope_make(const ht_space_model *model, ht_space_constraint *constraint) {
    constraint->scope_count = (size_t)__builtin_popcountll(constraint->params);
    constraint->scope = ht_alloc(constraint->scope_count, sizeof *constraint->scope);
    constraint->strides = ht_alloc(constraint->scope_count, sizeof *constraint->strides);
    size_t at = 0, stride = 1;
    for (uint64_t rest = constraint->params; rest; rest &= rest - 1)
        constraint->scope[at++] = (uint32_t)__builtin_ctzll(rest);
    while (at-- > 0) {
        constraint->strides[at] = stride;
        if (__builtin_mul_overflow(stride, model->dimensions[constraint->scope[at]].value_count,
                                   &stride))
            stride = SIZE_MAX; /* too many for a table: not used */
    }
}

/* Combines verdicts: a condition that is false decides, whatever else fails. */
static void combine(const ht_routine *routine, const ht_workspace *space, size_t lanes,
                    uint8_t *verdicts) {
    for (size_t lane = 0; lane < lanes; ++lane)
        verdicts[lane] = HT_CONDITION_TRUE;
    for (size_t r = 0; r < routine->result_count; ++r) {
        const ht_number *values = space->values + routine->results[r] * lanes;
        const uint8_t *faults = space->faults + routine->results[r] * lanes;
        for (size_t lane = 0; lane < lanes; ++lane) {
            if (faults[lane])
                verdicts[lane] =
                    verdicts[lane] == HT_CONDITION_FALSE ? HT_CONDITION_FALSE : HT_CONDITION_FAULT;
            else if (!values[lane].whole)
                verdicts[lane] = HT_CONDITION_FALSE;
        }
    }
}

static void table_make(const ht_space_model *model, ht_space_constraint *constraint, size_t size) {
    uint16_t choice[HT_PARAM_MAX] = {0}, lanes[HT_PARAM_MAX][HT_LANES];
    const uint16_t *columns[HT_PARAM_MAX];
    size_t scope = constraint->scope_count, count;
    ht_workspace space;
    ht_workspace_make(constraint->routine, &space);
    constraint->table = ht_alloc(size, 1);
    for (size_t k = 0; k < scope; ++k)
        columns[k] = lanes[k];
    for (size_t done = 0; done < size; done += count) {
        for (count = 0; count < HT_LANES && done + count < size; ++count) {
            for (size_t k = 0; k < scope; ++k)
                lanes[k][count] = choice[k];
            for (size_t k = scope; k-- > 0;) {
                if (++choice[k] < model->dimensions[constraint->scope[k]].value_count)
                    break;
                choice[k] = 0;
            }
        }
        ht_routine_run(constraint->routine, columns, count, &space);
        combine(constraint->routine, &space, count, constraint->table + done);
    }
    ht_workspace_free(&space);
}

static void constraint_finish(const ht_space_model *model, ht_space_constraint *constraint) {
    uint32_t *results = ht_alloc(constraint->condition_count, sizeof *results);
    for (size_t i = 0; i < constraint->condition_count; ++i)
        results[i] = model->conditions[constraint->conditions[i]].instruction;
    constraint->routine = ht_routine_new(model->code, results, constraint->condition_count);
    free(results);
    scope_make(model, constraint);
    size_t size = combinations(model, constraint->params);
    if (size <= TABLE_MAX)
        table_make(model, constraint, size);
}

void ht_space_constraints_make(const ht_space_model *model, bool by_source,
                               ht_space_constraints *out) {
    *out = (ht_space_constraints){.model = model};
    for (size_t i = 0; i < model->condition_count; ++i) {
        ht_space_constraint *constraint = place_of(model, i, by_source, out);
        HT_GROW(constraint->conditions, constraint->condition_count);
        constraint->conditions[constraint->condition_count++] = (uint32_t)i;
    }
    for (size_t i = 0; i < out->count; ++i)
        constraint_finish(model, &out->items[i]);
}

void ht_space_constraints_free(ht_space_constraints *constraints) {
    for (size_t i = 0; i < constraints->count; ++i) {
        ht_space_constraint *constraint = &constraints->items[i];
        free(constraint->scope);
        free(constraint->strides);
        free(constraint->conditions);
        free(constraint->table);
        ht_routine_free(constraint->routine);
    }
    free(constraints->items);
    *constraints = (ht_space_constraints){0};
}

static size_t index_of(const ht_space_constraint *constraint, const uint16_t *choices) {
    size_t index = 0;
    for (size_t k = 0; k < constraint->scope_count; ++k)
        index += choices[constraint->scope[k]] * constraint->strides[k];
    return index;
}

ht_condition_verdict ht_space_constraint_check(const ht_space_constraint *constraint,
                                               const uint16_t *choices) {
    if (constraint->table)
        return (ht_condition_verdict)constraint->table[index_of(constraint, choices)];
    ht_number value; /* a constraint without a table has one condition */
    if (ht_routine_value(constraint->routine, choices, 0, &value) != HT_FAULT_NONE)
        return HT_CONDITION_FAULT;
    return value.whole ? HT_CONDITION_TRUE : HT_CONDITION_FALSE;
}

void ht_space_constraint_check_values(const ht_space_constraint *constraint,
                                      const uint16_t *choices, uint32_t param, size_t value_count,
                                      uint8_t *out_verdicts) {
    size_t k = 0;
    while (constraint->scope[k] != param)
        ++k;
    if (constraint->table) {
        const uint8_t *row = constraint->table + index_of(constraint, choices) -
                             choices[param] * constraint->strides[k];
        for (size_t v = 0; v < value_count; ++v)
            out_verdicts[v] = row[v * constraint->strides[k]];
        return;
    }
    uint16_t near[HT_PARAM_MAX];
    memcpy(near, choices, sizeof near);
    for (size_t v = 0; v < value_count; ++v) {
        near[param] = (uint16_t)v;
        out_verdicts[v] = (uint8_t)ht_space_constraint_check(constraint, near);
    }
}
