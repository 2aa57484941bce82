#include "refactor/transformations/loop_order/loop_sum.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/effects.h"

#include <stdlib.h>
#include <string.h>

typedef enum family { FAMILY_NONE, FAMILY_SUM, FAMILY_PRODUCT, FAMILY_LEAST, FAMILY_MOST } family;

/* ---- one change of an accumulator ---- */

static bool is_variable(const ht_syntax *node, size_t variable) {
    node = ht_syntax_strip(node);
    return node->kind == HT_SYNTAX_NAME && node->variable == variable;
}

/* Returns the kind of fmaf(a, b, acc), fmaxf(acc, v) or max(acc, v). max of floats has none: with
 * NaN its result depends on the order. */
static family family_of_call(const ht_syntax *call, size_t variable) {
    static const char *const sums[] = {"fma", "fmaf", "__fmaf_rn", "__fma_rn", NULL};
    static const char *const most[] = {"fmax", "fmaxf", NULL};
    static const char *const least[] = {"fmin", "fminf", NULL};
    const char *name = call->call->name;
    bool whole = call->type == HT_TYPE_INTEGER;
    family found = FAMILY_NONE;
    size_t own = SIZE_MAX, others = 0;
    for (size_t i = 0; i < call->count; ++i) {
        if (is_variable(call->children[i], variable))
            own = i;
        else
            others += ht_syntax_mentions(call->children[i], variable);
    }
    if (call->count == 3 && own == 2 && others == 0 && ht_text_is_one(name, sums))
        found = FAMILY_SUM;
    else if (call->count == 2 && own != SIZE_MAX && others == 0)
        found = ht_text_is_one(name, most) || (whole && strcmp(name, "max") == 0)    ? FAMILY_MOST
                : ht_text_is_one(name, least) || (whole && strcmp(name, "min") == 0) ? FAMILY_LEAST
                                                                                     : FAMILY_NONE;
    return found;
}

static family family_of_value(const ht_syntax *value, size_t variable) {
    value = ht_syntax_strip(value);
    if (value->kind == HT_SYNTAX_CALL)
        return family_of_call(value, variable);
    if (value->kind != HT_SYNTAX_BINARY)
        return FAMILY_NONE;
    const ht_syntax *left = value->children[0], *right = value->children[1];
    bool first = is_variable(left, variable) && !ht_syntax_mentions(right, variable);
    bool second = is_variable(right, variable) && !ht_syntax_mentions(left, variable);
    if (value->op == HT_BINARY_ADD && (first || second))
        return FAMILY_SUM;
    if (value->op == HT_BINARY_SUB && first)
        return FAMILY_SUM;
    return value->op == HT_BINARY_MUL && (first || second) ? FAMILY_PRODUCT : FAMILY_NONE;
}

/* Returns the kind of operation by which a change updates the variable. */
static family family_of(const ht_syntax *change, size_t variable) {
    if (change->parent->kind > HT_SYNTAX_EMPTY || !is_variable(change->children[0], variable))
        return FAMILY_NONE;
    if (change->kind == HT_SYNTAX_STEP)
        return FAMILY_SUM;
    if (change->kind != HT_SYNTAX_ASSIGN)
        return FAMILY_NONE;
    const ht_syntax *value = change->children[1];
    if (change->op == HT_BINARY_ASSIGN)
        return family_of_value(value, variable);
    if (ht_syntax_mentions(value, variable))
        return FAMILY_NONE;
    return change->op == HT_BINARY_ADD_ASSIGN || change->op == HT_BINARY_SUB_ASSIGN ? FAMILY_SUM
           : change->op == HT_BINARY_MUL_ASSIGN                                     ? FAMILY_PRODUCT
                                                                                    : FAMILY_NONE;
}

/* Returns true if a sum of integers is computed in floats, and so truncated each time. */
static bool goes_through_floats(const ht_syntax *change) {
    return change->kind == HT_SYNTAX_ASSIGN &&
           ht_syntax_strip(change->children[1])->type != HT_TYPE_INTEGER;
}

/* ---- the body ---- */

typedef struct body_walk {
    ht_coarsen *c;
    ht_nest *nest;
    const ht_syntax *body;
    family *families; /* by variable */
    size_t *changes;  /* by variable: the number of changes that are understood */
    const char *problem;
    ht_position place;
} body_walk;

static void refuse(body_walk *walk, const ht_syntax *at, const char *why) {
    if (!walk->problem) {
        walk->problem = why;
        walk->place = at->at;
    }
}

