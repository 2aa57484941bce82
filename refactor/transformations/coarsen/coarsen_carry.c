/* Tests that loops are written around: `if (outside) continue;` in front of a loop, or `if
 * (inside)` around one, where the answer differs between outputs. The loop is the same for all of
 * them, so that it may stand outside of what is run once per output, and the test inside of it: it
 * has the same answer there. Outputs that do not pass it then only count. */
#include "refactor/transformations/coarsen/coarsen.h"

typedef struct steady_walk {
    ht_coarsen *c;
    const ht_node *at; /* where the value is asked for first */
    bool steady;
    int depth;
} steady_walk;

static bool on_steady(ht_node *node, void *context);

/* A constant is what its initialiser says, which must be as steady: it is computed anew. */
static void follow(steady_walk *walk, ht_node *name) {
    ht_coarsen *c = walk->c;
    const ht_variable *variable = &c->variables[name->variable];
    if (variable->is_array || variable->is_reference || ++walk->depth > 16) {
        walk->steady = false;
        return;
    }
    if (variable->declaration && ht_variable_is_constant(c, name->variable)) {
        if (variable->declaration->count)
            ht_node_walk(variable->declaration->children[0], on_steady, walk);
    } else {
        walk->steady = walk->steady && ht_variable_is_steady(c, name->variable, walk->at);
    }
    --walk->depth;
}

static bool on_steady(ht_node *node, void *context) {
    steady_walk *walk = context;
    switch (node->kind) {
    case HT_NODE_CONSTANT:
    case HT_NODE_INDEX:
    case HT_NODE_GLOBAL:
    case HT_NODE_BINARY:
    case HT_NODE_UNARY:
    case HT_NODE_CONDITIONAL:
    case HT_NODE_PAREN:
    case HT_NODE_CAST:
        break;
    case HT_NODE_MEMBER:
        walk->steady = walk->steady && !node->arrow;
        break;
    case HT_NODE_NAME:
        follow(walk, node);
        break;
    default:
        walk->steady = false;
    }
    return walk->steady;
}

static bool is_continue(const ht_node *node) {
    if (node->kind == HT_NODE_COMPOUND && node->count == 1)
        node = node->children[0];
    return node->kind == HT_NODE_CONTINUE;
}

static bool is_test(ht_coarsen *c, ht_node *node) {
    if (node->kind != HT_NODE_IF || node->children[2] || !node->children[0]->plain)
        return false;
    steady_walk walk = {.c = c, .at = node, .steady = true};
    ht_node_walk(node->children[0], on_steady, &walk);
    return walk.steady;
}

/* Does the step bring the counter towards the bound, for good? */
static bool ends(const ht_node *condition, const ht_node *step) {
    bool below = condition->op == CXBinaryOperator_LT || condition->op == CXBinaryOperator_LE;
    bool above = condition->op == CXBinaryOperator_GT || condition->op == CXBinaryOperator_GE;
    if (step->kind == HT_NODE_STEP) {
        bool up = step->op == CXUnaryOperator_PreInc || step->op == CXUnaryOperator_PostInc;
        return up ? below : above;
    }
    CXEvalResult result = clang_Cursor_Evaluate(step->children[1]->cursor);
    bool known = result && clang_EvalResult_getKind(result) == CXEval_Int;
    long long value = known ? clang_EvalResult_getAsLongLong(result) : 0;
    if (result)
        clang_EvalResult_dispose(result);
    return value > 0 && ((step->op == CXBinaryOperator_AddAssign && below) ||
                         (step->op == CXBinaryOperator_SubAssign && above));
}

/* Counts up or down, and does nothing else: what stands in the header could be run where it was
 * not. */
bool ht_carry_is_loop(ht_coarsen *c, const ht_node *node) {
    if (node->kind != HT_NODE_FOR || !node->children[0] || !node->children[1] || !node->children[2])
        return false;
    const ht_node *init = node->children[0], *step = node->children[2];
    ht_node *condition = node->children[1];
    bool steps = step->kind == HT_NODE_STEP || step->kind == HT_NODE_ASSIGN;
    if (init->kind != HT_NODE_DECLARATION || init->count != 1 || init->children[0]->count != 1 ||
        condition->kind != HT_NODE_BINARY || !steps)
        return false;
    size_t counter = init->children[0]->variable;
    ht_node *first = init->children[0]->children[0], *asked = ht_node_strip(condition->children[0]);
    const ht_node *root = ht_lvalue_root(c, step->children[0]);
    return !ht_node_is_risky(first) && !ht_node_has_change(c, first) &&
           !ht_node_is_risky(condition) && !ht_node_has_change(c, condition) && root &&
           root->variable == counter && asked->kind == HT_NODE_NAME && asked->variable == counter &&
           ends(condition, step);
}

static bool has_loop(ht_coarsen *c, const ht_node *node) {
    if (ht_carry_is_loop(c, node))
        return true;
    for (size_t i = 0; node->kind == HT_NODE_COMPOUND && i < node->count; ++i)
        if (has_loop(c, node->children[i]))
            return true;
    return false;
}

bool ht_carry_skips(ht_coarsen *c, ht_node **list, size_t at, size_t count) {
    if (!is_test(c, list[at]) || !is_continue(list[at]->children[1]))
        return false;
    for (size_t i = at + 1; i < count; ++i)
        if (has_loop(c, list[i]))
            return true;
    return false;
}

bool ht_carry_enters(ht_coarsen *c, ht_node *node) {
    return is_test(c, node) && has_loop(c, node->children[1]);
}

/* ---- where they are asked for ---- */

static void visit_skips(const ht_node *node, ht_carry_visit *visit, void *context) {
    const ht_node *list = node->parent;
    for (size_t i = 0; i < list->count && list->children[i] != node; ++i)
        if (list->children[i]->skips)
            visit(list->children[i], true, context);
}

void ht_carried_visit(const ht_node *node, ht_carry_visit *visit, void *context) {
    if (!node->parent)
        return;
    ht_carried_visit(node->parent, visit, context);
    if (node->parent->kind == HT_NODE_COMPOUND)
        visit_skips(node, visit, context);
    if (node->parent->enters && !node->parent->apart && node != node->parent->children[0])
        visit(node->parent, false, context);
}
