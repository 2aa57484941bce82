/* Checked 64-bit evaluation. */
#include "templates/expr/expr_node.h"

#include <string.h>

typedef struct evaluation {
    const ht_expr *expr;
    const ht_scope *scope;
    ht_error *error;
} evaluation;

static ht_status evaluate(const evaluation *e, const ht_node *node, int64_t *out);

static ht_status fail(const evaluation *e, const ht_node *node, const char *message) {
    return ht_error_set_at(e->error, HT_ERROR_INPUT, e->expr->file, node->line, node->column, "%s",
                           message);
}

static ht_status overflow(const evaluation *e, const ht_node *node, const char *name, int64_t a,
                          int64_t b) {
    return ht_error_set_at(e->error, HT_ERROR_INPUT, e->expr->file, node->line, node->column,
                           "overflow: %lld %s %lld does not fit 64 bits", (long long)a, name,
                           (long long)b);
}

static ht_status shift(const evaluation *e, const ht_node *node, int64_t a, int64_t b,
                       int64_t *out) {
    if (b < 0 || b > 63)
        return ht_error_set_at(e->error, HT_ERROR_INPUT, e->expr->file, node->line, node->column,
                               "shift by %lld: must be 0 to 63", (long long)b);
    if (node->op == HT_OP_SHIFT_RIGHT) {
        *out = a >> b;
        return HT_OK;
    }
    int64_t shifted = (int64_t)((uint64_t)a << b);
    if (shifted >> b != a)
        return overflow(e, node, "<<", a, b);
    *out = shifted;
    return HT_OK;
}

static ht_status divide(const evaluation *e, const ht_node *node, int64_t a, int64_t b,
                        int64_t *out) {
    const char *name = ht_operators[node->op].text;
    if (b == 0)
        return ht_error_set_at(e->error, HT_ERROR_INPUT, e->expr->file, node->line, node->column,
                               "division by zero: %lld %s 0", (long long)a, name);
    if (a == INT64_MIN && b == -1)
        return overflow(e, node, name, a, b);
    *out = node->op == HT_OP_DIVIDE ? a / b : a % b;
    return HT_OK;
}

static ht_status arithmetic(const evaluation *e, const ht_node *node, int64_t a, int64_t b,
                            int64_t *out) {
    bool bad;
    if (node->op == HT_OP_ADD)
        bad = __builtin_add_overflow(a, b, out);
    else if (node->op == HT_OP_SUBTRACT)
        bad = __builtin_sub_overflow(a, b, out);
    else
        bad = __builtin_mul_overflow(a, b, out);
    return bad ? overflow(e, node, ht_operators[node->op].text, a, b) : HT_OK;
}

static int64_t compare(int op, int64_t a, int64_t b) {
    switch (op) {
    case HT_OP_EQUAL:
        return a == b;
    case HT_OP_NOT_EQUAL:
        return a != b;
    case HT_OP_LESS:
        return a < b;
    case HT_OP_LESS_EQUAL:
        return a <= b;
    case HT_OP_GREATER:
        return a > b;
    default:
        return a >= b;
    }
}

static ht_status evaluate_binary(const evaluation *e, const ht_node *node, int64_t *out) {
    int64_t a = 0, b = 0;
    ht_status status = evaluate(e, node->children[0], &a);
    if (status != HT_OK)
        return status;
    if ((node->op == HT_OP_AND && !a) || (node->op == HT_OP_OR && a)) {
        *out = node->op == HT_OP_OR;
        return HT_OK;
    }
    if ((status = evaluate(e, node->children[1], &b)) != HT_OK)
        return status;
    switch (node->op) {
    case HT_OP_AND:
    case HT_OP_OR:
        *out = b != 0;
        return HT_OK;
    case HT_OP_BIT_OR:
        *out = a | b;
        return HT_OK;
    case HT_OP_BIT_XOR:
        *out = a ^ b;
        return HT_OK;
    case HT_OP_BIT_AND:
        *out = a & b;
        return HT_OK;
    case HT_OP_ADD:
    case HT_OP_SUBTRACT:
    case HT_OP_MULTIPLY:
        return arithmetic(e, node, a, b, out);
    case HT_OP_DIVIDE:
    case HT_OP_REMAINDER:
        return divide(e, node, a, b, out);
    case HT_OP_SHIFT_LEFT:
    case HT_OP_SHIFT_RIGHT:
        return shift(e, node, a, b, out);
    default:
        *out = compare(node->op, a, b);
        return HT_OK;
    }
}

