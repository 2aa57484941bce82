/* Walking the tree of a kernel's body. */
#include "refactor/transformations/coarsen/coarsen.h"

ht_node *ht_node_strip(ht_node *node) {
    while (node && (node->kind == HT_NODE_PAREN || node->kind == HT_NODE_CAST))
        node = node->children[0];
    return node;
}

void ht_node_walk(ht_node *node, bool (*visit)(ht_node *node, void *context), void *context) {
    if (!node || !visit(node, context))
        return;
    for (size_t i = 0; i < node->count; ++i)
        ht_node_walk(node->children[i], visit, context);
}

bool ht_node_within(const ht_node *node, const ht_node *ancestor) {
    while (node && node != ancestor)
        node = node->parent;
    return node != NULL;
}

/* Is this part of a node evaluated whenever the node is? */
static bool is_always(const ht_node *node, const ht_node *part) {
    switch (node->kind) {
    case HT_NODE_IF:
    case HT_NODE_CONDITIONAL:
        return part == node->children[0];
    case HT_NODE_BINARY:
        return part == node->children[0] ||
               (node->op != CXBinaryOperator_LAnd && node->op != CXBinaryOperator_LOr);
    case HT_NODE_COMPOUND:
    case HT_NODE_DECLARATION:
        return true;
    default:
        return node->kind > HT_NODE_EMPTY;
    }
}

bool ht_node_is_certain(const ht_node *node, const ht_node *root) {
    for (; node != root; node = node->parent)
        if (!is_always(node->parent, node))
            return false;
    return true;
}

bool ht_node_is_separate(const ht_node *node, const ht_node *root) {
    for (; node != root && node->parent; node = node->parent) {
        const ht_node *parent = node->parent;
        if (parent->kind == HT_NODE_BINARY &&
            parent->children[0]->range.end > parent->children[1]->range.begin)
            return false;
        if (parent->kind == HT_NODE_UNARY && parent->range.begin >= node->range.begin)
            return false;
    }
    return true;
}

bool ht_node_is_loop(const ht_node *node) {
    return node->kind == HT_NODE_FOR || node->kind == HT_NODE_WHILE || node->kind == HT_NODE_DO;
}

bool ht_node_escapes(const ht_node *jump, const ht_node *root) {
    if (jump->kind == HT_NODE_RETURN)
        return true;
    for (const ht_node *node = jump; node; node = node->parent) {
        if (ht_node_is_loop(node) || (jump->kind == HT_NODE_BREAK && node->kind == HT_NODE_SWITCH))
            return false;
        if (node == root)
            return true;
    }
    return true;
}

static bool on_risk(ht_node *node, void *context) {
    bool divides = node->kind == HT_NODE_BINARY &&
                   (node->op == CXBinaryOperator_Div || node->op == CXBinaryOperator_Rem);
    *(bool *)context |= node->kind == HT_NODE_SUBSCRIPT || node->kind == HT_NODE_DEREFERENCE ||
                        node->kind == HT_NODE_CALL || node->arrow || divides ||
                        ht_node_is_loop(node);
    return true;
}

bool ht_node_is_risky(ht_node *node) {
    bool risky = false;
    ht_node_walk(node, on_risk, &risky);
    return risky;
}
