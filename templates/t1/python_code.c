/* From Python's tree to code. Whole numbers, reals and texts are distinguished here, once. */
#include "templates/t1/python_lex.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct maker {
    const ht_python_scope *scope;
    ht_error *error;
} maker;

static ht_status make(const maker *m, const ht_python_node *node, uint32_t *out);

static ht_code_type type_of(const maker *m, uint32_t instruction) {
    return (ht_code_type)ht_code_at(m->scope->code, instruction)->type;
}

/* Returns true for what always fails: it fits any type. */
static bool fails(const maker *m, uint32_t instruction) {
    return ht_code_at(m->scope->code, instruction)->op == HT_CODE_FAIL;
}

static uint32_t as_real(const maker *m, uint32_t a) {
    return type_of(m, a) == HT_CODE_WHOLE ? ht_code_unary(m->scope->code, HT_CODE_TO_REAL, a) : a;
}

/* Returns the truth of a value. A text is true unless it is empty, and the empty one comes first in
 * order. */
static uint32_t truth(const maker *m, uint32_t a) {
    ht_code *code = m->scope->code;
    if (type_of(m, a) == HT_CODE_REAL)
        return ht_code_unary(code, HT_CODE_REAL_TRUTH, a);
    if (type_of(m, a) == HT_CODE_TEXT) {
        int64_t empty = m->scope->ordinal(m->scope->context, "");
        return ht_code_binary(code, HT_CODE_NOT_EQUAL, a, ht_code_text(code, empty));
    }
    return ht_code_unary(code, HT_CODE_TRUTH, a);
}

static ht_status make_condition(const maker *m, const ht_python_node *node, uint32_t *out) {
    bool logic =
        node->kind == HT_PYTHON_BINARY && (node->op == HT_PYTHON_AND || node->op == HT_PYTHON_OR);
    ht_status status = HT_OK;
    if (!logic) {
        status = make(m, node, out);
        if (status == HT_OK)
            *out = truth(m, *out);
        return status;
    }
    /* From the last to the first, as the first is evaluated first. */
    for (size_t i = node->child_count; status == HT_OK && i-- > 0;) {
        uint32_t part = 0;
        status = make_condition(m, node->children[i], &part);
        if (status == HT_OK)
            *out = i + 1 == node->child_count
                       ? part
                       : ht_code_binary(m->scope->code,
                                        node->op == HT_PYTHON_AND ? HT_CODE_BOTH : HT_CODE_EITHER,
                                        part, *out);
    }
    return status;
}

/* Brings two values to one type; false when one is a text and the other a number. */
static bool unify(const maker *m, uint32_t *a, uint32_t *b) {
    ht_code_type left = type_of(m, *a), right = type_of(m, *b);
    if (left == right || fails(m, *a) || fails(m, *b))
        return true;
    if (left == HT_CODE_TEXT || right == HT_CODE_TEXT)
        return false;
    *a = as_real(m, *a);
    *b = as_real(m, *b);
    return true;
}

static ht_status fail_mixed(const maker *m, const ht_python_node *node, const char *what) {
    return ht_python_fail(m->error, node->begin, "%s of a string and a number", what);
}

static ht_status choose(const maker *m, const ht_python_node *node, uint32_t condition, uint32_t a,
                        uint32_t b, uint32_t *out) {
    if (!unify(m, &a, &b))
        return fail_mixed(m, node, "a choice");
    *out = ht_code_select(m->scope->code, condition, a, b);
    return HT_OK;
}

/* Makes `a and b`, `a or b` as values: one of the operands. */
static ht_status make_logic(const maker *m, const ht_python_node *node, uint32_t *out) {
    ht_status status = make(m, node->children[node->child_count - 1], out);
    for (size_t i = node->child_count - 1; status == HT_OK && i-- > 0;) {
        uint32_t part = 0;
        status = make(m, node->children[i], &part);
        if (status != HT_OK)
            break;
        uint32_t condition = truth(m, part);
        status = node->op == HT_PYTHON_AND ? choose(m, node, condition, *out, part, out)
                                           : choose(m, node, condition, part, *out, out);
    }
    return status;
}

