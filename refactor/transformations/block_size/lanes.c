#include "refactor/transformations/block_size/lanes.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/transformations/block_size/lanes_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ht_combine ht_combine_of_call(const char *name) {
    static const char *const most[] = {
        "fmaxf", "fmax", "max", "__fmaxf", "umax", "__builtin_fmax", "__builtin_fmaxf", NULL};
    static const char *const least[] = {
        "fminf", "fmin", "min", "__fminf", "umin", "__builtin_fmin", "__builtin_fminf", NULL};
    return ht_text_is_one(name, most)    ? HT_COMBINE_MAX
           : ht_text_is_one(name, least) ? HT_COMBINE_MIN
                                         : HT_COMBINE_NONE;
}

/* ---- masks ---- */

static bool any(const ht_lanes *lanes, const bool *mask) {
    for (size_t t = 0; t < lanes->threads; ++t)
        if (mask[t])
            return true;
    return false;
}

static bool all(const ht_lanes *lanes, const bool *mask) {
    for (size_t t = 0; t < lanes->threads; ++t)
        if (!mask[t])
            return false;
    return true;
}

/* Divides a mask by a condition. Returns false if the condition is not known for a thread. */
static bool divide(ht_lanes *lanes, const ht_syntax *condition, const bool *mask, bool *out_then,
                   bool *out_else) {
    ht_lane_value *values = ht_lanes_values_new(lanes);
    ht_lanes_evaluate(lanes, condition, mask, values);
    bool known = true;
    for (size_t t = 0; t < lanes->threads; ++t) {
        known = known && (!mask[t] || values[t].kind == HT_LANE_NUMBER);
        bool holds = values[t].kind == HT_LANE_NUMBER && values[t].number != 0;
        out_then[t] = mask[t] && holds;
        out_else[t] = mask[t] && !holds;
    }
    free(values);
    if (!known)
        ht_lanes_fail(lanes, condition, "a condition does not follow from threadIdx alone");
    return known;
}

/* ---- statements ---- */

static void run(ht_lanes *lanes, const ht_syntax *statement, const bool *mask);

static void run_if(ht_lanes *lanes, const ht_syntax *statement, const bool *mask) {
    ht_choice choice;
    if (ht_choice_read(statement, &choice)) {
        ht_lane_value *values = ht_lanes_values_new(lanes);
        bool chosen = ht_lanes_choose(lanes, &choice, mask, values);
        if (chosen)
            ht_lanes_assign(lanes, choice.target, mask, values);
        free(values);
        if (chosen)
            return;
    }
    bool *then = ht_alloc(lanes->threads, sizeof *then);
    bool *otherwise = ht_alloc(lanes->threads, sizeof *otherwise);
    if (divide(lanes, statement->children[0], mask, then, otherwise)) {
        if (any(lanes, then))
            run(lanes, statement->children[1], then);
        if (statement->children[2] && any(lanes, otherwise))
            run(lanes, statement->children[2], otherwise);
    }
    free(then);
    free(otherwise);
}

enum { ROUNDS_MAX = 4096 };

static void run_loop(ht_lanes *lanes, const ht_syntax *loop, const bool *mask) {
    const ht_syntax *condition = loop->children[loop->kind == HT_SYNTAX_WHILE ? 0 : 1];
    const ht_syntax *body = ht_syntax_body(loop);
    const ht_syntax *step = loop->kind == HT_SYNTAX_FOR ? loop->children[2] : NULL;
    bool *active = ht_alloc(lanes->threads, sizeof *active);
    bool *gone = ht_alloc(lanes->threads, sizeof *gone);
    memcpy(active, mask, lanes->threads * sizeof *active);
    if (loop->kind == HT_SYNTAX_FOR && loop->children[0])
        run(lanes, loop->children[0], mask);
    bool tests = loop->kind != HT_SYNTAX_DO;
    for (size_t round = 0; !lanes->why; ++round, tests = true) {
        if (!condition || round == ROUNDS_MAX) {
            ht_lanes_fail(lanes, loop, "a loop has no end that follows from threadIdx");
            break;
        }
        if (tests && (!divide(lanes, condition, active, active, gone) || !any(lanes, active)))
            break;
        run(lanes, body, active);
        if (step && !lanes->why)
            run(lanes, step, active);
    }
    free(active);
    free(gone);
}

static void run_declaration(ht_lanes *lanes, const ht_syntax *statement, const bool *mask) {
    for (size_t i = 0; i < statement->count; ++i) {
        const ht_syntax *node = statement->children[i];
        if (node->kind != HT_SYNTAX_VARIABLE)
            continue;
        const ht_syntax_variable *variable = ht_syntax_named(node);
        const ht_syntax *initializer = node->count ? node->children[0] : NULL;
        if (variable->space == HT_SPACE_SHARED)
            continue;
        if (variable->rank || variable->is_reference || variable->is_static) {
            ht_lanes_fail(lanes, node, "a local array, reference or static variable is used");
            return;
        }
        ht_lane_value *values = ht_lanes_values_new(lanes);
        if (initializer)
            ht_lanes_evaluate(lanes, initializer, mask, values);
        ht_lanes_set(lanes, node->variable, mask, values);
        free(values);
    }
}

