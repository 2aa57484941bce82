/* Walks a syntax tree, and answers questions about single nodes. */
#include "refactor/kernel/syntax.h"

#include <string.h>

void ht_syntax_walk(const ht_syntax *node, bool (*visit)(const ht_syntax *node, void *context),
                    void *context) {
    if (!node || !visit(node, context))
        return;
    for (size_t i = 0; i < node->count; ++i)
        ht_syntax_walk(node->children[i], visit, context);
}

const ht_syntax *ht_syntax_first(const ht_syntax *node,
                                 bool (*is)(const ht_syntax *node, const void *context),
                                 const void *context) {
    if (!node || is(node, context))
        return node;
    const ht_syntax *found = NULL;
    for (size_t i = 0; i < node->count && !found; ++i)
        found = ht_syntax_first(node->children[i], is, context);
    return found;
}

bool ht_syntax_within(const ht_syntax *node, const ht_syntax *ancestor) {
    while (node && node != ancestor)
        node = node->parent;
    return node != NULL;
}

bool ht_syntax_within_any(const ht_syntax *node, ht_syntax_list list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
        if (ht_syntax_within(node, list[i]))
            return true;
    return false;
}

/* ---- kinds ---- */

bool ht_syntax_is_expression(const ht_syntax *node) {
    return node->kind > HT_SYNTAX_VARIABLE;
}

bool ht_syntax_is_loop(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_FOR || node->kind == HT_SYNTAX_WHILE ||
           node->kind == HT_SYNTAX_DO;
}

bool ht_syntax_is_jump(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_RETURN || node->kind == HT_SYNTAX_BREAK ||
           node->kind == HT_SYNTAX_CONTINUE;
}

bool ht_syntax_is_element(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_SUBSCRIPT || node->kind == HT_SYNTAX_DEREFERENCE;
}

const ht_syntax *ht_syntax_strip(const ht_syntax *node) {
    while (node && (node->kind == HT_SYNTAX_PAREN || node->kind == HT_SYNTAX_CAST))
        node = node->children[0];
    return node;
}

/* Returns the object of a call that only converts it, as the index types of HIP's headers do to
 * integers; NULL: it is something else. */
static const ht_syntax *converted(const ht_syntax *node) {
    if (node->kind != HT_SYNTAX_CALL || node->op != 1 || node->count != 1)
        return NULL;
    const char *name = node->call->name;
    bool conversion = node->call->has_object && strncmp(name, "operator ", 9) == 0 &&
                      name[9] >= 'a' && name[9] <= 'z';
    return conversion || strcmp(name, "__X") == 0 ? node->children[0] : NULL;
}

static const ht_syntax *strip(const ht_syntax *node, bool whole) {
    for (const ht_syntax *inner = node; inner;) {
        node = inner;
        bool skipped =
            node->kind == HT_SYNTAX_PAREN ||
            (node->kind == HT_SYNTAX_CAST && (!node->written || (whole && node->is_whole)));
        inner = skipped ? node->children[0] : converted(node);
    }
    return node;
}

const ht_syntax *ht_syntax_strip_whole(const ht_syntax *node) {
    return strip(node, true);
}

const ht_syntax *ht_syntax_strip_implicit(const ht_syntax *node) {
    return strip(node, false);
}

const ht_syntax *ht_syntax_written(const ht_syntax *node) {
    while (node->kind == HT_SYNTAX_CAST && !node->written)
        node = node->children[0];
    return node;
}

const ht_syntax_variable *ht_syntax_named(const ht_syntax *node) {
    node = ht_syntax_strip(node);
    return node && node->variable != SIZE_MAX ? &node->tree->variables[node->variable] : NULL;
}

bool ht_syntax_calls(const ht_syntax *node, const char *name) {
    return node->kind == HT_SYNTAX_CALL && strcmp(node->call->name, name) == 0;
}

size_t ht_syntax_variables(const ht_syntax *statement, ht_syntax_list *out_list) {
    *out_list = statement->children;
    if (statement->kind == HT_SYNTAX_VARIABLE) {
        for (size_t i = 0; i < statement->parent->count; ++i)
            if (statement->parent->children[i] == statement)
                *out_list = &statement->parent->children[i];
        return 1;
    }
    return statement->kind == HT_SYNTAX_DECLARATION ? statement->count : 0;
}

bool ht_syntax_is_only(const ht_syntax_variable *variable) {
    const ht_syntax_tree *tree = variable->tree;
    for (size_t i = 0; i < tree->variable_count; ++i)
        if (i != variable->index && strcmp(tree->variables[i].name, variable->name) == 0)
            return false;
    return true;
}

const ht_syntax *ht_syntax_initializer(const ht_syntax_variable *variable) {
    const ht_syntax *declaration = variable ? variable->declaration : NULL;
    return declaration && declaration->count ? declaration->children[0] : NULL;
}

const ht_syntax *ht_syntax_kept(const ht_syntax_variable *variable) {
    bool kept = variable && variable->local && variable->local->writes == 0;
    return kept ? ht_syntax_initializer(variable) : NULL;
}