typedef struct arithmetic {
    ht_code_op whole, real;
} arithmetic;

static const arithmetic arithmetics[] = {
    [HT_PYTHON_ADD] = {HT_CODE_ADD, HT_CODE_REAL_ADD},
    [HT_PYTHON_SUBTRACT] = {HT_CODE_SUBTRACT, HT_CODE_REAL_SUBTRACT},
    [HT_PYTHON_MULTIPLY] = {HT_CODE_MULTIPLY, HT_CODE_REAL_MULTIPLY},
    [HT_PYTHON_DIVIDE] = {HT_CODE_REAL_DIVIDE, HT_CODE_REAL_DIVIDE},
    [HT_PYTHON_FLOOR_DIVIDE] = {HT_CODE_FLOOR_DIVIDE, HT_CODE_REAL_FLOOR_DIVIDE},
    [HT_PYTHON_MODULO] = {HT_CODE_MODULO, HT_CODE_REAL_MODULO},
    [HT_PYTHON_POWER] = {HT_CODE_POWER, HT_CODE_REAL_POWER},
};

static uint32_t calculate(const maker *m, ht_python_op op, uint32_t a, uint32_t b) {
    ht_code *code = m->scope->code;
    ht_number exponent;
    bool real = type_of(m, a) == HT_CODE_REAL || type_of(m, b) == HT_CODE_REAL;
    real |= op == HT_PYTHON_DIVIDE;
    if (op == HT_PYTHON_POWER && ht_code_constant(code, b, &exponent) && !real)
        real = exponent.whole < 0; /* 2 ** -1 is 0.5 */
    if (!real)
        return ht_code_binary(code, arithmetics[op].whole, a, b);
    a = as_real(m, a);
    b = as_real(m, b);
    return ht_code_binary(code, arithmetics[op].real, a, b);
}

static ht_status make_binary(const maker *m, const ht_python_node *node, uint32_t *out) {
    uint32_t a = 0, b = 0;
    if (node->op == HT_PYTHON_AND || node->op == HT_PYTHON_OR)
        return make_logic(m, node, out);
    ht_status status = make(m, node->children[0], &a);
    if (status == HT_OK)
        status = make(m, node->children[1], &b);
    if (status != HT_OK)
        return status;
    if (type_of(m, a) == HT_CODE_TEXT || type_of(m, b) == HT_CODE_TEXT)
        return ht_python_fail(m->error, node->begin, "arithmetic with a string is not supported");
    *out = calculate(m, node->op, a, b);
    return HT_OK;
}

static ht_status make_unary(const maker *m, const ht_python_node *node, uint32_t *out) {
    ht_code *code = m->scope->code;
    if (node->op == HT_PYTHON_NOT) {
        ht_status status = make_condition(m, node->children[0], out);
        if (status == HT_OK)
            *out = ht_code_unary(code, HT_CODE_NOT, *out);
        return status;
    }
    ht_status status = make(m, node->children[0], out);
    if (status == HT_OK && type_of(m, *out) == HT_CODE_TEXT)
        return ht_python_fail(m->error, node->begin, "a sign before a string");
    if (status == HT_OK && node->op == HT_PYTHON_MINUS)
        *out = ht_code_unary(
            code, type_of(m, *out) == HT_CODE_REAL ? HT_CODE_REAL_NEGATE : HT_CODE_NEGATE, *out);
    return status;
}

