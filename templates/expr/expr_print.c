#include "templates/expr/expr_node.h"

#include <inttypes.h>

static void print(const ht_node *node, int precedence, ht_text *out);

static int precedence_of(const ht_node *node) {
    switch (node->kind) {
    case HT_NODE_NUMBER:
        return node->number < 0 ? HT_PRECEDENCE_UNARY : HT_PRECEDENCE_PRIMARY;
    case HT_NODE_UNARY:
    case HT_NODE_BINARY:
        return ht_operators[node->op].precedence;
    case HT_NODE_CONDITIONAL:
        return HT_PRECEDENCE_CONDITIONAL;
    default:
        return HT_PRECEDENCE_PRIMARY;
    }
}

static void print_unary(const ht_node *node, ht_text *out) {
    const ht_node *operand = node->children[0];
    bool doubles = (operand->kind == HT_NODE_UNARY && operand->op == node->op) ||
                   (operand->kind == HT_NODE_NUMBER && operand->number < 0);
    ht_text_append(out, ht_operators[node->op].text);
    if (doubles && (node->op == HT_OP_MINUS || node->op == HT_OP_PLUS))
        ht_text_append(out, " "); /* "- -x": "--x" reads as a decrement */
    print(operand, HT_PRECEDENCE_UNARY, out);
}

static void print_call(const ht_node *node, ht_text *out) {
    ht_text_printf(out, "%s(", ht_functions[node->op].name);
    for (size_t i = 0; i < node->child_count; ++i) {
        if (i)
            ht_text_append(out, ", ");
        print(node->children[i], HT_PRECEDENCE_CONDITIONAL, out);
    }
    ht_text_append(out, ")");
}

static void print_bare(const ht_node *node, ht_text *out) {
    int own = precedence_of(node);
    switch (node->kind) {
    case HT_NODE_NUMBER:
        ht_text_printf(out, "%" PRId64, node->number);
        break;
    case HT_NODE_BOOLEAN:
        ht_text_append(out, node->number ? "true" : "false");
        break;
    case HT_NODE_NAME:
        ht_text_append(out, node->name);
        break;
    case HT_NODE_SIZEOF:
        ht_text_printf(out, "sizeof(%s)", node->name);
        break;
    case HT_NODE_UNARY:
        print_unary(node, out);
        break;
    case HT_NODE_BINARY:
        print(node->children[0], own, out);
        ht_text_printf(out, " %s ", ht_operators[node->op].text);
        print(node->children[1], own + 1, out);
        break;
    case HT_NODE_CONDITIONAL:
        print(node->children[0], own + 1, out);
        ht_text_append(out, " ? ");
        print(node->children[1], own, out);
        ht_text_append(out, " : ");
        print(node->children[2], own, out);
        break;
    case HT_NODE_CALL:
        print_call(node, out);
        break;
    }
}

/* Prints in parentheses when the tree binds less than `precedence`. */
static void print(const ht_node *node, int precedence, ht_text *out) {
    bool parentheses = precedence_of(node) < precedence;
    if (parentheses)
        ht_text_append(out, "(");
    print_bare(node, out);
    if (parentheses)
        ht_text_append(out, ")");
}

void ht_expr_print(const ht_expr *expr, ht_text *out) {
    print(expr->root, HT_PRECEDENCE_CONDITIONAL, out);
}

char *ht_expr_string(const ht_expr *expr) {
    ht_text text = {0};
    ht_expr_print(expr, &text);
    return ht_text_take(&text);
}
