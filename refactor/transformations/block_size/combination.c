#include "refactor/transformations/block_size/combination.h"

#include "refactor/transformations/block_size/choice.h"

typedef struct accumulating {
    size_t variable;
    ht_combine op;
    size_t updates; /* names of the variable in statements that combine */
    bool bad;
} accumulating;

/* Returns how often a node names a variable. */
static size_t mention_count(const ht_syntax *node, size_t variable) {
    size_t count = node->kind == HT_SYNTAX_NAME && node->variable == variable;
    for (size_t i = 0; i < node->count; ++i)
        count += node->children[i] ? mention_count(node->children[i], variable) : 0;
    return count;
}

static bool is_it(const ht_syntax *node, size_t variable) {
    const ht_syntax *name = ht_syntax_strip_implicit(node);
    return name->kind == HT_SYNTAX_NAME && name->variable == variable;
}

/* Which combination v = v + x, v = fmaxf(v, x), v = fmaf(a, b, v) is. */
static ht_combine combined(const ht_syntax *value, size_t variable) {
    const ht_syntax *node = ht_syntax_strip_implicit(value), *left, *right;
    int op;
    if (node->kind == HT_SYNTAX_CALL && node->op == 2 && !node->call->of_user)
        return is_it(node->children[0], variable) || is_it(node->children[1], variable)
                   ? ht_combine_of_call(node->call->name)
                   : HT_COMBINE_NONE;
    if (node->kind == HT_SYNTAX_CALL && node->op == 3 && !node->call->of_user)
        return (ht_syntax_calls(node, "fmaf") || ht_syntax_calls(node, "fma") ||
                ht_syntax_calls(node, "__fmaf_rn")) &&
                       is_it(node->children[2], variable)
                   ? HT_COMBINE_SUM
                   : HT_COMBINE_NONE;
    ht_choice choice;
    if (node->kind == HT_SYNTAX_CONDITIONAL && ht_choice_read(node, &choice))
        return is_it(choice.a, variable) || is_it(choice.b, variable) ? choice.op : HT_COMBINE_NONE;
    if (!ht_syntax_binary(node, &op, &left, &right))
        return HT_COMBINE_NONE;
    bool sum = op == HT_BINARY_ADD && (is_it(left, variable) || is_it(right, variable));
    return sum || (op == HT_BINARY_SUB && is_it(left, variable)) ? HT_COMBINE_SUM : HT_COMBINE_NONE;
}

/* Takes an update that names the variable this often, target included. */
static void take(accumulating *in, const ht_syntax *node, ht_combine op, size_t wanted) {
    in->bad |= op == HT_COMBINE_NONE || (in->op != HT_COMBINE_NONE && op != in->op) ||
               mention_count(node, in->variable) != wanted;
    in->op = op;
    in->updates += wanted;
}

static bool on_update(const ht_syntax *node, void *context) {
    accumulating *in = context;
    ht_choice choice;
    if (node->kind == HT_SYNTAX_IF && ht_choice_read(node, &choice) &&
        is_it(choice.target, in->variable)) {
        take(in, node, choice.op, 2);
        return false;
    }
    if (node->kind != HT_SYNTAX_ASSIGN || !is_it(node->children[0], in->variable))
        return true;
    bool adds = node->op == HT_BINARY_ADD_ASSIGN || node->op == HT_BINARY_SUB_ASSIGN;
    ht_combine op = adds                           ? HT_COMBINE_SUM
                    : node->op == HT_BINARY_ASSIGN ? combined(node->children[1], in->variable)
                                                   : HT_COMBINE_NONE;
    bool chosen =
        !adds && ht_syntax_strip_implicit(node->children[1])->kind == HT_SYNTAX_CONDITIONAL;
    in->bad |= ht_syntax_is_expression(node->parent);
    take(in, node, op, adds ? 1 : chosen ? 3 : 2);
    return true;
}

ht_combine ht_combination_in(const ht_syntax *loop, size_t variable) {
    accumulating in = {.variable = variable};
    ht_syntax_walk(loop, on_update, &in);
    return in.bad || in.updates != mention_count(loop, variable) ? HT_COMBINE_NONE : in.op;
}