static bool is_counter(const ht_nest *nest, size_t variable) {
    for (size_t i = 0; i < nest->count; ++i)
        if (nest->loops[i].counter == variable)
            return true;
    return false;
}

static void on_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    body_walk *walk = context;
    const ht_syntax_variable *variable = ht_syntax_named(name);
    size_t index = name->variable;
    if (variable->declaration && ht_syntax_within(variable->declaration, walk->body))
        return;
    bool whole = name->type == HT_TYPE_INTEGER, real = variable->type == HT_TYPE_REAL;
    if (is_counter(walk->nest, index))
        refuse(walk, change, "a counter is changed in the body");
    else if (!variable->is_local || variable->is_array || variable->is_reference ||
             !variable->declaration || !(whole || real))
        refuse(walk, change, "something other than a local number is changed");
    else if (change->kind != HT_SYNTAX_ASSIGN && change->kind != HT_SYNTAX_STEP)
        refuse(walk, change, "an accumulator's address is taken");
    if (walk->problem)
        return;
    family found = family_of(change, index);
    if (found == FAMILY_NONE)
        refuse(walk, change, "it is not a sum, product, minimum or maximum over all iterations");
    else if (walk->families[index] != FAMILY_NONE && walk->families[index] != found)
        refuse(walk, change, "an accumulator is changed in two ways");
    else if (whole && goes_through_floats(change))
        refuse(walk, change, "a sum of whole numbers is computed in floats");
    walk->families[index] = found;
    ++walk->changes[index];
    walk->nest->rounds |= real;
}

/* Checks that each name of an accumulator belongs to a change of it. */
static bool on_name(const ht_syntax *node, void *context) {
    body_walk *walk = context;
    if (node->kind != HT_SYNTAX_NAME || walk->families[node->variable] == FAMILY_NONE)
        return true;
    const ht_syntax *up = node;
    while (up != walk->body && up->kind > HT_SYNTAX_EMPTY && up->kind != HT_SYNTAX_ASSIGN &&
           up->kind != HT_SYNTAX_STEP)
        up = up->parent;
    bool own = (up->kind == HT_SYNTAX_ASSIGN || up->kind == HT_SYNTAX_STEP) &&
               is_variable(up->children[0], node->variable);
    if (!own)
        refuse(walk, node, "an accumulator is read in the body");
    return true;
}

static bool on_statement(const ht_syntax *node, void *context) {
    body_walk *walk = context;
    const ht_syntax *left = node;
    if (node->kind == HT_SYNTAX_RETURN)
        refuse(walk, node, "a return inside of the loops");
    if (node->kind == HT_SYNTAX_BREAK) {
        while (left != walk->body && !ht_syntax_is_loop(left) && left->kind != HT_SYNTAX_SWITCH)
            left = left->parent;
        if (left == walk->body && !ht_syntax_is_loop(left) && left->kind != HT_SYNTAX_SWITCH)
            refuse(walk, node, "a break leaves the loops");
    }
    if (node->kind == HT_SYNTAX_CALL) {
        const char *name = node->call->name;
        if (strstr(name, "sync") || strstr(name, "fence") || strstr(name, "clock"))
            refuse(walk, node, "threads wait inside of the loops");
    }
    if (node->is_volatile)
        refuse(walk, node, "something volatile is read");
    return true;
}

const char *ht_nest_why_not(ht_coarsen *c, ht_nest *nest, ht_position *out_place) {
    const ht_nest_loop *last = &nest->loops[nest->count - 1];
    body_walk walk = {.c = c, .nest = nest, .body = last->node->children[3]};
    walk.families = ht_alloc(c->tree->variable_count + 1, sizeof *walk.families);
    walk.changes = ht_alloc(c->tree->variable_count + 1, sizeof *walk.changes);
    ht_effects effects;
    ht_effects_collect(walk.body, &effects);
    if (effects.first_write)
        refuse(&walk, effects.first_write, "memory is written inside of the loops");
    ht_effects_free(&effects);
    ht_syntax_walk(walk.body, on_statement, &walk);
    if (!walk.problem)
        ht_syntax_changes(walk.body, on_change, &walk);
    if (!walk.problem)
        ht_syntax_walk(walk.body, on_name, &walk);
    bool any = false;
    for (size_t i = 0; i < c->tree->variable_count; ++i)
        any |= walk.changes[i] > 0;
    if (!walk.problem && !any)
        refuse(&walk, last->node, "no value is accumulated");
    free(walk.families);
    free(walk.changes);
    *out_place = walk.place;
    return walk.problem;
}