static void run(ht_lanes *lanes, const ht_syntax *statement, const bool *mask) {
    ht_lane_value *values;
    if (lanes->why)
        return;
    switch (statement->kind) {
    case HT_SYNTAX_COMPOUND:
        for (size_t i = 0; i < statement->count; ++i)
            run(lanes, statement->children[i], mask);
        return;
    case HT_SYNTAX_DECLARATION:
        run_declaration(lanes, statement, mask);
        return;
    case HT_SYNTAX_IF:
        run_if(lanes, statement, mask);
        return;
    case HT_SYNTAX_FOR:
    case HT_SYNTAX_WHILE:
    case HT_SYNTAX_DO:
        run_loop(lanes, statement, mask);
        return;
    case HT_SYNTAX_EMPTY:
        return;
    default:
        if (!ht_syntax_is_expression(statement)) {
            ht_lanes_fail(lanes, statement, "a statement is of a kind that is not followed");
            return;
        }
        values = ht_lanes_values_new(lanes);
        ht_lanes_evaluate(lanes, statement, mask, values);
        free(values);
    }
}

/* Runs a function's body: statements, and one `return` at its end. */
void ht_lanes_call(ht_lanes *lanes, const ht_syntax *body, const bool *mask, ht_lane_value *out) {
    for (size_t i = 0; i < body->count && !lanes->why; ++i) {
        const ht_syntax *statement = body->children[i];
        if (statement->kind != HT_SYNTAX_RETURN)
            run(lanes, statement, mask);
        else if (i + 1 < body->count)
            ht_lanes_fail(lanes, statement, "a function returns ahead of its end");
        else if (statement->count)
            ht_lanes_evaluate(lanes, statement->children[0], mask, out);
    }
}

void ht_lanes_meet(ht_lanes *lanes, const ht_syntax *at, const bool *mask) {
    if (!all(lanes, mask))
        ht_lanes_fail(lanes, at, "not all threads of the block reach a barrier");
    ++lanes->epoch;
}

/* ---- the run ---- */

ht_lanes *ht_lanes_new(const ht_syntax_tree *tree, size_t threads, size_t wavefront) {
    ht_lanes *lanes = ht_alloc(1, sizeof *lanes);
    *lanes = (ht_lanes){.tree = tree, .threads = threads, .wavefront = wavefront, .epoch = 1};
    lanes->words = (threads + 63) / 64;
    lanes->variables = ht_alloc(tree->variable_count + 1, sizeof *lanes->variables);
    return lanes;
}

void ht_lanes_free(ht_lanes *lanes) {
    for (size_t i = 0; i < lanes->tree->variable_count; ++i) {
        free(lanes->variables[i].values);
        free(lanes->variables[i].elements);
    }
    for (size_t i = 0; i < lanes->set_count; ++i)
        free(lanes->sets[i]);
    free(lanes->sets);
    free(lanes->variables);
    free(lanes);
}

void ht_lanes_seed(ht_lanes *lanes, size_t variable, ht_combine op, const ht_syntax *floor) {
    bool *mask = ht_alloc(lanes->threads, sizeof *mask);
    ht_lane_value *values = ht_lanes_values_new(lanes);
    memset(mask, 1, lanes->threads * sizeof *mask);
    if (floor)
        ht_lanes_evaluate(lanes, floor, mask, values);
    lanes->variables[variable].op = op;
    lanes->variables[variable].floor = values[0];
    for (size_t t = 0; t < lanes->threads; ++t)
        values[t] = ht_lanes_own(lanes, variable, t);
    ht_lanes_set(lanes, variable, mask, values);
    lanes->variables[variable].touched = false;
    free(mask);
    free(values);
}

bool ht_lanes_seed_scaled(ht_lanes *lanes, size_t variable, size_t maximum, int base) {
    const ht_lane_value *floor = &lanes->variables[maximum].floor;
    lanes->variables[variable].scale = maximum;
    lanes->variables[maximum].base = base;
    ht_lanes_seed(lanes, variable, HT_COMBINE_SCALED, NULL);
    return floor->kind == HT_LANE_REAL && isfinite(floor->real);
}

const char *ht_lanes_run(ht_lanes *lanes, const ht_syntax *statement, ht_position *out_at) {
    bool *mask = ht_alloc(lanes->threads, sizeof *mask);
    memset(mask, 1, lanes->threads * sizeof *mask);
    run(lanes, statement, mask);
    free(mask);
    *out_at = lanes->at;
    return lanes->why;
}

/* ---- what came out ---- */

bool ht_lanes_met(const ht_lanes *lanes) {
    return lanes->epoch > 1;
}

bool ht_lanes_touched(const ht_lanes *lanes, size_t variable) {
    return lanes->variables[variable].touched;
}

static bool has_all(const ht_lanes *lanes, const uint64_t *part) {
    size_t count = 0;
    for (size_t w = 0; w < lanes->words; ++w)
        count += (size_t)__builtin_popcountll(part[w]);
    return count == lanes->threads;
}

static bool is_whole(const ht_lanes *lanes, const ht_lane_value *value) {
    bool scaled = value->kind == HT_LANE_SCALED;
    return (scaled || value->kind == HT_LANE_PART) && has_all(lanes, value->part) &&
           (!scaled || has_all(lanes, value->against));
}

size_t ht_lanes_whole(const ht_lanes *lanes, size_t variable, bool first_only) {
    const ht_lane_value *values = lanes->variables[variable].values;
    size_t source = values ? values[0].source : 0;
    for (size_t t = 0; values && t < (first_only ? 1 : lanes->threads); ++t)
        if (!is_whole(lanes, &values[t]) || values[t].source != source)
            return SIZE_MAX;
    return values ? source : SIZE_MAX;
}

size_t ht_lanes_whole_element(const ht_lanes *lanes, size_t variable, size_t element) {
    const ht_lane_variable *of = &lanes->variables[variable];
    if (element >= of->element_count)
        return SIZE_MAX;
    const ht_lane_element *at = &of->elements[element];
    bool settled = at->written > 0 && at->written < lanes->epoch;
    return settled && is_whole(lanes, &at->value) ? at->value.source : SIZE_MAX;
}
