#include "templates/expr/expr_node.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

const ht_operator_info ht_operators[] = {
    [HT_OP_OR] = {"||", 2},
    [HT_OP_AND] = {"&&", 3},
    [HT_OP_BIT_OR] = {"|", 4},
    [HT_OP_BIT_XOR] = {"^", 5},
    [HT_OP_BIT_AND] = {"&", 6},
    [HT_OP_EQUAL] = {"==", 7},
    [HT_OP_NOT_EQUAL] = {"!=", 7},
    [HT_OP_LESS] = {"<", HT_PRECEDENCE_RELATIONAL},
    [HT_OP_LESS_EQUAL] = {"<=", HT_PRECEDENCE_RELATIONAL},
    [HT_OP_GREATER] = {">", HT_PRECEDENCE_RELATIONAL},
    [HT_OP_GREATER_EQUAL] = {">=", HT_PRECEDENCE_RELATIONAL},
    [HT_OP_SHIFT_LEFT] = {"<<", 9},
    [HT_OP_SHIFT_RIGHT] = {">>", 9},
    [HT_OP_ADD] = {"+", HT_PRECEDENCE_ADDITIVE},
    [HT_OP_SUBTRACT] = {"-", HT_PRECEDENCE_ADDITIVE},
    [HT_OP_MULTIPLY] = {"*", HT_PRECEDENCE_MULTIPLICATIVE},
    [HT_OP_DIVIDE] = {"/", HT_PRECEDENCE_MULTIPLICATIVE},
    [HT_OP_REMAINDER] = {"%", HT_PRECEDENCE_MULTIPLICATIVE},
    [HT_OP_MINUS] = {"-", HT_PRECEDENCE_UNARY},
    [HT_OP_PLUS] = {"+", HT_PRECEDENCE_UNARY},
    [HT_OP_NOT] = {"!", HT_PRECEDENCE_UNARY},
    [HT_OP_COMPLEMENT] = {"~", HT_PRECEDENCE_UNARY},
};

const ht_function_info ht_functions[HT_FN_COUNT] = {
    [HT_FN_MIN] = {"min", 2, true},
    [HT_FN_MAX] = {"max", 2, true},
    [HT_FN_CEIL_DIV] = {"ceil_div", 2, false},
    [HT_FN_ROUND_UP] = {"round_up", 2, false},
    [HT_FN_ABS] = {"abs", 1, false},
    [HT_FN_CLAMP] = {"clamp", 3, false},
    [HT_FN_IS_POW2] = {"is_pow2", 1, false},
    [HT_FN_LOG2] = {"log2", 1, false},
    [HT_FN_POW2] = {"pow2", 1, false},
    [HT_FN_GCD] = {"gcd", 2, false},
};