static ht_status compare(const maker *m, const ht_python_node *link, ht_python_op op, uint32_t a,
                         uint32_t b, uint32_t *out) {
    ht_code *code = m->scope->code;
    bool swapped = op == HT_PYTHON_GREATER || op == HT_PYTHON_GREATER_EQUAL;
    bool equality = op == HT_PYTHON_EQUAL || op == HT_PYTHON_NOT_EQUAL;
    if (!unify(m, &a, &b)) {
        *out = ht_code_whole(code, op == HT_PYTHON_NOT_EQUAL); /* never equal */
        return equality ? HT_OK : fail_mixed(m, link, "an order");
    }
    bool real = type_of(m, a) == HT_CODE_REAL || type_of(m, b) == HT_CODE_REAL;
    bool strict = op == HT_PYTHON_LESS || op == HT_PYTHON_GREATER;
    if (!equality && m->scope->unordered && type_of(m, a) == HT_CODE_TEXT)
        return ht_python_fail(m->error, link->begin, "an order of strings is not supported here");
    ht_code_op made = op == HT_PYTHON_EQUAL ? real ? HT_CODE_REAL_EQUAL : HT_CODE_EQUAL
                      : equality            ? real ? HT_CODE_REAL_NOT_EQUAL : HT_CODE_NOT_EQUAL
                      : strict              ? real ? HT_CODE_REAL_LESS : HT_CODE_LESS
                      : real                ? HT_CODE_REAL_LESS_EQUAL
                                            : HT_CODE_LESS_EQUAL;
    *out = swapped ? ht_code_binary(code, made, b, a) : ht_code_binary(code, made, a, b);
    return HT_OK;
}

/* Makes `in` and `not in`: equal to any element. */
static ht_status make_in(const maker *m, const ht_python_node *link, uint32_t value,
                         uint32_t *out) {
    ht_code *code = m->scope->code;
    ht_status status = HT_OK;
    uint32_t any = ht_code_whole(code, 0);
    for (size_t i = 0; status == HT_OK && i < link->child_count; ++i) {
        uint32_t element = 0, equal = 0;
        status = make(m, link->children[i], &element);
        if (status == HT_OK)
            status = compare(m, link, HT_PYTHON_EQUAL, value, element, &equal);
        if (status == HT_OK)
            any = i ? ht_code_binary(code, HT_CODE_EITHER, any, equal) : equal;
    }
    *out = link->op == HT_PYTHON_IN ? any : ht_code_unary(code, HT_CODE_NOT, any);
    return status;
}

static ht_status make_compare(const maker *m, const ht_python_node *node, uint32_t *out) {
    uint32_t left = 0, right = 0, part = 0;
    ht_status status = make(m, node->children[0], &left);
    for (size_t i = 1; status == HT_OK && i < node->child_count; ++i) {
        const ht_python_node *link = node->children[i];
        if (link->op == HT_PYTHON_IN || link->op == HT_PYTHON_NOT_IN) {
            status = make_in(m, link, left, &part);
        } else {
            status = make(m, link->children[0], &right);
            if (status == HT_OK)
                status = compare(m, link, link->op, left, right, &part);
        }
        if (status == HT_OK)
            *out = i == 1 ? part : ht_code_binary(m->scope->code, HT_CODE_BOTH, *out, part);
        left = right;
    }
    return status;
}

static ht_status make_extreme(const maker *m, const ht_python_node *node, uint32_t *out) {
    bool least = !strcmp(node->text, "min");
    const ht_python_node *items =
        node->child_count == 1 && node->children[0]->kind == HT_PYTHON_LIST ? node->children[0]
                                                                            : node;
    ht_status status = HT_OK;
    if (!items->child_count)
        return ht_python_fail(m->error, node->begin, "%s() of nothing", node->text);
    for (size_t i = 0; status == HT_OK && i < items->child_count; ++i) {
        uint32_t value = 0;
        status = make(m, items->children[i], &value);
        if (status != HT_OK || i == 0) {
            *out = value;
            continue;
        }
        if (!unify(m, out, &value))
            return fail_mixed(m, node, "an extreme");
        bool real = type_of(m, value) == HT_CODE_REAL || type_of(m, *out) == HT_CODE_REAL;
        *out = ht_code_binary(m->scope->code,
                              least ? (real ? HT_CODE_REAL_MIN : HT_CODE_MIN)
                                    : (real ? HT_CODE_REAL_MAX : HT_CODE_MAX),
                              *out, value);
    }
    if (status == HT_OK && type_of(m, *out) == HT_CODE_TEXT)
        return ht_python_fail(m->error, node->begin, "%s() of strings is not supported",
                              node->text);
    return status;
}

