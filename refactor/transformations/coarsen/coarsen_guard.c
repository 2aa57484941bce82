#include "refactor/transformations/coarsen/coarsen_guard.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/steady.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

#include <stdlib.h>

/* Returns true if a comparison of this with a bound holds for all outputs between the first and the
 * last whenever it holds for these two. */
static bool is_monotone(const ht_coarsen *c, const ht_syntax *node) {
    const ht_syntax *inner = ht_syntax_strip(node);
    if (inner->kind == HT_SYNTAX_GLOBAL ||
        (inner->kind == HT_SYNTAX_NAME && inner->variable == c->x))
        return true;
    for (; node != inner; node = node->children[0])
        if (node->type != HT_TYPE_INTEGER || !node->is_signed)
            return false;
    return inner->type == HT_TYPE_INTEGER && inner->is_signed;
}

static ht_guard_term read_term(ht_coarsen *c, const ht_syntax *node, bool negative) {
    ht_guard_term term = {.node = node, .negated = negative, .kind = HT_TERM_OTHER};
    if (ht_node_share(c, node) == HT_SHARE_SAME && !ht_syntax_has_change(node)) {
        term.kind = HT_TERM_SAME;
        return term;
    }
    const ht_syntax *inner = ht_syntax_strip(node);
    if (inner->kind != HT_SYNTAX_BINARY || inner->op < HT_BINARY_LT || inner->op > HT_BINARY_GE)
        return term;
    ht_share left = ht_node_share(c, inner->children[0]);
    ht_share right = ht_node_share(c, inner->children[1]);
    if ((left == HT_SHARE_SAME && ht_node_is_linear(c, inner->children[1])) ||
        (right == HT_SHARE_SAME && ht_node_is_linear(c, inner->children[0])))
        term.kind = ht_syntax_has_change(inner) ? HT_TERM_OTHER : HT_TERM_LINEAR;
    bool step_left = left == HT_SHARE_STEP && right == HT_SHARE_SAME;
    if (!step_left && !(left == HT_SHARE_SAME && right == HT_SHARE_STEP))
        return term;
    term.node = inner;
    term.step = inner->children[step_left ? 0 : 1];
    term.bound = inner->children[step_left ? 1 : 0];
    if (!is_monotone(c, term.step) || ht_syntax_has_change(inner))
        return term;
    term.op = negative ? ht_operator_negated(inner->op) : inner->op;
    int seen_from_step = step_left ? term.op : ht_operator_mirrored(term.op);
    term.upper = seen_from_step == HT_BINARY_LT || seen_from_step == HT_BINARY_LE;
    term.kind = HT_TERM_INDEX;
    return term;
}

/* Returns true for a variable like const bool inside = x < W && ...; made of values that do not
 * change. */
static bool is_condition(ht_coarsen *c, size_t index) {
    const ht_syntax_variable *variable = &c->tree->variables[index];
    if (variable->type != HT_TYPE_BOOL || !variable->declaration || !variable->declaration->count ||
        c->tree->variables[index].changed)
        return false;
    return ht_syntax_is_steady(variable->declaration->children[0], &(ht_steady){0});
}

void ht_guard_collect(ht_coarsen *c, const ht_syntax *node, bool negative, ht_guard *guard) {
    const ht_syntax *inner = ht_syntax_strip(node);
    if (inner->kind == HT_SYNTAX_UNARY && inner->op == HT_UNARY_NOT) {
        ht_guard_collect(c, inner->children[0], !negative, guard);
        return;
    }
    if (inner->kind == HT_SYNTAX_NAME && is_condition(c, inner->variable)) {
        ht_guard_collect(c, c->tree->variables[inner->variable].declaration->children[0], negative,
                         guard);
        return;
    }
    int joint = negative ? HT_BINARY_OR : HT_BINARY_AND;
    if (inner->kind == HT_SYNTAX_BINARY && inner->op == joint) {
        ht_guard_collect(c, inner->children[0], negative, guard);
        ht_guard_collect(c, inner->children[1], negative, guard);
        return;
    }
    HT_GROW(guard->terms, guard->term_count);
    guard->terms[guard->term_count++] = read_term(c, node, negative);
}

/* Makes other terms of those that may fault for threads which fail an earlier test: they must not
 * be evaluated for all. */
static void hide_risky(ht_guard *guard) {
    bool index = false, other = false;
    for (size_t i = 0; i < guard->term_count; ++i)
        other |= guard->terms[i].kind >= HT_TERM_LINEAR;
    for (size_t i = 0; i < guard->term_count; ++i) {
        ht_guard_term *term = &guard->terms[i];
        bool risky = ht_syntax_is_risky(term->node);
        if (risky && term->kind == HT_TERM_SAME && index)
            term->kind = HT_TERM_OTHER;
        if (risky && term->kind == HT_TERM_INDEX && i > 0 && other)
            term->kind = HT_TERM_OTHER;
        index |= term->kind == HT_TERM_INDEX;
    }
}

bool ht_guard_read(ht_coarsen *c, const ht_syntax *statement, ht_guard *out_guard) {
    *out_guard = (ht_guard){.statement = statement};
    if (statement->kind != HT_SYNTAX_IF)
        return false;
    out_guard->leaves = ht_syntax_is_return(statement->children[1]);
    if (statement->children[2] &&
        (out_guard->leaves || !ht_syntax_is_return(statement->children[2])))
        return false;
    ht_guard_collect(c, statement->children[0], out_guard->leaves, out_guard);
    hide_risky(out_guard);
    out_guard->only_known = true;
    for (size_t i = 0; i < out_guard->term_count; ++i) {
        const ht_guard_term *term = &out_guard->terms[i];
        out_guard->has_index |= term->kind == HT_TERM_INDEX;
        out_guard->has_upper |= term->kind == HT_TERM_INDEX && term->upper;
        out_guard->only_known &= term->kind <= HT_TERM_INDEX;
    }
    return true;
}

bool ht_guard_has(const ht_guard *guard, ht_term_kind kind) {
    for (size_t i = 0; i < guard->term_count; ++i)
        if (guard->terms[i].kind == kind)
            return true;
    return false;
}

void ht_guard_free(ht_guard *guard) {
    free(guard->terms);
    *guard = (ht_guard){0};
}
