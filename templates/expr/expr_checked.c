#include "templates/expr/expr_checked.h"

#include "templates/expr/expr_node.h"

#include <inttypes.h>

const char ht_checked_functions[] =
    "// A number of 64 bits, or none: after an overflow, a division by zero and the like.\n"
    "struct number {\n"
    "    long long n;\n"
    "    bool good;\n"
    "    number(long long value, bool is_good = true) : n(value), good(is_good) {}\n"
    "    bool holds() const { return good && n != 0; }\n"
    "};\n"
    "inline number nothing() { return number(0, false); }\n"
    "inline number checked_add(number a, number b) {\n"
    "    long long n = 0;\n"
    "    return a.good && b.good && !__builtin_add_overflow(a.n, b.n, &n) ? number(n) : "
    "nothing();\n"
    "}\n"
    "inline number checked_subtract(number a, number b) {\n"
    "    long long n = 0;\n"
    "    return a.good && b.good && !__builtin_sub_overflow(a.n, b.n, &n) ? number(n) : "
    "nothing();\n"
    "}\n"
    "inline number checked_multiply(number a, number b) {\n"
    "    long long n = 0;\n"
    "    return a.good && b.good && !__builtin_mul_overflow(a.n, b.n, &n) ? number(n) : "
    "nothing();\n"
    "}\n"
    "inline number checked_minus(number a) { return checked_subtract(0, a); }\n"
    "inline number checked_plus(number a) { return a; }\n"
    "inline number checked_not(number a) { return number(!a.n, a.good); }\n"
    "inline number checked_complement(number a) { return number(~a.n, a.good); }\n"
    "inline bool is_divisible(number a, number b) {\n"
    "    return a.good && b.good && b.n != 0 && (b.n != -1 || checked_minus(a).good);\n"
    "}\n"
    "inline number checked_divide(number a, number b) {\n"
    "    return is_divisible(a, b) ? number(a.n / b.n) : nothing();\n"
    "}\n"
    "inline number checked_remainder(number a, number b) {\n"
    "    return is_divisible(a, b) ? number(a.n % b.n) : nothing();\n"
    "}\n"
    "inline bool is_shift(number a, number b) { return a.good && b.good && b.n >= 0 && b.n < 64; "
    "}\n"
    "inline number checked_shift_right(number a, number b) {\n"
    "    return is_shift(a, b) ? number(a.n >> b.n) : nothing();\n"
    "}\n"
    "inline number checked_shift_left(number a, number b) {\n"
    "    if (!is_shift(a, b))\n"
    "        return nothing();\n"
    "    long long n = (long long)((unsigned long long)a.n << b.n);\n"
    "    return number(n, n >> b.n == a.n);\n"
    "}\n"
    "inline number checked_bit_or(number a, number b) { return number(a.n | b.n, a.good && "
    "b.good); }\n"
    "inline number checked_bit_xor(number a, number b) { return number(a.n ^ b.n, a.good && "
    "b.good); "
    "}\n"
    "inline number checked_bit_and(number a, number b) { return number(a.n & b.n, a.good && "
    "b.good); "
    "}\n"
    "inline number checked_equal(number a, number b) { return number(a.n == b.n, a.good && "
    "b.good); "
    "}\n"
    "inline number checked_not_equal(number a, number b) {\n"
    "    return number(a.n != b.n, a.good && b.good);\n"
    "}\n"
    "inline number checked_less(number a, number b) { return number(a.n < b.n, a.good && b.good); "
    "}\n"
    "inline number checked_less_equal(number a, number b) {\n"
    "    return number(a.n <= b.n, a.good && b.good);\n"
    "}\n"
    "inline number checked_greater(number a, number b) { return checked_less(b, a); }\n"
    "inline number checked_greater_equal(number a, number b) { return checked_less_equal(b, a); }\n"
    "inline number checked_and(number a, number b) {\n"
    "    return !a.good || !a.n ? number(0, a.good) : number(b.n != 0, b.good);\n"
    "}\n"
    "inline number checked_or(number a, number b) {\n"
    "    return !a.good || a.n ? number(1, a.good) : number(b.n != 0, b.good);\n"
    "}\n"
    "inline number checked_choice(number a, number b, number c) {\n"
    "    return !a.good ? nothing() : a.n ? b : c;\n"
    "}\n"
    "inline number checked_min(number a, number b) {\n"
    "    return number(a.n < b.n ? a.n : b.n, a.good && b.good);\n"
    "}\n"
    "inline number checked_max(number a, number b) {\n"
    "    return number(a.n > b.n ? a.n : b.n, a.good && b.good);\n"
    "}\n"
    "inline number checked_ceil_div(number a, number b) {\n"
    "    return is_divisible(a, b) ? number(a.n / b.n + (a.n % b.n != 0 && (a.n < 0) == (b.n < "
    "0)))\n"
    "                              : nothing();\n"
    "}\n"
    "inline number checked_round_up(number a, number b) {\n"
    "    if (!a.good || !b.good || b.n <= 0)\n"
    "        return nothing();\n"
    "    long long rest = a.n % b.n;\n"
    "    rest += rest < 0 ? b.n : 0;\n"
    "    return rest ? checked_add(a, b.n - rest) : a;\n"
    "}\n"
    "inline number checked_abs(number a) { return a.n < 0 ? checked_minus(a) : a; }\n"
    "inline number checked_clamp(number x, number least, number most) {\n"
    "    if (!x.good || !least.good || !most.good || least.n > most.n)\n"
    "        return nothing();\n"
    "    return x.n < least.n ? least : x.n > most.n ? most : x;\n"
    "}\n"
    "inline number checked_is_pow2(number a) { return number(a.n > 0 && !(a.n & (a.n - 1)), "
    "a.good); "
    "}\n"
    "inline number checked_log2(number a) {\n"
    "    return a.good && a.n > 0 ? number(63 - __builtin_clzll((unsigned long long)a.n)) : "
    "nothing();\n"
    "}\n"
    "inline number checked_pow2(number a) {\n"
    "    return a.good && a.n >= 0 && a.n <= 62 ? number(1LL << a.n) : nothing();\n"
    "}\n"
    "inline number checked_gcd(number a, number b) {\n"
    "    unsigned long long x = a.n < 0 ? -(unsigned long long)a.n : (unsigned long long)a.n;\n"
    "    unsigned long long y = b.n < 0 ? -(unsigned long long)b.n : (unsigned long long)b.n;\n"
    "    while (y) {\n"
    "        unsigned long long rest = x % y;\n"
    "        x = y;\n"
    "        y = rest;\n"
    "    }\n"
    "    return number((long long)x, a.good && b.good && (long long)x >= 0);\n"
    "}\n";

