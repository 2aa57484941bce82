/* The look-ahead: a depth-first search for one completion of a prefix, which remembers by state
 * (completion_memo.h) what it found, so that a problem's later questions are mostly answered
 * already. */
#include "predictor/rules/completion.h"
#include "predictor/rules/completion_memo.h"
#include "predictor/rules/completion_plan.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Steps run and words remembered for one problem; past that, what the rules do not exclude at once
 * is taken to be possible. Some tenths of a second. */
enum { WORK_MAX = 1 << 25 };

struct ht_completion {
    const ht_rules *rules;
    ht_problem_rules problem;
    ht_lookahead_room room;
    ht_lookahead *plans; /* the requirements, then each exception */
    size_t plan_count;
    ht_memo memo;
    int64_t *key;        /* room for a state */
    size_t key_capacity; /* words */
    size_t work;         /* left of WORK_MAX */
    bool exact;
    uint8_t *possible; /* answers to ht_completion_possible; by value */
    /* Numbers of all instructions, for whole configurations. */
    ht_number *values;
    uint8_t *faults;
};

ht_completion *ht_completion_new(const ht_rules *rules) {
    ht_completion *c = ht_alloc(1, sizeof *c);
    size_t most = 1, count = rules->count ? rules->count : 1;
    c->rules = rules;
    ht_problem_rules_make(rules, &c->problem);
    ht_lookahead_room_make(rules, &c->room);
    c->plan_count = rules->admit_count + 1;
    c->plans = ht_alloc(c->plan_count, sizeof *c->plans);
    for (size_t i = 0; i < c->plan_count; ++i)
        ht_lookahead_make(rules, &c->plans[i]);
    for (size_t p = 0; p < rules->param_count; ++p)
        if (rules->schema->params[p].value_count > most)
            most = rules->schema->params[p].value_count;
    c->possible = ht_alloc(most, sizeof *c->possible);
    c->values = ht_alloc(count, sizeof *c->values);
    c->faults = ht_alloc(count, sizeof *c->faults);
    return c;
}

void ht_completion_free(ht_completion *c) {
    if (!c)
        return;
    ht_problem_rules_free(&c->problem);
    ht_lookahead_room_free(&c->room);
    for (size_t i = 0; i < c->plan_count; ++i)
        ht_lookahead_free(&c->plans[i]);
    free(c->plans);
    ht_memo_free(&c->memo);
    free(c->key);
    free(c->possible);
    free(c->values);
    free(c->faults);
    free(c);
}

/* Returns true if it is the same for all configurations of a problem, also those with canonical
 * numbers that are not among a parameter's values. */
static bool of_fields(const ht_rules *rules, uint32_t i) {
    uint64_t params = (UINT64_C(1) << rules->param_count) - 1;
    return !(ht_code_at(rules->code, i)->params & params);
}

static void reserve_key(ht_completion *c) {
    size_t most = 0;
    for (size_t i = 0; i < c->plan_count; ++i)
        for (size_t d = 1; !c->plans[i].impossible && d <= c->rules->param_count; ++d) {
            size_t kept = c->plans[i].kept_ends[d] - c->plans[i].kept_ends[d - 1];
            most = kept > most ? kept : most;
        }
    most += most / 64 + 2;
    if (most > c->key_capacity)
        c->key = ht_realloc(c->key, c->key_capacity = most, sizeof *c->key);
}

void ht_completion_start(ht_completion *c, const int64_t *fields) {
    const ht_rules *rules = c->rules;
    const ht_problem_rules *problem = &c->problem;
    ht_problem_rules_start(rules, fields, &c->problem);
    ht_lookahead_start(rules, problem, rules->requires, rules->require_count, &c->room,
                       &c->plans[0]);
    for (size_t i = 0; i < rules->admit_count; ++i)
        ht_lookahead_start(rules, problem, &rules->admits[i], 1, &c->room, &c->plans[i + 1]);
    ht_memo_clear(&c->memo);
    reserve_key(c);
    c->work = WORK_MAX;
    c->exact = true;
    for (uint32_t i = 0; i < rules->count; ++i)
        if (of_fields(rules, i)) {
            c->values[i] = problem->values[problem->same[i]];
            c->faults[i] = problem->faults[problem->same[i]];
        }
}

