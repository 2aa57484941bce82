#include "refactor/transformations/coarsen/coarsen_carry.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

typedef struct steady_walk {
    const ht_syntax *at; /* place of the value's first use */
    int depth;
} steady_walk;

static bool may_change(const ht_syntax *node, const void *context);

/* A constant is computed anew from its initialiser, which must be steady as well. */
static bool is_steady(const steady_walk *walk, const ht_syntax_variable *variable) {
    const steady_walk inner = {walk->at, walk->depth + 1};
    if (variable->is_array || variable->is_reference || inner.depth > 16)
        return false;
    if (variable->declaration && !variable->changed)
        return !ht_syntax_first(ht_syntax_initializer(variable), may_change, &inner);
    return ht_variable_is_steady(variable, walk->at);
}

static bool may_change(const ht_syntax *node, const void *context) {
    switch (node->kind) {
    case HT_SYNTAX_CONSTANT:
    case HT_SYNTAX_INDEX:
    case HT_SYNTAX_GLOBAL:
    case HT_SYNTAX_BINARY:
    case HT_SYNTAX_UNARY:
    case HT_SYNTAX_CONDITIONAL:
    case HT_SYNTAX_PAREN:
    case HT_SYNTAX_CAST:
        return false;
    case HT_SYNTAX_MEMBER:
        return node->arrow;
    case HT_SYNTAX_NAME:
        return !is_steady(context, ht_syntax_named(node));
    default:
        return true;
    }
}

static bool is_continue(const ht_syntax *node) {
    if (node->kind == HT_SYNTAX_COMPOUND && node->count == 1)
        node = node->children[0];
    return node->kind == HT_SYNTAX_CONTINUE;
}

static bool is_test(const ht_syntax *node) {
    const steady_walk walk = {.at = node};
    return node->kind == HT_SYNTAX_IF && !node->children[2] && node->children[0]->plain &&
           !ht_syntax_first(node->children[0], may_change, &walk);
}

/* Returns true if the step always moves the counter towards the bound. */
static bool ends(const ht_syntax *condition, const ht_syntax *step) {
    bool below = condition->op == HT_BINARY_LT || condition->op == HT_BINARY_LE;
    bool above = condition->op == HT_BINARY_GT || condition->op == HT_BINARY_GE;
    if (step->kind == HT_SYNTAX_STEP) {
        bool up = step->op == HT_UNARY_PRE_INC || step->op == HT_UNARY_POST_INC;
        return up ? below : above;
    }
    int64_t value = 0;
    if (!ht_syntax_evaluate(step->children[1], &value))
        return false;
    return value > 0 && ((step->op == HT_BINARY_ADD_ASSIGN && below) ||
                         (step->op == HT_BINARY_SUB_ASSIGN && above));
}

/* Returns true for a loop that only counts up or down, so that its header may run where the
 * original did not run it. */
bool ht_carry_is_loop(const ht_syntax *node) {
    if (node->kind != HT_SYNTAX_FOR || !node->children[0] || !node->children[1] ||
        !node->children[2])
        return false;
    const ht_syntax *init = node->children[0], *step = node->children[2];
    const ht_syntax *condition = node->children[1];
    bool steps = step->kind == HT_SYNTAX_STEP || step->kind == HT_SYNTAX_ASSIGN;
    if (init->kind != HT_SYNTAX_DECLARATION || init->count != 1 || init->children[0]->count != 1 ||
        condition->kind != HT_SYNTAX_BINARY || !steps)
        return false;
    size_t counter = init->children[0]->variable;
    const ht_syntax *first = init->children[0]->children[0],
                    *asked = ht_syntax_strip(condition->children[0]);
    const ht_syntax *root = ht_lvalue_root(step->children[0]);
    return !ht_syntax_is_risky(first) && !ht_syntax_has_change(first) &&
           !ht_syntax_is_risky(condition) && !ht_syntax_has_change(condition) && root &&
           root->variable == counter && asked->kind == HT_SYNTAX_NAME &&
           asked->variable == counter && ends(condition, step);
}

static bool has_loop(const ht_syntax *node) {
    if (ht_carry_is_loop(node))
        return true;
    for (size_t i = 0; node->kind == HT_SYNTAX_COMPOUND && i < node->count; ++i)
        if (has_loop(node->children[i]))
            return true;
    return false;
}

bool ht_carry_skips(ht_syntax_list list, size_t at, size_t count) {
    if (!is_test(list[at]) || !is_continue(list[at]->children[1]))
        return false;
    for (size_t i = at + 1; i < count; ++i)
        if (has_loop(list[i]))
            return true;
    return false;
}

bool ht_carry_enters(const ht_syntax *node) {
    return is_test(node) && has_loop(node->children[1]);
}

/* ---- places of the tests ---- */

static void visit_skips(const ht_coarsen *c, const ht_syntax *node, ht_carry_visit *visit,
                        void *context) {
    const ht_syntax *list = node->parent;
    for (size_t i = 0; i < list->count && list->children[i] != node; ++i)
        if (c->marks[list->children[i]->index].skips)
            visit(list->children[i], true, context);
}

void ht_carried_visit(const ht_coarsen *c, const ht_syntax *node, ht_carry_visit *visit,
                      void *context) {
    if (!node->parent)
        return;
    ht_carried_visit(c, node->parent, visit, context);
    if (node->parent->kind == HT_SYNTAX_COMPOUND)
        visit_skips(c, node, visit, context);
    if (c->marks[node->parent->index].enters && !c->marks[node->parent->index].apart &&
        node != node->parent->children[0])
        visit(node->parent, false, context);
}
