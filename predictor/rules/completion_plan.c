/* The level at which each instruction is worked out, and what is kept of it. */
#include "predictor/rules/completion_plan.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_KEPT = 64 };

void ht_lookahead_room_make(const ht_rules *rules, ht_lookahead_room *out) {
    size_t count = rules->count + rules->require_count + HT_LEVEL_MAX + 1;
    *out = (ht_lookahead_room){.roots = ht_alloc(count, sizeof *out->roots),
                               .groups = ht_alloc(count, sizeof *out->groups),
                               .starts = ht_alloc(2 * count, sizeof *out->starts),
                               .needed = ht_alloc(count, sizeof *out->needed),
                               .last_use = ht_alloc(count, sizeof *out->last_use)};
}

void ht_lookahead_room_free(ht_lookahead_room *room) {
    free(room->roots);
    free(room->groups);
    free(room->starts);
    free(room->needed);
    free(room->last_use);
}

void ht_lookahead_make(const ht_rules *rules, ht_lookahead *out) {
    size_t count = rules->count ? rules->count : 1;
    *out = (ht_lookahead){.steps = ht_alloc(count, sizeof *out->steps),
                          .kept = ht_alloc(FIRST_KEPT, sizeof *out->kept),
                          .kept_capacity = FIRST_KEPT,
                          .values = ht_alloc(count, sizeof *out->values),
                          .faults = ht_alloc(count, sizeof *out->faults)};
}

void ht_lookahead_free(ht_lookahead *plan) {
    free(plan->steps);
    free(plan->kept);
    free(plan->values);
    free(plan->faults);
}

static bool holds(const ht_problem_rules *problem, uint32_t i) {
    return !problem->faults[i] && problem->values[i].whole != 0;
}

/* Collects the conditions, cut at their `and`s, each once, into room->roots. */
static size_t collect_roots(const ht_rules *rules, const ht_problem_rules *problem,
                            const uint32_t *conditions, size_t condition_count,
                            ht_lookahead_room *room, ht_lookahead *plan) {
    uint32_t *stack = room->groups;
    size_t count = 0, depth;
    memset(room->needed, 0, rules->count);
    for (size_t c = 0; c < condition_count; ++c) {
        if (conditions[c] == HT_RULES_NONE)
            continue;
        stack[0] = problem->same[conditions[c]];
        depth = 1;
        while (depth) {
            uint32_t i = stack[--depth];
            const ht_step *step = &problem->steps[i];
            if (room->needed[i])
                continue;
            room->needed[i] = 1;
            if (!problem->levels[i])
                plan->impossible |= !holds(problem, i);
            else if (step->op == HT_CODE_TRUTH)
                stack[depth++] = step->operands[0];
            else if (step->op == HT_CODE_BOTH)
                for (size_t k = 2; k-- > 0;)
                    stack[depth++] = step->operands[k];
            else
                room->roots[count++] = i;
        }
    }
    return count;
}

enum { NOT_NEEDED, NEEDED, ROOT };

/* Marks what the roots need, and finds the last level that reads each. */
static void mark_needed(const ht_rules *rules, const ht_problem_rules *problem, size_t root_count,
                        ht_lookahead_room *room) {
    memset(room->needed, NOT_NEEDED, rules->count);
    memset(room->last_use, 0, rules->count);
    for (size_t r = 0; r < root_count; ++r)
        room->needed[room->roots[r]] = ROOT;
    for (uint32_t i = (uint32_t)rules->count; i-- > 0;) {
        const ht_step *step = &problem->steps[i];
        for (size_t k = 0; room->needed[i] && k < ht_code_arity((ht_code_op)step->op); ++k) {
            uint32_t operand = step->operands[k];
            if (!problem->levels[operand])
                continue;
            if (!room->needed[operand])
                room->needed[operand] = NEEDED;
            if (room->last_use[operand] < problem->levels[i])
                room->last_use[operand] = problem->levels[i];
        }
    }
}

/* Puts instructions of one level into groups: what the first root needs, what the next one needs
 * besides, ..., and what only later levels read. So a root that does not hold saves the rest.
 * Groups of earlier levels have smaller numbers. Returns their count. */