bool ht_completion_exact(const ht_completion *c) {
    return c->exact;
}

/* Chooses a value of parameter `level` - 1 and works out what depends on it; false when a condition
 * does not hold. */
static bool choose(const ht_rules *rules, ht_lookahead *plan, size_t level, size_t value) {
    const uint32_t *places = rules->choices[level - 1];
    for (size_t k = 0; k < 2; ++k)
        if (places[k] != HT_RULES_NONE)
            plan->values[places[k]] = ht_code_at(rules->code, places[k])->values[value];
    const ht_step *step = &plan->steps[plan->step_ends[level - 1]];
    const ht_step *end = &plan->steps[plan->step_ends[level]];
    for (; step < end; ++step) {
        if (step->op != HT_CODE_CHOICE)
            ht_step_run(step, plan->values, plan->faults);
        if (step->root && (plan->faults[step->own] || !plan->values[step->own].whole))
            return false;
    }
    return true;
}

/* Writes the state after the first `depth` parameters; returns its length in words. */
static size_t make_key(const ht_completion *c, const ht_lookahead *plan, size_t depth) {
    const uint32_t *kept = &plan->kept[plan->kept_ends[depth - 1]];
    size_t count = plan->kept_ends[depth] - plan->kept_ends[depth - 1], length = 1;
    int64_t *key = c->key;
    uint64_t faults = 0;
    key[0] = (plan - c->plans) * HT_LEVEL_MAX + (int64_t)depth;
    for (size_t i = 0; i < count; ++i) {
        key[length++] = plan->values[kept[i]].whole;
        faults = faults << 1 | (plan->faults[kept[i]] != 0);
        if (i % 64 == 63) {
            key[length++] = (int64_t)faults;
            faults = 0;
        }
    }
    if (faults) /* states without any are the usual ones */
        key[length++] = (int64_t)faults;
    return length;
}

/* Returns true if the first `depth` values, chosen in `plan`, have a completion. */
static bool completable(ht_completion *c, ht_lookahead *plan, size_t depth) {
    const ht_rules *rules = c->rules;
    while (depth < plan->last && !(plan->chosen >> depth & 1))
        ++depth; /* any value will do */
    if (depth >= plan->last)
        return true;
    uint64_t hash = 0;
    if (depth) {
        size_t length = make_key(c, plan, depth);
        hash = ht_memo_hash(c->key, length);
        const bool *known = ht_memo_find(&c->memo, hash, c->key, length);
        if (known)
            return *known;
    }
    size_t cost = 1 + plan->step_ends[depth + 1] - plan->step_ends[depth];
    bool found = false;
    for (size_t v = 0; v < rules->schema->params[depth].value_count && !found; ++v) {
        if (c->work < cost) {
            c->exact = false;
            return true;
        }
        c->work -= cost;
        found = choose(rules, plan, depth + 1, v) && completable(c, plan, depth + 1);
    }
    if (depth && c->exact) {
        size_t length = make_key(c, plan, depth);
        c->work -= c->work < length ? c->work : length;
        ht_memo_put(&c->memo, hash, c->key, length, found);
    }
    return found;
}

/* Chooses a prefix; a part that is chosen already stays. */
static bool bind(const ht_rules *rules, ht_lookahead *plan, const uint16_t *prefix, size_t depth) {
    size_t known = 0;
    while (known < depth && known < plan->bound_count && plan->bound[known] == prefix[known])
        ++known;
    for (; known < depth; ++known) {
        plan->bound[known] = prefix[known];
        plan->bound_count = known;
        if (!choose(rules, plan, known + 1, prefix[known]))
            return false;
    }
    plan->bound_count = depth; /* deeper values are about to change */
    return true;
}