const ht_syntax *ht_syntax_fixed(const ht_syntax_variable *variable) {
    bool outside = variable && !variable->local && variable->is_const;
    return outside ? ht_syntax_initializer(variable) : ht_syntax_kept(variable);
}

bool ht_syntax_mentions(const ht_syntax *node, size_t variable) {
    if (!node || (node->kind == HT_SYNTAX_NAME && node->variable == variable))
        return node != NULL;
    for (size_t i = 0; i < node->count; ++i)
        if (ht_syntax_mentions(node->children[i], variable))
            return true;
    return false;
}

bool ht_syntax_binary(const ht_syntax *node, int *out_op, const ht_syntax **out_left,
                      const ht_syntax **out_right) {
    node = ht_syntax_strip(node);
    if (!node || (node->kind != HT_SYNTAX_BINARY && node->kind != HT_SYNTAX_ASSIGN))
        return false;
    *out_op = node->op;
    *out_left = node->children[0];
    *out_right = node->children[1];
    return true;
}

bool ht_syntax_unary(const ht_syntax *node, int *out_op, const ht_syntax **out_operand) {
    node = ht_syntax_strip(node);
    if (!node || (node->kind != HT_SYNTAX_UNARY && node->kind != HT_SYNTAX_STEP &&
                  node->kind != HT_SYNTAX_DEREFERENCE && node->kind != HT_SYNTAX_ADDRESS))
        return false;
    *out_op = node->op;
    *out_operand = node->children[0];
    return true;
}

const ht_syntax *ht_syntax_body(const ht_syntax *node) {
    switch (node->kind) {
    case HT_SYNTAX_IF:
    case HT_SYNTAX_WHILE:
    case HT_SYNTAX_SWITCH:
        return node->children[1];
    case HT_SYNTAX_FOR:
        return node->children[3];
    case HT_SYNTAX_DO:
        return node->children[0];
    default:
        return NULL;
    }
}

/* ---- text ---- */

bool ht_syntax_is_separate(const ht_syntax *node, const ht_syntax *root) {
    for (; node != root && node->parent; node = node->parent) {
        const ht_syntax *parent = node->parent;
        if (parent->kind == HT_SYNTAX_BINARY &&
            parent->children[0]->range.end > parent->children[1]->range.begin)
            return false;
        if (parent->kind == HT_SYNTAX_UNARY && parent->range.begin >= node->range.begin)
            return false;
    }
    return true;
}

bool ht_syntax_is_whole(const ht_syntax *node) {
    const char *text = node->tree->model->text;
    int depth = 0;
    for (size_t at = node->range.begin; at < node->range.end && depth >= 0; ++at)
        depth += strchr("([{", text[at]) ? 1 : strchr(")]}", text[at]) ? -1 : 0;
    return node->plain && depth == 0;
}

/* ---- what runs ---- */

/* Returns true if this part of a node is evaluated whenever the node is. */
static bool is_always(const ht_syntax *node, const ht_syntax *part) {
    switch (node->kind) {
    case HT_SYNTAX_IF:
    case HT_SYNTAX_CONDITIONAL:
        return part == node->children[0];
    case HT_SYNTAX_BINARY:
        return part == node->children[0] || (node->op != HT_BINARY_AND && node->op != HT_BINARY_OR);
    case HT_SYNTAX_COMPOUND:
    case HT_SYNTAX_DECLARATION:
        return true;
    case HT_SYNTAX_UNKNOWN:
        return false;
    default:
        return node->kind > HT_SYNTAX_EMPTY;
    }
}

bool ht_syntax_is_certain(const ht_syntax *node, const ht_syntax *root) {
    for (; node != root; node = node->parent)
        if (!is_always(node->parent, node))
            return false;
    return true;
}

bool ht_syntax_escapes(const ht_syntax *jump, const ht_syntax *root) {
    if (jump->kind == HT_SYNTAX_RETURN)
        return true;
    for (const ht_syntax *node = jump; node; node = node->parent) {
        if (ht_syntax_is_loop(node) ||
            (jump->kind == HT_SYNTAX_BREAK && node->kind == HT_SYNTAX_SWITCH))
            return false;
        if (node == root)
            return true;
    }
    return true;
}

static bool is_risk(const ht_syntax *node, const void *context) {
    (void)context;
    bool divides =
        node->kind == HT_SYNTAX_BINARY && (node->op == HT_BINARY_DIV || node->op == HT_BINARY_REM);
    return ht_syntax_is_element(node) || node->kind == HT_SYNTAX_CALL || node->arrow || divides ||
           node->kind == HT_SYNTAX_UNKNOWN || node->kind == HT_SYNTAX_UNKNOWN_STATEMENT ||
           ht_syntax_is_loop(node);
}

bool ht_syntax_is_risky(const ht_syntax *node) {
    return ht_syntax_first(node, is_risk, NULL) != NULL;
}

static bool is_fault(const ht_syntax *node, const void *context) {
    bool quotient = node->kind == HT_SYNTAX_BINARY && node->op == HT_BINARY_DIV;
    return is_risk(node, context) && !(quotient && node->type == HT_TYPE_REAL && !node->is_open);
}

bool ht_syntax_may_fault(const ht_syntax *node) {
    return ht_syntax_first(node, is_fault, NULL) != NULL;
}