static const char *const operators[] = {
    [HT_OP_OR] = "or",
    [HT_OP_AND] = "and",
    [HT_OP_BIT_OR] = "bit_or",
    [HT_OP_BIT_XOR] = "bit_xor",
    [HT_OP_BIT_AND] = "bit_and",
    [HT_OP_EQUAL] = "equal",
    [HT_OP_NOT_EQUAL] = "not_equal",
    [HT_OP_LESS_EQUAL] = "less_equal",
    [HT_OP_GREATER_EQUAL] = "greater_equal",
    [HT_OP_SHIFT_LEFT] = "shift_left",
    [HT_OP_SHIFT_RIGHT] = "shift_right",
    [HT_OP_LESS] = "less",
    [HT_OP_GREATER] = "greater",
    [HT_OP_ADD] = "add",
    [HT_OP_SUBTRACT] = "subtract",
    [HT_OP_MULTIPLY] = "multiply",
    [HT_OP_DIVIDE] = "divide",
    [HT_OP_REMAINDER] = "remainder",
    [HT_OP_MINUS] = "minus",
    [HT_OP_PLUS] = "plus",
    [HT_OP_NOT] = "not",
    [HT_OP_COMPLEMENT] = "complement",
};

typedef struct printer {
    const ht_checked_naming *naming;
    ht_text *out;
} printer;

static void node_print(const printer *p, const ht_node *node);

/* Prints a call; of more than two arguments, min's and max's, as calls of two. */
static void call_print(const printer *p, const char *name, const ht_node *node) {
    bool nested = node->kind == HT_NODE_CALL && ht_functions[node->op].more_allowed;
    size_t extra = nested && node->child_count > 2 ? node->child_count - 2 : 0;
    for (size_t i = 0; i < extra; ++i)
        ht_text_printf(p->out, "checked_%s(", name);
    ht_text_printf(p->out, "checked_%s(", name);
    for (size_t i = 0; i < node->child_count; ++i) {
        ht_text_append(p->out, i ? ", " : "");
        node_print(p, node->children[i]);
        if (extra && i > 0 && i + 1 < node->child_count)
            ht_text_append(p->out, ")");
    }
    ht_text_append(p->out, ")");
}

static void number_print(const printer *p, int64_t number) {
    if (number == INT64_MIN)
        ht_text_append(p->out, "number(-9223372036854775807LL - 1)");
    else
        ht_text_printf(p->out, "number(%" PRId64 "LL)", number);
}

static void node_print(const printer *p, const ht_node *node) {
    switch (node->kind) {
    case HT_NODE_NUMBER:
    case HT_NODE_BOOLEAN:
        number_print(p, node->number);
        break;
    case HT_NODE_NAME:
        p->naming->name(p->naming->context, node->name, p->out);
        break;
    case HT_NODE_SIZEOF:
        p->naming->type_size(p->naming->context, node->name, p->out);
        break;
    case HT_NODE_UNARY:
    case HT_NODE_BINARY:
        call_print(p, operators[node->op], node);
        break;
    case HT_NODE_CONDITIONAL:
        call_print(p, "choice", node);
        break;
    case HT_NODE_CALL:
        call_print(p, ht_functions[node->op].name, node);
        break;
    }
}

void ht_expr_print_checked(const ht_expr *expr, const ht_checked_naming *naming, ht_text *out) {
    const printer p = {naming, out};
    node_print(&p, expr->root);
}