static size_t make_groups(const ht_rules *rules, const ht_problem_rules *problem, size_t root_count,
                          ht_lookahead_room *room) {
    uint32_t next[HT_LEVEL_MAX + 1] = {0}, rest[HT_LEVEL_MAX];
    for (size_t r = 0; r < root_count; ++r)
        ++next[problem->levels[room->roots[r]] + 1];
    for (size_t level = 1; level <= HT_LEVEL_MAX; ++level)
        next[level] += next[level - 1] + (level > 1);
    for (size_t level = 0; level < HT_LEVEL_MAX; ++level)
        rest[level] = next[level + 1] - (level > 0);
    for (size_t i = 0; i < rules->count; ++i)
        room->groups[i] = room->needed[i] ? rest[problem->levels[i]] : 0;
    for (size_t r = 0; r < root_count; ++r)
        room->groups[room->roots[r]] = next[problem->levels[room->roots[r]]]++;
    for (uint32_t i = (uint32_t)rules->count; i-- > 0;) {
        const ht_step *step = &problem->steps[i];
        for (size_t k = 0; room->needed[i] && k < ht_code_arity((ht_code_op)step->op); ++k) {
            uint32_t operand = step->operands[k];
            if (problem->levels[operand] == problem->levels[i] &&
                room->groups[operand] > room->groups[i])
                room->groups[operand] = room->groups[i];
        }
    }
    return rest[HT_LEVEL_MAX - 1] + 1;
}

/* Returns true if instruction i is worked out (and not chosen), or is a chosen number that is
 * itself a condition. */
static bool is_step(const ht_problem_rules *problem, const ht_lookahead_room *room, size_t i) {
    return room->needed[i] && (problem->steps[i].op != HT_CODE_CHOICE || room->needed[i] == ROOT);
}

static void place_steps(const ht_rules *rules, const ht_problem_rules *problem, size_t group_count,
                        ht_lookahead_room *room, ht_lookahead *plan) {
    uint32_t *starts = room->starts;
    uint32_t counts[HT_LEVEL_MAX] = {0};
    memset(starts, 0, (group_count + 1) * sizeof *starts);
    for (size_t i = 0; i < rules->count; ++i)
        if (is_step(problem, room, i)) {
            ++starts[room->groups[i] + 1];
            ++counts[problem->levels[i]];
        }
    for (size_t g = 1; g <= group_count; ++g)
        starts[g] += starts[g - 1];
    for (size_t i = 0; i < rules->count; ++i)
        if (is_step(problem, room, i)) {
            ht_step *step = &plan->steps[starts[room->groups[i]]++];
            *step = problem->steps[i];
            step->root = room->needed[i] == ROOT;
        }
    for (size_t level = 0, end = 0; level < HT_LEVEL_MAX; ++level)
        plan->step_ends[level] = (uint32_t)(end += counts[level]);
}

static void keep(const ht_rules *rules, const ht_problem_rules *problem,
                 const ht_lookahead_room *room, ht_lookahead *plan) {
    uint32_t count = 0;
    plan->kept_ends[0] = 0;
    for (size_t level = 1; level <= rules->param_count; ++level) {
        for (uint32_t i = 0; level < plan->last && i < rules->count; ++i)
            if (room->needed[i] && problem->levels[i] <= level && room->last_use[i] > level) {
                if (count == plan->kept_capacity) {
                    plan->kept_capacity = 2 * count;
                    plan->kept = ht_realloc(plan->kept, plan->kept_capacity, sizeof *plan->kept);
                }
                plan->kept[count++] = i;
            }
        plan->kept_ends[level] = count;
    }
}

void ht_lookahead_start(const ht_rules *rules, const ht_problem_rules *problem,
                        const uint32_t *conditions, size_t condition_count, ht_lookahead_room *room,
                        ht_lookahead *plan) {
    plan->impossible = false;
    plan->bound_count = 0;
    plan->chosen = 0;
    plan->last = 0;
    size_t roots = collect_roots(rules, problem, conditions, condition_count, room, plan);
    if (plan->impossible)
        return;
    for (size_t r = 0; r < roots; ++r)
        if (problem->levels[room->roots[r]] > plan->last)
            plan->last = problem->levels[room->roots[r]];
    mark_needed(rules, problem, roots, room);
    size_t groups = make_groups(rules, problem, roots, room);
    place_steps(rules, problem, groups, room, plan);
    keep(rules, problem, room, plan);
    for (size_t i = 0; i < rules->count; ++i)
        if (room->needed[i] && problem->steps[i].op == HT_CODE_CHOICE)
            plan->chosen |= problem->params[i];
    memcpy(plan->values, problem->values, rules->count * sizeof *plan->values);
    memcpy(plan->faults, problem->faults, rules->count);
}
