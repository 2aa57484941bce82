#include "templates/expr/expr_c.h"

#include "templates/expr/expr_node.h"

#include <inttypes.h>
#include <string.h>

/* min(a, b) has both twice: nested deeply, texts would explode. */
enum { LENGTH_MAX = 6000 };

typedef struct printing {
    const ht_expr_naming *naming;
    ht_text *out;
    bool lazy; /* it may not be computed at all */
} printing;

static bool print(const printing *in, const ht_node *node, int precedence, ht_c_demand demand);

/* Returns true if it is a number whatever the sizes are. sizeof alone stays as it is written. */
static bool is_number(const printing *in, const ht_node *node, int64_t *out_value) {
    ht_node copy = *node;
    const ht_expr expr = {.root = &copy};
    const ht_scope scope = {.lookup = in->naming->value, .context = in->naming->context};
    return node->kind != HT_NODE_SIZEOF &&
           ht_expr_evaluate(&expr, &scope, out_value, NULL) == HT_OK;
}

static bool number_print(const printing *in, int64_t value, int precedence, ht_c_demand demand) {
    const char *suffix = demand == HT_C_WIDE ? "LL" : "";
    if (value == INT64_MIN)
        ht_text_append(in->out, "(-9223372036854775807LL - 1)");
    else
        ht_text_printf(in->out,
                       value < 0 && precedence > HT_PRECEDENCE_UNARY ? "(%" PRId64 "%s)"
                                                                     : "%" PRId64 "%s",
                       value, suffix);
    return true;
}

/* Makes one of the two a long long, and with it the operation. A number is left as it is. */
static void demands_of(const printing *in, const ht_node *left, ht_c_demand out[2]) {
    int64_t value;
    bool number = is_number(in, left, &value);
    out[0] = number ? HT_C_MIXED : HT_C_WIDE;
    out[1] = number ? HT_C_WIDE : HT_C_MIXED;
}

static bool operands_print(const printing *in, const ht_node *left, const char *op,
                           const ht_node *right, int precedence, const ht_c_demand demands[2]) {
    if (!print(in, left, precedence, demands[0]))
        return false;
    ht_text_printf(in->out, " %s ", op);
    return print(in, right, precedence + 1, demands[1]);
}

static bool both_print(const printing *in, const ht_node *left, const char *op,
                       const ht_node *right, int precedence) {
    ht_c_demand demands[2];
    demands_of(in, left, demands);
    return operands_print(in, left, op, right, precedence, demands);
}

static bool is_truth(const ht_node *node) {
    int op = node->op;
    return (node->kind == HT_NODE_UNARY && op == HT_OP_NOT) ||
           (node->kind == HT_NODE_BINARY &&
            (op == HT_OP_OR || op == HT_OP_AND || op == HT_OP_EQUAL || op == HT_OP_NOT_EQUAL ||
             op == HT_OP_LESS || op == HT_OP_LESS_EQUAL || op == HT_OP_GREATER ||
             op == HT_OP_GREATER_EQUAL));
}

/* Returns true for x + 0, x - 0, x * 1 and x / 1. */
static bool is_idle(int op, int64_t right) {
    return ((op == HT_OP_ADD || op == HT_OP_SUBTRACT) && right == 0) ||
           ((op == HT_OP_MULTIPLY || op == HT_OP_DIVIDE) && right == 1);
}

static bool binary_print(const printing *in, const ht_node *node, ht_c_demand demand) {
    const ht_node *left = node->children[0], *right = node->children[1];
    const char *op = ht_operators[node->op].text;
    int own = ht_operators[node->op].precedence;
    int64_t value;
    if (is_number(in, right, &value) && is_idle(node->op, value))
        return print(in, left, own, demand);
    const printing lazy = {in->naming, in->out, true};
    if (node->op == HT_OP_AND || node->op == HT_OP_OR)
        return operands_print(&lazy, left, op, right, own, (ht_c_demand[]){HT_C_ANY, HT_C_ANY});
    if (node->op == HT_OP_SHIFT_LEFT || node->op == HT_OP_SHIFT_RIGHT)
        return operands_print(in, left, op, right, own, (ht_c_demand[]){HT_C_WIDE, HT_C_ANY});
    /* by a number, the quotient of any type is right */
    if ((node->op == HT_OP_DIVIDE || node->op == HT_OP_REMAINDER) && is_number(in, right, &value) &&
        value > 0)
        return operands_print(in, left, op, right, own, (ht_c_demand[]){demand, HT_C_ANY});
    if (is_truth(node) && is_number(in, right, &value) && value >= 0)
        return operands_print(in, left, op, right, own, (ht_c_demand[]){HT_C_ANY, HT_C_ANY});
    return both_print(in, left, op, right, own);
}