static ht_status make_call(const maker *m, const ht_python_node *node, uint32_t *out) {
    ht_code *code = m->scope->code;
    static const char *const one[] = {"abs", "int", "float", "bool"};
    size_t which = 0;
    if (!strcmp(node->text, "min") || !strcmp(node->text, "max"))
        return make_extreme(m, node, out);
    while (which < 4 && strcmp(node->text, one[which]) != 0)
        ++which;
    if (which == 4)
        return ht_python_fail(m->error, node->begin,
                              "the function %.60s() is not supported here; there are min, max, "
                              "abs, int, float and bool",
                              node->text);
    if (node->child_count != 1)
        return ht_python_fail(m->error, node->begin, "%s() takes one argument", node->text);
    if (which == 3)
        return make_condition(m, node->children[0], out);
    ht_status status = make(m, node->children[0], out);
    if (status != HT_OK)
        return status;
    if (type_of(m, *out) == HT_CODE_TEXT)
        return ht_python_fail(m->error, node->begin, "%s() of a string is not supported",
                              node->text);
    bool real = type_of(m, *out) == HT_CODE_REAL;
    if (which == 0)
        *out = ht_code_unary(code, real ? HT_CODE_REAL_ABS : HT_CODE_ABS, *out);
    else if (which == 1 && real)
        *out = ht_code_unary(code, HT_CODE_TO_WHOLE, *out);
    else if (which == 2)
        *out = as_real(m, *out);
    return HT_OK;
}

static ht_status make_conditional(const maker *m, const ht_python_node *node, uint32_t *out) {
    uint32_t a = 0, b = 0, condition = 0;
    ht_status status = make(m, node->children[0], &a);
    if (status == HT_OK)
        status = make_condition(m, node->children[1], &condition);
    if (status == HT_OK)
        status = make(m, node->children[2], &b);
    return status == HT_OK ? choose(m, node, condition, a, b, out) : status;
}

static ht_status make(const maker *m, const ht_python_node *node, uint32_t *out) {
    ht_code *code = m->scope->code;
    switch (node->kind) {
    case HT_PYTHON_NUMBER:
        *out = node->type == HT_CODE_REAL ? ht_code_real(code, node->number.real)
                                          : ht_code_whole(code, node->number.whole);
        return HT_OK;
    case HT_PYTHON_BOOLEAN:
        *out = ht_code_whole(code, node->number.whole);
        return HT_OK;
    case HT_PYTHON_TEXT:
        *out = ht_code_text(code, m->scope->ordinal(m->scope->context, node->text));
        return HT_OK;
    case HT_PYTHON_NAME:
        if (m->scope->lookup(m->scope->context, node->text, out))
            return HT_OK;
        return ht_python_fail(m->error, node->begin, "unknown name '%.80s'", node->text);
    case HT_PYTHON_UNARY:
        return make_unary(m, node, out);
    case HT_PYTHON_BINARY:
        return make_binary(m, node, out);
    case HT_PYTHON_COMPARE:
        return make_compare(m, node, out);
    case HT_PYTHON_CONDITIONAL:
        return make_conditional(m, node, out);
    case HT_PYTHON_CALL:
        return make_call(m, node, out);
    default:
        return ht_python_fail(m->error, node->begin, "a list is not supported here");
    }
}

ht_status ht_python_code(const ht_python_scope *scope, const ht_python_node *node,
                         uint32_t *out_instruction, ht_error *error) {
    maker m = {scope, error};
    return make(&m, node, out_instruction);
}

ht_status ht_python_condition(const ht_python_scope *scope, const ht_python_node *node,
                              uint32_t *out_instruction, ht_error *error) {
    maker m = {scope, error};
    return make_condition(&m, node, out_instruction);
}
