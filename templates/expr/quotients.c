#include "templates/expr/quotients.h"

#include "templates/expr/expr_node.h"

typedef void (*quotient_visit)(void *context, const ht_expr *dividend, const ht_expr *divisor,
                               ht_quotient kind);

static ht_expr part_of(const ht_expr *expr, ht_node *node) {
    return (ht_expr){expr->file, node->line, node->column, node};
}

/* Returns true if `term` is one of those that a sum adds. */
static bool adds(const ht_expr *sum, const ht_expr *term) {
    ht_node *node = sum->root;
    bool plus = node->kind == HT_NODE_BINARY && node->op == HT_OP_ADD;
    bool minus = node->kind == HT_NODE_BINARY && node->op == HT_OP_SUBTRACT;
    if (ht_expr_equal(sum, term))
        return true;
    if (!plus && !minus)
        return false;
    const ht_expr left = part_of(sum, node->children[0]), right = part_of(sum, node->children[1]);
    return adds(&left, term) || (plus && adds(&right, term));
}

void ht_expr_quotients(const ht_expr *expr, quotient_visit visit, void *context) {
    if (!expr)
        return;
    ht_node *node = expr->root;
    bool up = node->kind == HT_NODE_CALL && node->op == HT_FN_CEIL_DIV;
    if (up || (node->kind == HT_NODE_BINARY && node->op == HT_OP_DIVIDE)) {
        const ht_expr dividend = part_of(expr, node->children[0]);
        const ht_expr divisor = part_of(expr, node->children[1]);
        bool padded = !ht_expr_equal(&dividend, &divisor) && adds(&dividend, &divisor);
        visit(context, &dividend, &divisor,
              up       ? HT_QUOTIENT_UP
              : padded ? HT_QUOTIENT_PADDED
                       : HT_QUOTIENT_DOWN);
    }
    for (size_t i = 0; i < node->child_count; ++i) {
        const ht_expr child = part_of(expr, node->children[i]);
        ht_expr_quotients(&child, visit, context);
    }
}

void ht_expr_limits(const ht_expr *expr,
                    void (*visit)(void *context, const ht_expr *lesser, const ht_expr *greater),
                    void *context) {
    if (!expr)
        return;
    ht_node *node = expr->root;
    bool binary = node->kind == HT_NODE_BINARY;
    bool below = binary && (node->op == HT_OP_LESS || node->op == HT_OP_LESS_EQUAL);
    bool above = binary && (node->op == HT_OP_GREATER || node->op == HT_OP_GREATER_EQUAL);
    if (below || above) {
        const ht_expr left = part_of(expr, node->children[0]);
        const ht_expr right = part_of(expr, node->children[1]);
        visit(context, below ? &left : &right, below ? &right : &left);
    }
    for (size_t i = 0; i < node->child_count; ++i) {
        const ht_expr child = part_of(expr, node->children[i]);
        ht_expr_limits(&child, visit, context);
    }
}