size_t ht_completion_allowed(ht_completion *c, const uint16_t *prefix, size_t depth,
                             uint8_t *out_allowed) {
    size_t count = c->rules->schema->params[depth].value_count, allowed = 0;
    memset(out_allowed, 0, count);
    for (size_t i = 0; i < c->plan_count; ++i) {
        ht_lookahead *plan = &c->plans[i];
        if (plan->impossible || !bind(c->rules, plan, prefix, depth))
            continue;
        for (size_t v = 0; v < count; ++v)
            if (!out_allowed[v] && choose(c->rules, plan, depth + 1, v) &&
                completable(c, plan, depth + 1)) {
                out_allowed[v] = 1;
                ++allowed;
            }
    }
    return allowed;
}

bool ht_completion_possible(ht_completion *c) {
    for (size_t i = 0; i < c->plan_count; ++i) {
        c->plans[i].bound_count = 0;
        if (!c->plans[i].impossible && completable(c, &c->plans[i], 0))
            return true;
    }
    return false;
}

bool ht_completion_legal(ht_completion *c, const uint16_t *choice) {
    for (size_t i = 0; i < c->plan_count; ++i)
        if (!c->plans[i].impossible && bind(c->rules, &c->plans[i], choice, c->rules->param_count))
            return true;
    return false;
}

static void put_choice(ht_completion *c, size_t param, size_t value) {
    const uint32_t *places = c->rules->choices[param];
    for (size_t k = 0; k < 2; ++k)
        if (places[k] != HT_RULES_NONE)
            c->values[places[k]] = ht_code_at(c->rules->code, places[k])->values[value];
}

int ht_completion_broken(ht_completion *c, const uint16_t *choice) {
    const ht_rules *rules = c->rules;
    if (ht_completion_legal(c, choice))
        return -1;
    for (size_t p = 0; p < rules->param_count; ++p)
        put_choice(c, p, choice[p]);
    for (uint32_t i = 0; i < rules->count; ++i)
        if (ht_code_arity((ht_code_op)rules->steps[i].op) && !of_fields(rules, i))
            ht_step_run(&rules->steps[i], c->values, c->faults);
    for (size_t r = 0; r < rules->require_count; ++r) {
        uint32_t root = rules->requires[r];
        if (root != HT_RULES_NONE && (c->faults[root] || !c->values[root].whole))
            return (int)r;
    }
    return -1;
}

/* Puts a parameter's number after a canonical rule, which may not be among its values; a type's
 * size stays that of the choice then. */
static void put_number(ht_completion *c, size_t param, int64_t number) {
    const ht_param *of = &c->rules->schema->params[param];
    for (size_t v = 0; v < of->value_count; ++v)
        if (of->values[v].number == number) {
            put_choice(c, param, v);
            return;
        }
    uint32_t place = c->rules->choices[param][HT_RULES_NUMBER];
    if (place != HT_RULES_NONE)
        c->values[place].whole = number;
}

void ht_completion_canonical(ht_completion *c, const uint16_t *choice, int64_t *out_values) {
    const ht_rules *rules = c->rules;
    for (size_t p = 0; p < rules->param_count; ++p) {
        out_values[p] = rules->schema->params[p].values[choice[p]].number;
        put_choice(c, p, choice[p]);
    }
    for (size_t k = 0; k < rules->canonical_count; ++k) {
        const ht_rules_canonical *rule = &rules->canonicals[k];
        for (size_t i = 0; i < rule->step_count; ++i)
            if (rules->steps[rule->steps[i]].op != HT_CODE_CHOICE)
                ht_step_run(&rules->steps[rule->steps[i]], c->values, c->faults);
        if (c->faults[rule->root])
            continue; /* what has no value changes nothing */
        out_values[rule->param] = c->values[rule->root].whole;
        put_number(c, rule->param, out_values[rule->param]);
    }
}