bool ht_expr_reserved(const char *name) {
    static const char *const words[] = {"true", "false", "sizeof", "problem", "device"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (!strcmp(name, words[i]))
            return true;
    for (size_t i = 0; i < HT_FN_COUNT; ++i)
        if (!strcmp(name, ht_functions[i].name))
            return true;
    return false;
}

ht_node *ht_node_new(ht_node_kind kind, int line, int column) {
    ht_node *node = ht_alloc(1, sizeof *node);
    node->kind = kind;
    node->line = line;
    node->column = column;
    node->depth = 1;
    return node;
}

void ht_node_add(ht_node *node, ht_node *child) {
    HT_GROW(node->children, node->child_count);
    node->children[node->child_count++] = child;
    if (node->depth <= child->depth)
        node->depth = child->depth + 1;
}

void ht_node_free(ht_node *node) {
    if (!node)
        return;
    for (size_t i = 0; i < node->child_count; ++i)
        ht_node_free(node->children[i]);
    free(node->children);
    free(node->name);
    free(node);
}

static ht_node *copy_node(const ht_node *node) {
    ht_node *copy = ht_node_new(node->kind, node->line, node->column);
    copy->op = node->op;
    copy->number = node->number;
    copy->name = node->name ? ht_strdup(node->name) : NULL;
    for (size_t i = 0; i < node->child_count; ++i)
        ht_node_add(copy, copy_node(node->children[i]));
    return copy;
}

ht_expr *ht_expr_copy(const ht_expr *expr) {
    if (!expr)
        return NULL;
    ht_expr *copy = ht_alloc(1, sizeof *copy);
    copy->file = expr->file ? ht_strdup(expr->file) : NULL;
    copy->line = expr->line;
    copy->column = expr->column;
    copy->root = copy_node(expr->root);
    return copy;
}

ht_expr *ht_expr_number(int64_t value) {
    ht_expr *expr = ht_alloc(1, sizeof *expr);
    expr->root = ht_node_new(HT_NODE_NUMBER, 0, 0);
    expr->root->number = value;
    return expr;
}

void ht_expr_free(ht_expr *expr) {
    if (!expr)
        return;
    ht_node_free(expr->root);
    free(expr->file);
    free(expr);
}

static bool nodes_equal(const ht_node *a, const ht_node *b) {
    if (a->kind != b->kind || a->op != b->op || a->number != b->number ||
        a->child_count != b->child_count)
        return false;
    if (a->name && strcmp(a->name, b->name) != 0) /* same kind: both have a name or none has */
        return false;
    for (size_t i = 0; i < a->child_count; ++i)
        if (!nodes_equal(a->children[i], b->children[i]))
            return false;
    return true;
}

bool ht_expr_equal(const ht_expr *a, const ht_expr *b) {
    if (!a || !b)
        return a == b;
    return nodes_equal(a->root, b->root);
}

ht_place ht_expr_place(const ht_expr *expr) {
    return (ht_place){.file = expr->file, .line = expr->line, .column = expr->column};
}

static ht_status walk(const ht_expr *expr, const ht_node *node, ht_node_visit visit,
                      void *context) {
    ht_status status = HT_OK;
    if (node->kind == HT_NODE_NAME || node->kind == HT_NODE_SIZEOF)
        status = visit(context, node,
                       (ht_place){.file = expr->file, .line = node->line, .column = node->column});
    for (size_t i = 0; status == HT_OK && i < node->child_count; ++i)
        status = walk(expr, node->children[i], visit, context);
    return status;
}

ht_status ht_expr_walk_names(const ht_expr *expr, ht_node_visit visit, void *context) {
    return walk(expr, expr->root, visit, context);
}

typedef struct names_context {
    void (*visit)(void *context, const char *name);
    void *context;
} names_context;

static ht_status visit_name(void *context, const ht_node *node, ht_place place) {
    (void)place;
    names_context *names = context;
    names->visit(names->context, node->name);
    return HT_OK;
}

void ht_expr_names(const ht_expr *expr, void (*visit)(void *context, const char *name),
                   void *context) {
    names_context names = {visit, context};
    ht_expr_walk_names(expr, visit_name, &names);
}

static void choices_walk(const ht_expr *expr, ht_node *node,
                         void (*visit)(void *context, const ht_expr *condition), void *context) {
    if (node->kind == HT_NODE_CONDITIONAL) {
        const ht_expr condition = {expr->file, node->line, node->column, node->children[0]};
        visit(context, &condition);
    }
    for (size_t i = 0; i < node->child_count; ++i)
        choices_walk(expr, node->children[i], visit, context);
}

void ht_expr_choices(const ht_expr *expr, void (*visit)(void *context, const ht_expr *condition),
                     void *context) {
    if (expr)
        choices_walk(expr, expr->root, visit, context);
}

bool ht_expr_text_names(const char *text, void (*visit)(void *context, const char *name),
                        void *context) {
    ht_expr *expr;
    if (ht_expr_parse(text, (ht_place){0}, &expr, NULL) != HT_OK)
        return false;
    ht_expr_names(expr, visit, context);
    ht_expr_free(expr);
    return true;
}