static bool conditional_print(const printing *in, const ht_node *node, ht_c_demand demand) {
    const printing lazy = {in->naming, in->out, true};
    ht_c_demand demands[2];
    int64_t value;
    if (!print(in, node->children[0], HT_PRECEDENCE_CONDITIONAL + 1, HT_C_ANY))
        return false;
    demands_of(in, node->children[1], demands);
    if (demand != HT_C_WIDE && is_number(in, node->children[2], &value))
        demands[1] = HT_C_MIXED;
    ht_text_append(in->out, " ? ");
    if (!print(&lazy, node->children[1], HT_PRECEDENCE_CONDITIONAL, demands[0]))
        return false;
    ht_text_append(in->out, " : ");
    return print(&lazy, node->children[2], HT_PRECEDENCE_CONDITIONAL, demands[1]);
}

/* ---- functions as operators */

/* Prints items / 64 + (items % 64 > 0), of items that are computed ahead. */
static bool pieces_print(const printing *in, const ht_node *items, int64_t per) {
    ht_text text = {0}, name = {0};
    const printing ahead = {in->naming, &text, false};
    bool done = print(&ahead, items, HT_PRECEDENCE_CONDITIONAL, HT_C_WIDE);
    if (done) {
        in->naming->hold(in->naming->context, text.data, &name);
        ht_text_printf(in->out, "%s / %" PRId64 " + (%s %% %" PRId64 " > 0)", name.data, per,
                       name.data, per);
    }
    ht_text_free(&text);
    ht_text_free(&name);
    return done;
}

/* Prints a sum; the caller puts it in parentheses where it needs them. */
static bool ceil_div_print(const printing *in, const ht_node *a, const ht_node *b,
                           ht_c_demand demand) {
    int64_t value;
    bool number = is_number(in, b, &value) && value > 0;
    if (number && value == 1)
        return print(in, a, HT_PRECEDENCE_ADDITIVE, demand);
    if (number && in->naming->hold && !in->lazy && a->kind != HT_NODE_NAME)
        return pieces_print(in, a, value);
    const ht_c_demand demands[2] = {number ? demand : HT_C_WIDE, number ? HT_C_ANY : HT_C_WIDE};
    if (!operands_print(in, a, "/", b, HT_PRECEDENCE_MULTIPLICATIVE, demands))
        return false;
    ht_text_append(in->out, " + (");
    if (!operands_print(in, a, "%", b, HT_PRECEDENCE_MULTIPLICATIVE, demands))
        return false;
    ht_text_append(in->out, number ? " > 0)" : " != 0 && (");
    if (number)
        return true;
    if (!print(in, a, HT_PRECEDENCE_RELATIONAL + 1, HT_C_WIDE))
        return false;
    ht_text_append(in->out, " < 0) == (");
    if (!print(in, b, HT_PRECEDENCE_RELATIONAL + 1, HT_C_WIDE))
        return false;
    ht_text_append(in->out, " < 0))");
    return true;
}

static bool round_up_print(const printing *in, const ht_node *a, const ht_node *b) {
    ht_text_append(in->out, "(");
    if (!ceil_div_print(in, a, b, HT_C_WIDE))
        return false;
    ht_text_append(in->out, ") * ");
    return print(in, b, HT_PRECEDENCE_MULTIPLICATIVE + 1, HT_C_MIXED);
}

static ht_c_demand demand_of(const printing *in, const ht_node *node) {
    int64_t value;
    return is_number(in, node, &value) ? HT_C_MIXED : HT_C_WIDE;
}

/* Prints the least or the greatest of the first `count`: (... < c ? ... : c) */
static bool extreme_print(const printing *in, const ht_node *node, size_t count) {
    const ht_node *last = node->children[count - 1];
    const char *op = node->op == HT_FN_MIN ? " < " : " > ";
    if (count == 1)
        return print(in, last, HT_PRECEDENCE_RELATIONAL + 1, demand_of(in, last));
    ht_text_append(in->out, "(");
    if (in->out->length > LENGTH_MAX || !extreme_print(in, node, count - 1))
        return false;
    ht_text_append(in->out, op);
    if (!print(in, last, HT_PRECEDENCE_RELATIONAL + 1, demand_of(in, last)))
        return false;
    ht_text_append(in->out, " ? ");
    if (!extreme_print(in, node, count - 1))
        return false;
    ht_text_append(in->out, " : ");
    bool done = print(in, last, HT_PRECEDENCE_CONDITIONAL, demand_of(in, last));
    ht_text_append(in->out, ")");
    return done;
}

/* Prints the pattern with the arguments in place of a, b and c. */
static bool pattern_print(const printing *in, const ht_node *node, const char *pattern) {
    bool done = true;
    for (const char *at = pattern; *at && done; ++at) {
        const ht_node *argument = *at >= 'a' && *at <= 'c' ? node->children[*at - 'a'] : NULL;
        if (argument)
            done = print(in, argument, HT_PRECEDENCE_UNARY, demand_of(in, argument));
        else
            ht_text_append_n(in->out, at, 1);
    }
    return done;
}