static ht_status evaluate_unary(const evaluation *e, const ht_node *node, int64_t *out) {
    int64_t a = 0;
    ht_status status = evaluate(e, node->children[0], &a);
    if (status != HT_OK)
        return status;
    if (node->op == HT_OP_MINUS && a == INT64_MIN)
        return overflow(e, node, "-", 0, a);
    *out = node->op == HT_OP_MINUS  ? -a
           : node->op == HT_OP_NOT  ? !a
           : node->op == HT_OP_PLUS ? a
                                    : ~a;
    return HT_OK;
}

static ht_status ceil_div(const evaluation *e, const ht_node *node, int64_t a, int64_t b,
                          int64_t *out) {
    if (b == 0)
        return ht_error_set_at(e->error, HT_ERROR_INPUT, e->expr->file, node->line, node->column,
                               "division by zero: ceil_div(%lld, 0)", (long long)a);
    if (a == INT64_MIN && b == -1)
        return overflow(e, node, "/", a, b);
    *out = a / b + (a % b != 0 && (a < 0) == (b < 0));
    return HT_OK;
}

static ht_status round_up(const evaluation *e, const ht_node *node, int64_t a, int64_t b,
                          int64_t *out) {
    if (b <= 0)
        return ht_error_set_at(e->error, HT_ERROR_INPUT, e->expr->file, node->line, node->column,
                               "round_up(%lld, %lld): the multiple must be positive", (long long)a,
                               (long long)b);
    int64_t rest = a % b;
    if (rest < 0)
        rest += b;
    if (rest && __builtin_add_overflow(a, b - rest, &a))
        return fail(e, node, "overflow in round_up");
    *out = a;
    return HT_OK;
}

static ht_status gcd(const evaluation *e, const ht_node *node, int64_t a, int64_t b, int64_t *out) {
    uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    if (x > INT64_MAX)
        return fail(e, node, "overflow in gcd");
    *out = (int64_t)x;
    return HT_OK;
}

static ht_status clamp(const evaluation *e, const ht_node *node, const int64_t *values,
                       int64_t *out) {
    if (values[1] > values[2])
        return ht_error_set_at(e->error, HT_ERROR_INPUT, e->expr->file, node->line, node->column,
                               "clamp: the lower bound %lld is above the upper bound %lld",
                               (long long)values[1], (long long)values[2]);
    *out = values[0] < values[1] ? values[1] : values[0] > values[2] ? values[2] : values[0];
    return HT_OK;
}

static ht_status call_one(const evaluation *e, const ht_node *node, int64_t a, int64_t *out) {
    switch (node->op) {
    case HT_FN_ABS:
        if (a == INT64_MIN)
            return fail(e, node, "overflow in abs");
        *out = a < 0 ? -a : a;
        return HT_OK;
    case HT_FN_IS_POW2:
        *out = a > 0 && !(a & (a - 1));
        return HT_OK;
    case HT_FN_LOG2:
        if (a <= 0)
            return ht_error_set_at(e->error, HT_ERROR_INPUT, e->expr->file, node->line,
                                   node->column, "log2(%lld): the argument must be positive",
                                   (long long)a);
        *out = 63 - __builtin_clzll((unsigned long long)a);
        return HT_OK;
    default: /* HT_FN_POW2 */
        if (a < 0 || a > 62)
            return ht_error_set_at(e->error, HT_ERROR_INPUT, e->expr->file, node->line,
                                   node->column, "pow2(%lld): the exponent must be 0 to 62",
                                   (long long)a);
        *out = (int64_t)1 << a;
        return HT_OK;
    }
}

