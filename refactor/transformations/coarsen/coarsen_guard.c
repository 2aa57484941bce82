/* Reads the conditions that keep threads behind the end from doing anything. */
#include "base/memory.h"
#include "refactor/transformations/coarsen/coarsen.h"

#include <stdlib.h>

/* If the first and the last output satisfy a comparison of this with a bound, do all between? */
static bool is_monotone(const ht_coarsen *c, ht_node *node) {
    ht_node *inner = ht_node_strip(node);
    if (inner->kind == HT_NODE_GLOBAL || (inner->kind == HT_NODE_NAME && inner->variable == c->x))
        return true;
    for (; node != inner; node = node->children[0])
        if (node->type != HT_TYPE_INTEGER || !node->is_signed)
            return false;
    return inner->type == HT_TYPE_INTEGER && inner->is_signed;
}

static ht_guard_term read_term(ht_coarsen *c, ht_node *node, bool negative) {
    ht_guard_term term = {.node = node, .negated = negative, .kind = HT_TERM_OTHER};
    if (ht_node_share(c, node) == HT_SHARE_SAME && !ht_node_has_change(c, node)) {
        term.kind = HT_TERM_SAME;
        return term;
    }
    ht_node *inner = ht_node_strip(node);
    if (inner->kind != HT_NODE_BINARY || inner->op < CXBinaryOperator_LT ||
        inner->op > CXBinaryOperator_GE)
        return term;
    ht_share left = ht_node_share(c, inner->children[0]);
    ht_share right = ht_node_share(c, inner->children[1]);
    if ((left == HT_SHARE_SAME && ht_node_is_linear(c, inner->children[1])) ||
        (right == HT_SHARE_SAME && ht_node_is_linear(c, inner->children[0])))
        term.kind = ht_node_has_change(c, inner) ? HT_TERM_OTHER : HT_TERM_LINEAR;
    bool step_left = left == HT_SHARE_STEP && right == HT_SHARE_SAME;
    if (!step_left && !(left == HT_SHARE_SAME && right == HT_SHARE_STEP))
        return term;
    term.node = inner;
    term.step = inner->children[step_left ? 0 : 1];
    term.bound = inner->children[step_left ? 1 : 0];
    if (!is_monotone(c, term.step) || ht_node_has_change(c, inner))
        return term;
    term.op = negative ? (int)ht_ast_negated((enum CXBinaryOperatorKind)inner->op) : inner->op;
    int seen_from_step =
        step_left ? term.op : (int)ht_ast_mirrored((enum CXBinaryOperatorKind)term.op);
    term.upper = seen_from_step == CXBinaryOperator_LT || seen_from_step == CXBinaryOperator_LE;
    term.kind = HT_TERM_INDEX;
    return term;
}

typedef struct constant_walk {
    ht_coarsen *c;
    bool constant;
} constant_walk;

static bool on_constant(ht_node *node, void *context) {
    constant_walk *walk = context;
    if (node->kind == HT_NODE_NAME)
        walk->constant &= ht_variable_is_constant(walk->c, node->variable);
    walk->constant &= node->kind != HT_NODE_CALL && node->kind != HT_NODE_SUBSCRIPT &&
                      node->kind != HT_NODE_DEREFERENCE;
    return true;
}

/* const bool inside = x < W && ...; of things that do not change. */
static bool is_condition(ht_coarsen *c, size_t index) {
    const ht_variable *variable = &c->variables[index];
    CXType type = clang_getCanonicalType(clang_getCursorType(variable->cursor));
    if (type.kind != CXType_Bool || !variable->declaration || !variable->declaration->count ||
        !ht_variable_is_constant(c, index))
        return false;
    constant_walk walk = {c, true};
    ht_node_walk(variable->declaration->children[0], on_constant, &walk);
    return walk.constant;
}

void ht_guard_collect(ht_coarsen *c, ht_node *node, bool negative, ht_guard *guard) {
    ht_node *inner = ht_node_strip(node);
    if (inner->kind == HT_NODE_UNARY && inner->op == CXUnaryOperator_LNot) {
        ht_guard_collect(c, inner->children[0], !negative, guard);
        return;
    }
    if (inner->kind == HT_NODE_NAME && is_condition(c, inner->variable)) {
        ht_guard_collect(c, c->variables[inner->variable].declaration->children[0], negative,
                         guard);
        return;
    }
    int joint = negative ? CXBinaryOperator_LOr : CXBinaryOperator_LAnd;
    if (inner->kind == HT_NODE_BINARY && inner->op == joint) {
        ht_guard_collect(c, inner->children[0], negative, guard);
        ht_guard_collect(c, inner->children[1], negative, guard);
        return;
    }
    HT_GROW(guard->terms, guard->term_count);
    guard->terms[guard->term_count++] = read_term(c, node, negative);
}

bool ht_statement_leaves(const ht_node *node) {
    while (node->kind == HT_NODE_COMPOUND && node->count == 1)
        node = node->children[0];
    return node->kind == HT_NODE_RETURN;
}

/* What is asked only of threads that passed another test must not be asked of all. */
static void hide_risky(ht_guard *guard) {
    bool index = false, other = false;
    for (size_t i = 0; i < guard->term_count; ++i)
        other |= guard->terms[i].kind >= HT_TERM_LINEAR;
    for (size_t i = 0; i < guard->term_count; ++i) {
        ht_guard_term *term = &guard->terms[i];
        bool risky = ht_node_is_risky(term->node);
        if (risky && term->kind == HT_TERM_SAME && index)
            term->kind = HT_TERM_OTHER;
        if (risky && term->kind == HT_TERM_INDEX && i > 0 && other)
            term->kind = HT_TERM_OTHER;
        index |= term->kind == HT_TERM_INDEX;
    }
}

bool ht_guard_read(ht_coarsen *c, ht_node *statement, ht_guard *out_guard) {
    *out_guard = (ht_guard){.statement = statement};
    if (statement->kind != HT_NODE_IF)
        return false;
    out_guard->leaves = ht_statement_leaves(statement->children[1]);
    if (statement->children[2] &&
        (out_guard->leaves || !ht_statement_leaves(statement->children[2])))
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

void ht_guard_free(ht_guard *guard) {
    free(guard->terms);
    *guard = (ht_guard){0};
}