static bool plain_call_print(const printing *in, const ht_node *node, ht_c_demand demand) {
    switch (node->op) {
    case HT_FN_MIN:
    case HT_FN_MAX:
        return extreme_print(in, node, node->child_count);
    case HT_FN_CEIL_DIV:
        return ceil_div_print(in, node->children[0], node->children[1], demand);
    case HT_FN_ROUND_UP:
        return round_up_print(in, node->children[0], node->children[1]);
    case HT_FN_ABS:
        return pattern_print(in, node, "(a < 0 ? 0 - a : a)");
    case HT_FN_CLAMP:
        return pattern_print(in, node, "(a < b ? b : a > c ? c : a)");
    case HT_FN_IS_POW2:
        return pattern_print(in, node, "(a > 0 && (a & (a - 1)) == 0)");
    case HT_FN_POW2:
        return pattern_print(in, node, "(1LL << a)");
    default: /* log2 and gcd count in loops */
        return false;
    }
}

static bool call_print(const printing *in, const ht_node *node, ht_c_demand demand) {
    if (!in->naming->functions)
        return plain_call_print(in, node, demand);
    bool done = true;
    ht_text_printf(in->out, "%s(", ht_functions[node->op].name);
    for (size_t i = 0; i < node->child_count && done; ++i) {
        ht_text_append(in->out, i ? ", " : "");
        done = print(in, node->children[i], HT_PRECEDENCE_CONDITIONAL, HT_C_ANY);
    }
    ht_text_append(in->out, ")");
    return done;
}

/* ---- any expression */

static bool unary_print(const printing *in, const ht_node *node, ht_c_demand demand) {
    const ht_node *operand = node->children[0];
    if (node->op == HT_OP_PLUS)
        return print(in, operand, HT_PRECEDENCE_UNARY, demand);
    ht_text_append(in->out, ht_operators[node->op].text);
    /* "-(-x)": "--x" is a decrement */
    return print(in, operand, HT_PRECEDENCE_UNARY + (operand->kind == HT_NODE_UNARY),
                 node->op == HT_OP_NOT ? HT_C_ANY : HT_C_WIDE);
}

static bool sizeof_print(const printing *in, const ht_node *node, ht_c_demand demand) {
    ht_text_printf(in->out, demand == HT_C_ANY ? "sizeof(%s)" : "(long long)sizeof(%s)",
                   node->name);
    return true;
}

static int precedence_of(const printing *in, const ht_node *node) {
    bool plain = node->kind == HT_NODE_CALL && !in->naming->functions;
    if (node->kind == HT_NODE_UNARY || node->kind == HT_NODE_BINARY)
        return ht_operators[node->op].precedence;
    if (node->kind == HT_NODE_CONDITIONAL)
        return HT_PRECEDENCE_CONDITIONAL;
    if (plain && node->op == HT_FN_CEIL_DIV)
        return HT_PRECEDENCE_ADDITIVE;
    return plain && node->op == HT_FN_ROUND_UP ? HT_PRECEDENCE_MULTIPLICATIVE
                                               : HT_PRECEDENCE_PRIMARY;
}

static bool bare_print(const printing *in, const ht_node *node, ht_c_demand demand) {
    switch (node->kind) {
    case HT_NODE_NAME:
        return in->naming->write(in->naming->context, node->name, demand, in->out);
    case HT_NODE_SIZEOF:
        return sizeof_print(in, node, demand);
    case HT_NODE_UNARY:
        return unary_print(in, node, demand);
    case HT_NODE_BINARY:
        return binary_print(in, node, demand);
    case HT_NODE_CONDITIONAL:
        return conditional_print(in, node, demand);
    default:
        return call_print(in, node, demand);
    }
}

static bool print(const printing *in, const ht_node *node, int precedence, ht_c_demand demand) {
    int64_t value;
    if (in->out->length > LENGTH_MAX)
        return false;
    if (is_number(in, node, &value))
        return number_print(in, value, precedence, demand);
    bool cast = demand == HT_C_WIDE && is_truth(node); /* it is an int, or a bool */
    bool parentheses = cast || precedence_of(in, node) < precedence;
    ht_text_append(in->out, cast ? "(long long)(" : parentheses ? "(" : "");
    bool done = bare_print(in, node, demand);
    ht_text_append(in->out, parentheses ? ")" : "");
    return done;
}

bool ht_expr_print_c(const ht_expr *expr, const ht_expr_naming *naming, bool wide, ht_text *out) {
    /* what others wrote before does not count */
    ht_text own = {0};
    const printing in = {naming, &own, false};
    ht_text_append(&own, "");
    bool done = print(&in, expr->root, HT_PRECEDENCE_CONDITIONAL, wide ? HT_C_WIDE : HT_C_ANY);
    ht_text_append(out, own.data);
    ht_text_free(&own);
    return done;
}