static ht_status evaluate_extreme(const evaluation *e, const ht_node *node, int64_t *out) {
    int64_t best = 0;
    for (size_t i = 0; i < node->child_count; ++i) {
        int64_t value = 0;
        ht_status status = evaluate(e, node->children[i], &value);
        if (status != HT_OK)
            return status;
        if (i == 0 || (node->op == HT_FN_MIN ? value < best : value > best))
            best = value;
    }
    *out = best;
    return HT_OK;
}

static ht_status evaluate_call(const evaluation *e, const ht_node *node, int64_t *out) {
    int64_t values[3] = {0};
    if (node->op == HT_FN_MIN || node->op == HT_FN_MAX)
        return evaluate_extreme(e, node, out);
    for (size_t i = 0; i < node->child_count; ++i) {
        ht_status status = evaluate(e, node->children[i], &values[i]);
        if (status != HT_OK)
            return status;
    }
    switch (node->op) {
    case HT_FN_CEIL_DIV:
        return ceil_div(e, node, values[0], values[1], out);
    case HT_FN_ROUND_UP:
        return round_up(e, node, values[0], values[1], out);
    case HT_FN_GCD:
        return gcd(e, node, values[0], values[1], out);
    case HT_FN_CLAMP:
        return clamp(e, node, values, out);
    default:
        return call_one(e, node, values[0], out);
    }
}

static ht_status evaluate_name(const evaluation *e, const ht_node *node, int64_t *out) {
    if (e->scope && e->scope->lookup && e->scope->lookup(e->scope->context, node->name, out))
        return HT_OK;
    return ht_error_set_at(e->error, HT_ERROR_INPUT, e->expr->file, node->line, node->column,
                           "unknown name '%s'", node->name);
}

static ht_status evaluate_sizeof(const evaluation *e, const ht_node *node, int64_t *out) {
    if (e->scope && e->scope->type_size && e->scope->type_size(e->scope->context, node->name, out))
        return HT_OK;
    *out = (int64_t)ht_type_size(node->name);
    if (*out)
        return HT_OK;
    return ht_error_set_at(e->error, HT_ERROR_INPUT, e->expr->file, node->line, node->column,
                           "sizeof: unknown type '%s'", node->name);
}

static ht_status evaluate(const evaluation *e, const ht_node *node, int64_t *out) {
    int64_t condition = 0;
    ht_status status;
    switch (node->kind) {
    case HT_NODE_NUMBER:
    case HT_NODE_BOOLEAN:
        *out = node->number;
        return HT_OK;
    case HT_NODE_NAME:
        return evaluate_name(e, node, out);
    case HT_NODE_SIZEOF:
        return evaluate_sizeof(e, node, out);
    case HT_NODE_UNARY:
        return evaluate_unary(e, node, out);
    case HT_NODE_BINARY:
        return evaluate_binary(e, node, out);
    case HT_NODE_CONDITIONAL:
        status = evaluate(e, node->children[0], &condition);
        return status != HT_OK ? status : evaluate(e, node->children[condition ? 1 : 2], out);
    case HT_NODE_CALL:
        return evaluate_call(e, node, out);
    }
    return ht_error_set(e->error, HT_ERROR_INTERNAL, "expression of unknown kind");
}

ht_status ht_expr_evaluate(const ht_expr *expr, const ht_scope *scope, int64_t *out_value,
                           ht_error *error) {
    evaluation e = {expr, scope, error};
    return evaluate(&e, expr->root, out_value);
}

bool ht_expr_text_value(const char *text, const ht_scope *scope, int64_t *out_value) {
    ht_expr *expr;
    if (ht_expr_parse(text, (ht_place){0}, &expr, NULL) != HT_OK)
        return false;
    bool known = ht_expr_evaluate(expr, scope, out_value, NULL) == HT_OK;
    ht_expr_free(expr);
    return known;
}
