#include "refactor/transformations/coarsen/coarsen_carry.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/loops.h"
#include "refactor/kernel/steady.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

static bool is_continue(const ht_syntax *node) {
    if (node->kind == HT_SYNTAX_COMPOUND && node->count == 1)
        node = node->children[0];
    return node->kind == HT_SYNTAX_CONTINUE;
}

static bool is_test(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_IF && !node->children[2] && node->children[0]->plain &&
           ht_syntax_is_steady(node->children[0], &(ht_steady){.at = node, .anew = true});
}

/* Returns true for a loop that only counts up or down, so that its header may run where the
 * original did not run it. */
bool ht_carry_is_loop(const ht_syntax *node) {
    const ht_syntax_variable *counter = ht_loop_counter(node);
    const ht_syntax *first = ht_syntax_initializer(counter), *bound;
    ht_loop_step step;
    int64_t by;
    int op;
    if (!first || !ht_loop_bound(node->children[1], counter, &op, &bound) ||
        !ht_loop_step_read(node->children[2], counter, &step) || !ht_loop_step_constant(&step, &by))
        return false;
    bool ends = step.down ? op == HT_BINARY_GT || op == HT_BINARY_GE
                          : op == HT_BINARY_LT || op == HT_BINARY_LE;
    return ends && !ht_syntax_is_risky(first) && !ht_syntax_has_change(first) &&
           !ht_syntax_is_risky(node->children[1]) && !ht_syntax_has_change(node->children[1]);
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
