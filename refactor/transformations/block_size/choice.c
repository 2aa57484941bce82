#include "refactor/transformations/block_size/choice.h"

#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"

#include <stdlib.h>

/* Returns true if two parts of a choice, which changes nothing but its target, have one value: they
 * have the same text. */
static bool is_same(const ht_syntax *a, const ht_syntax *b) {
    a = ht_syntax_strip_implicit(a);
    b = ht_syntax_strip_implicit(b);
    return a->plain && b->plain && a->type == b->type && ht_syntax_is_same_text(a, b);
}

/* Returns the assignment that is all of an `if`; NULL: there is more to it. */
static const ht_syntax *only_assignment(const ht_syntax *statement) {
    const ht_syntax *body = statement->children[1];
    while (body->kind == HT_SYNTAX_COMPOUND && body->count == 1)
        body = body->children[0];
    body = ht_syntax_is_expression(body) ? ht_syntax_strip_implicit(body) : body;
    return body->kind == HT_SYNTAX_ASSIGN && body->op == HT_BINARY_ASSIGN ? body : NULL;
}

static ht_combine opposite(ht_combine op) {
    return op == HT_COMBINE_MAX ? HT_COMBINE_MIN : HT_COMBINE_MAX;
}

bool ht_choice_read(const ht_syntax *node, ht_choice *out) {
    const ht_syntax *assign = NULL, *taken, *left;
    int op;
    bool chooses = node->kind == HT_SYNTAX_CONDITIONAL;
    if (!chooses && (node->kind != HT_SYNTAX_IF || node->children[2] ||
                     (assign = only_assignment(node)) == NULL))
        return false;
    if (!ht_syntax_binary(node->children[0], &op, &out->a, &out->b) ||
        ht_syntax_has_change(node->children[0]))
        return false;
    bool above = op == HT_BINARY_GT || op == HT_BINARY_GE;
    if (!above && op != HT_BINARY_LT && op != HT_BINARY_LE)
        return false;
    taken = chooses ? node->children[1] : assign->children[1];
    left = chooses ? node->children[2] : assign->children[0];
    bool first = is_same(taken, out->a) && is_same(left, out->b);
    bool second = is_same(taken, out->b) && is_same(left, out->a);
    out->op = above ? HT_COMBINE_MAX : HT_COMBINE_MIN;
    out->op = first ? out->op : opposite(out->op);
    out->target = assign ? assign->children[0] : NULL;
    return (first || second) && !ht_syntax_has_change(taken) &&
           !(chooses && ht_syntax_has_change(left));
}
