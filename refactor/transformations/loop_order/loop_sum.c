/* Which loops' iterations may be run in any order: those that only change accumulators, each by one
 * kind of operation that may be reassociated. */
#include "base/memory.h"
#include "refactor/transformations/loop_order/loop_order.h"

#include <stdlib.h>
#include <string.h>

typedef enum family { FAMILY_NONE, FAMILY_SUM, FAMILY_PRODUCT, FAMILY_LEAST, FAMILY_MOST } family;

/* ---- one change of an accumulator
 * ------------------------------------------------------------------------------------------- */

static bool is_variable(ht_node *node, size_t variable) {
    node = ht_node_strip(node);
    return node->kind == HT_NODE_NAME && node->variable == variable;
}

static bool on_mention(ht_node *node, void *context) {
    size_t *variable = context;
    if (node->kind == HT_NODE_NAME && node->variable == *variable)
        *variable = SIZE_MAX;
    return true;
}

static bool mentions(ht_node *node, size_t variable) {
    size_t left = variable;
    ht_node_walk(node, on_mention, &left);
    return left != variable;
}

static char *callee_name(const ht_node *call) {
    return ht_cursor_name(clang_Cursor_isNull(call->callee) ? call->cursor : call->callee);
}

static bool is_one_of(const char *name, const char *const *names) {
    for (size_t i = 0; names[i]; ++i)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* fmaf(a, b, acc), fmaxf(acc, v), max(acc, v). Of what max is for floats, NaN depends on the order.
 */
static family family_of_call(ht_node *call, size_t variable) {
    static const char *const sums[] = {"fma", "fmaf", "__fmaf_rn", "__fma_rn", NULL};
    static const char *const most[] = {"fmax", "fmaxf", NULL};
    static const char *const least[] = {"fmin", "fminf", NULL};
    char *name = callee_name(call);
    bool whole = call->type == HT_TYPE_INTEGER;
    family found = FAMILY_NONE;
    size_t own = SIZE_MAX, others = 0;
    for (size_t i = 0; i < call->count; ++i) {
        if (is_variable(call->children[i], variable))
            own = i;
        else
            others += mentions(call->children[i], variable);
    }
    if (call->count == 3 && own == 2 && others == 0 && is_one_of(name, sums))
        found = FAMILY_SUM;
    else if (call->count == 2 && own != SIZE_MAX && others == 0)
        found = is_one_of(name, most) || (whole && strcmp(name, "max") == 0)    ? FAMILY_MOST
                : is_one_of(name, least) || (whole && strcmp(name, "min") == 0) ? FAMILY_LEAST
                                                                                : FAMILY_NONE;
    free(name);
    return found;
}

static family family_of_value(ht_node *value, size_t variable) {
    value = ht_node_strip(value);
    if (value->kind == HT_NODE_CALL)
        return family_of_call(value, variable);
    if (value->kind != HT_NODE_BINARY)
        return FAMILY_NONE;
    ht_node *left = value->children[0], *right = value->children[1];
    bool first = is_variable(left, variable) && !mentions(right, variable);
    bool second = is_variable(right, variable) && !mentions(left, variable);
    if (value->op == CXBinaryOperator_Add && (first || second))
        return FAMILY_SUM;
    if (value->op == CXBinaryOperator_Sub && first)
        return FAMILY_SUM;
    return value->op == CXBinaryOperator_Mul && (first || second) ? FAMILY_PRODUCT : FAMILY_NONE;
}

/* What kind of operation is it? */
static family family_of(ht_node *change, size_t variable) {
    if (change->parent->kind > HT_NODE_EMPTY || !is_variable(change->children[0], variable))
        return FAMILY_NONE;
    if (change->kind == HT_NODE_STEP)
        return FAMILY_SUM;
    if (change->kind != HT_NODE_ASSIGN)
        return FAMILY_NONE;
    ht_node *value = change->children[1];
    if (change->op == CXBinaryOperator_Assign)
        return family_of_value(value, variable);
    if (mentions(value, variable))
        return FAMILY_NONE;
    return change->op == CXBinaryOperator_AddAssign || change->op == CXBinaryOperator_SubAssign
               ? FAMILY_SUM
           : change->op == CXBinaryOperator_MulAssign ? FAMILY_PRODUCT
                                                      : FAMILY_NONE;
}

/* A sum of whole numbers that goes through floats on its way is cut off each time. */
static bool goes_through_floats(ht_node *change) {
    return change->kind == HT_NODE_ASSIGN &&
           ht_node_strip(change->children[1])->type != HT_TYPE_INTEGER;
}

/* ---- the body
 * ------------------------------------------------------------------------------------------- */

typedef struct body_walk {
    ht_coarsen *c;
    ht_nest *nest;
    ht_node *body;
    family *families; /* by variable */
    size_t *changes;  /* by variable: how many changes have been understood */
    const char *problem;
    CXCursor place;
} body_walk;

static void refuse(body_walk *walk, const ht_node *at, const char *why) {
    if (!walk->problem) {
        walk->problem = why;
        walk->place = at->cursor;
    }
}

static bool is_counter(const ht_nest *nest, size_t variable) {
    for (size_t i = 0; i < nest->count; ++i)
        if (nest->loops[i].counter == variable)
            return true;
    return false;
}

static void on_change(ht_coarsen *c, ht_node *name, ht_node *change, void *context) {
    body_walk *walk = context;
    const ht_variable *variable = &c->variables[name->variable];
    size_t index = name->variable;
    if (variable->declaration && ht_node_within(variable->declaration, walk->body))
        return;
    CXType type = clang_getCanonicalType(clang_getCursorType(variable->cursor));
    bool whole = name->type == HT_TYPE_INTEGER && type.kind != CXType_Bool;
    bool real = type.kind == CXType_Float || type.kind == CXType_Double;
    if (is_counter(walk->nest, index))
        refuse(walk, change, "a counter is changed in the body");
    else if (!variable->is_local || variable->is_array || variable->is_reference ||
             !variable->declaration || !(whole || real))
        refuse(walk, change, "something other than a local number is changed");
    else if (change->kind != HT_NODE_ASSIGN && change->kind != HT_NODE_STEP)
        refuse(walk, change, "an accumulator's address is taken");
    if (walk->problem)
        return;
    family found = family_of(change, index);
    if (found == FAMILY_NONE)
        refuse(walk, change, "it is no sum, product, minimum or maximum over all iterations");
    else if (walk->families[index] != FAMILY_NONE && walk->families[index] != found)
        refuse(walk, change, "an accumulator is changed in two ways");
    else if (whole && goes_through_floats(change))
        refuse(walk, change, "a sum of whole numbers is computed in floats");
    walk->families[index] = found;
    ++walk->changes[index];
    walk->nest->rounds |= real;
}

/* Each name of an accumulator must belong to a change of it. */
static bool on_name(ht_node *node, void *context) {
    body_walk *walk = context;
    if (node->kind != HT_NODE_NAME || walk->families[node->variable] == FAMILY_NONE)
        return true;
    ht_node *up = node;
    while (up != walk->body && up->kind > HT_NODE_EMPTY && up->kind != HT_NODE_ASSIGN &&
           up->kind != HT_NODE_STEP)
        up = up->parent;
    bool own = (up->kind == HT_NODE_ASSIGN || up->kind == HT_NODE_STEP) &&
               is_variable(up->children[0], node->variable);
    if (!own)
        refuse(walk, node, "an accumulator is read in the body");
    return true;
}

static bool on_statement(ht_node *node, void *context) {
    body_walk *walk = context;
    const ht_node *left = node;
    if (node->kind == HT_NODE_RETURN)
        refuse(walk, node, "a return inside of the loops");
    if (node->kind == HT_NODE_BREAK) {
        while (left != walk->body && !ht_node_is_loop(left) && left->kind != HT_NODE_SWITCH)
            left = left->parent;
        if (left == walk->body && !ht_node_is_loop(left) && left->kind != HT_NODE_SWITCH)
            refuse(walk, node, "a break leaves the loops");
    }
    if (node->kind == HT_NODE_CALL) {
        char *name = callee_name(node);
        if (strstr(name, "sync") || strstr(name, "fence") || strstr(name, "clock"))
            refuse(walk, node, "threads wait inside of the loops");
        free(name);
    }
    CXType type = clang_getCursorType(node->cursor);
    if (node->kind > HT_NODE_EMPTY && clang_isVolatileQualifiedType(type))
        refuse(walk, node, "something volatile is read");
    return true;
}

const char *ht_nest_why_not(ht_coarsen *c, ht_nest *nest, CXCursor *out_place) {
    const ht_nest_loop *last = &nest->loops[nest->count - 1];
    body_walk walk = {.c = c, .nest = nest, .body = last->node->children[3]};
    walk.families = ht_alloc(c->variable_count + 1, sizeof *walk.families);
    walk.changes = ht_alloc(c->variable_count + 1, sizeof *walk.changes);
    ht_effects effects;
    ht_effects_collect(c, walk.body, &effects);
    if (effects.first_write)
        refuse(&walk, effects.first_write, "memory is written inside of the loops");
    ht_effects_free(&effects);
    ht_node_walk(walk.body, on_statement, &walk);
    if (!walk.problem)
        ht_node_changes(c, walk.body, on_change, &walk);
    if (!walk.problem)
        ht_node_walk(walk.body, on_name, &walk);
    bool any = false;
    for (size_t i = 0; i < c->variable_count; ++i)
        any |= walk.changes[i] > 0;
    if (!walk.problem && !any)
        refuse(&walk, last->node, "nothing is added up");
    free(walk.families);
    free(walk.changes);
    *out_place = walk.place;
    return walk.problem;
}
