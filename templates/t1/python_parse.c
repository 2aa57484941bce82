#include "templates/t1/python_lex.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const char *text;
    size_t next; /* after `token` */
    ht_python_token token;
    size_t last_end; /* of the token before */
    int depth;
    ht_error *error;
} parser;

static ht_status parse_expression(parser *p, ht_python_node **out);
static ht_status parse_or(parser *p, ht_python_node **out);

void ht_python_free(ht_python_node *node) {
    if (!node)
        return;
    for (size_t i = 0; i < node->child_count; ++i)
        ht_python_free(node->children[i]);
    free(node->children);
    free(node->text);
    free(node);
}

bool ht_python_equal(const ht_python_node *a, const ht_python_node *b) {
    if (a->kind != b->kind || a->op != b->op || a->type != b->type ||
        a->number.whole != b->number.whole || a->child_count != b->child_count)
        return false;
    if ((a->text || b->text) && (!a->text || !b->text || strcmp(a->text, b->text) != 0))
        return false;
    for (size_t i = 0; i < a->child_count; ++i)
        if (!ht_python_equal(a->children[i], b->children[i]))
            return false;
    return true;
}

static ht_python_node *node_new(ht_python_kind kind, size_t begin) {
    ht_python_node *node = ht_alloc(1, sizeof *node);
    node->kind = kind;
    node->begin = begin;
    node->depth = 1;
    return node;
}

/* Adds a child; there is none to add after an error. */
static void node_add(ht_python_node *node, ht_python_node *child) {
    if (!child)
        return;
    HT_GROW(node->children, node->child_count);
    node->children[node->child_count++] = child;
    if (node->depth <= child->depth)
        node->depth = child->depth + 1;
}

static ht_status advance(parser *p) {
    p->last_end = p->token.end;
    return ht_python_token_next(p->text, &p->next, &p->token, p->error);
}

static bool is(const parser *p, const char *word) {
    size_t length = p->token.end - p->token.begin;
    return (p->token.kind == HT_PYTHON_TOKEN_SIGN || p->token.kind == HT_PYTHON_TOKEN_NAME) &&
           strlen(word) == length && !memcmp(p->text + p->token.begin, word, length);
}

static ht_status fail_here(parser *p, const char *expected) {
    if (p->token.kind == HT_PYTHON_TOKEN_END)
        return ht_python_fail(p->error, p->token.begin, "expected %s at the end", expected);
    return ht_python_fail(
        p->error, p->token.begin, "expected %s, not '%.*s'", expected,
        (int)(p->token.end - p->token.begin > 40 ? 40 : p->token.end - p->token.begin),
        p->text + p->token.begin);
}

static ht_status expect(parser *p, const char *word) {
    char quoted[16];
    if (is(p, word))
        return advance(p);
    snprintf(quoted, sizeof quoted, "'%s'", word);
    return fail_here(p, quoted);
}

/* Ends a node after the last token read; frees it when it is nested too deep. */
static ht_status finish(parser *p, ht_python_node *node, ht_status status, ht_python_node **out) {
    node->end = p->last_end;
    if (status == HT_OK && node->depth > HT_PYTHON_DEPTH_MAX)
        status = ht_python_fail(p->error, node->begin, "the expression is nested deeper than %d",
                                HT_PYTHON_DEPTH_MAX);
    if (status == HT_OK)
        *out = node;
    else
        ht_python_free(node);
    return status;
}

static ht_status parse_into(parser *p, ht_python_node *node,
                            ht_status (*parse)(parser *, ht_python_node **)) {
    ht_python_node *child = NULL;
    ht_status status = parse(p, &child);
    if (status == HT_OK)
        node_add(node, child);
    return status;
}

/* Parses expressions with commas between, up to `close`, which is taken. */
static ht_status parse_items(parser *p, ht_python_node *node, const char *close) {
    ht_status status = HT_OK;
    while (status == HT_OK && !is(p, close)) {
        status = parse_into(p, node, parse_expression);
        if (status == HT_OK && !is(p, close))
            status = expect(p, ",");
    }
    return status == HT_OK ? advance(p) : status;
}

static bool is_keyword(const parser *p) {
    static const char *const words[] = {"and", "or",   "not",    "in",    "is",    "if",    "else",
                                        "for", "None", "lambda", "await", "yield", "async", "from"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (is(p, words[i]))
            return true;
    return false;
}

/* Parses a name, True, False or a call. */
static ht_status parse_name(parser *p, ht_python_node **out) {
    ht_python_node *node = node_new(HT_PYTHON_NAME, p->token.begin);
    if (is_keyword(p)) {
        ht_python_free(node);
        return fail_here(p, "a value");
    }
    if (is(p, "True") || is(p, "False")) {
        node->kind = HT_PYTHON_BOOLEAN;
        node->number.whole = is(p, "True");
    } else {
        node->text = ht_strndup(p->text + p->token.begin, p->token.end - p->token.begin);
    }
    ht_status status = advance(p);
    if (status == HT_OK && node->text && is(p, "(")) {
        node->kind = HT_PYTHON_CALL;
        status = advance(p);
        if (status == HT_OK)
            status = parse_items(p, node, ")");
    }
    return finish(p, node, status, out);
}

/* Parses what follows '[' and a first element: "for NAME in LIST [if CONDITION] ]". */
static ht_status parse_comprehension(parser *p, ht_python_node *node) {
    ht_status status = advance(p);
    node->kind = HT_PYTHON_COMPREHENSION;
    if (status != HT_OK)
        return status;
    if (p->token.kind != HT_PYTHON_TOKEN_NAME || is_keyword(p))
        return fail_here(p, "a name");
    node->text = ht_strndup(p->text + p->token.begin, p->token.end - p->token.begin);
    status = advance(p);
    if (status == HT_OK)
        status = expect(p, "in");
    if (status == HT_OK)
        status = parse_into(p, node, parse_or);
    if (status == HT_OK && is(p, "if")) {
        status = advance(p);
        if (status == HT_OK)
            status = parse_into(p, node, parse_or);
    }
    if (status == HT_OK && is(p, "for"))
        return ht_python_fail(p->error, p->token.begin, "a second 'for' is not supported");
    return status == HT_OK ? expect(p, "]") : status;
}

static ht_status parse_list(parser *p, ht_python_node **out) {
    ht_python_node *node = node_new(HT_PYTHON_LIST, p->token.begin);
    ht_status status = advance(p);
    if (status == HT_OK && !is(p, "]")) {
        status = parse_into(p, node, parse_expression);
        if (status == HT_OK && is(p, "for"))
            return finish(p, node, parse_comprehension(p, node), out);
        if (status == HT_OK && !is(p, "]"))
            status = expect(p, ",");
    }
    if (status == HT_OK)
        status = parse_items(p, node, "]");
    return finish(p, node, status, out);
}

/* Parses parentheses: their content itself; with a comma it is a tuple, here the same as a list. */
static ht_status parse_parentheses(parser *p, ht_python_node **out) {
    ht_python_node *inner = NULL;
    size_t begin = p->token.begin;
    ht_status status = advance(p);
    if (status == HT_OK && !is(p, ")"))
        status = parse_expression(p, &inner);
    if (status == HT_OK && inner && is(p, ")")) {
        status = advance(p);
        if (status == HT_OK)
            *out = inner;
        else
            ht_python_free(inner);
        return status;
    }
    ht_python_node *tuple = node_new(HT_PYTHON_LIST, begin);
    if (inner)
        node_add(tuple, inner);
    if (status == HT_OK && inner)
        status = is(p, ",") ? advance(p) : fail_here(p, "')'");
    if (status == HT_OK)
        status = parse_items(p, tuple, ")");
    return finish(p, tuple, status, out);
}

static ht_status parse_literal(parser *p, ht_python_node **out) {
    ht_python_node *node = node_new(HT_PYTHON_NUMBER, p->token.begin);
    ht_status status = HT_OK;
    if (p->token.kind == HT_PYTHON_TOKEN_TEXT) {
        node->kind = HT_PYTHON_TEXT;
        status = ht_python_token_text(p->text, &p->token, &node->text, p->error);
    }
    node->type = p->token.kind == HT_PYTHON_TOKEN_TEXT ? HT_CODE_TEXT : p->token.type;
    node->number = p->token.number;
    if (status == HT_OK)
        status = advance(p);
    return finish(p, node, status, out);
}

static ht_status parse_atom(parser *p, ht_python_node **out) {
    if (p->token.kind == HT_PYTHON_TOKEN_NUMBER || p->token.kind == HT_PYTHON_TOKEN_TEXT)
        return parse_literal(p, out);
    if (p->token.kind == HT_PYTHON_TOKEN_NAME)
        return parse_name(p, out);
    if (is(p, "("))
        return parse_parentheses(p, out);
    if (is(p, "["))
        return parse_list(p, out);
    return fail_here(p, "a value");
}

/* Parses + - and **, which binds tighter to its left than a sign there. */
static ht_status parse_factor(parser *p, ht_python_node **out) {
    ht_python_node *atom = NULL;
    if (++p->depth > HT_PYTHON_DEPTH_MAX)
        return ht_python_fail(p->error, p->token.begin, "the expression is nested deeper than %d",
                              HT_PYTHON_DEPTH_MAX);
    ht_status status;
    if (is(p, "+") || is(p, "-")) {
        ht_python_node *node = node_new(HT_PYTHON_UNARY, p->token.begin);
        node->op = is(p, "-") ? HT_PYTHON_MINUS : HT_PYTHON_PLUS;
        status = advance(p);
        if (status == HT_OK)
            status = parse_into(p, node, parse_factor);
        --p->depth;
        return finish(p, node, status, out);
    }
    size_t begin = p->token.begin;
    status = parse_atom(p, &atom);
    if (status == HT_OK && is(p, "**")) {
        ht_python_node *node = node_new(HT_PYTHON_BINARY, begin);
        node->op = HT_PYTHON_POWER;
        node_add(node, atom);
        status = advance(p);
        if (status == HT_OK)
            status = parse_into(p, node, parse_factor);
        status = finish(p, node, status, &atom);
    }
    --p->depth;
    if (status == HT_OK)
        *out = atom;
    return status;
}

typedef struct sign {
    const char *text;
    ht_python_op op;
} sign;

static const sign product_signs[] = {{"*", HT_PYTHON_MULTIPLY},
                                     {"/", HT_PYTHON_DIVIDE},
                                     {"//", HT_PYTHON_FLOOR_DIVIDE},
                                     {"%", HT_PYTHON_MODULO},
                                     {NULL, HT_PYTHON_OR}};
static const sign sum_signs[] = {
    {"+", HT_PYTHON_ADD}, {"-", HT_PYTHON_SUBTRACT}, {NULL, HT_PYTHON_OR}};
static const sign compare_signs[] = {{"==", HT_PYTHON_EQUAL},  {"!=", HT_PYTHON_NOT_EQUAL},
                                     {"<", HT_PYTHON_LESS},    {"<=", HT_PYTHON_LESS_EQUAL},
                                     {">", HT_PYTHON_GREATER}, {">=", HT_PYTHON_GREATER_EQUAL},
                                     {NULL, HT_PYTHON_OR}};

static const sign *sign_here(const parser *p, const sign *signs) {
    for (; signs->text; ++signs)
        if (is(p, signs->text))
            return signs;
    return NULL;
}

/* Parses operands with left-binding signs between. */
static ht_status parse_left(parser *p, const sign *signs,
                            ht_status (*operand)(parser *, ht_python_node **),
                            ht_python_node **out) {
    size_t begin = p->token.begin;
    const sign *found;
    ht_python_node *left = NULL;
    ht_status status = operand(p, &left);
    while (status == HT_OK && (found = sign_here(p, signs)) != NULL) {
        ht_python_node *node = node_new(HT_PYTHON_BINARY, begin);
        node->op = found->op;
        node_add(node, left);
        left = NULL;
        status = advance(p);
        if (status == HT_OK)
            status = parse_into(p, node, operand);
        status = finish(p, node, status, &left);
    }
    if (status == HT_OK)
        *out = left;
    return status;
}

static ht_status parse_product(parser *p, ht_python_node **out) {
    return parse_left(p, product_signs, parse_factor, out);
}

static ht_status parse_sum(parser *p, ht_python_node **out) {
    return parse_left(p, sum_signs, parse_product, out);
}

/* Parses what follows `in` or `not in`: a list or tuple written here. */
static ht_status parse_elements(parser *p, ht_python_node *link) {
    ht_python_node *list = NULL;
    size_t begin = p->token.begin;
    ht_status status = parse_sum(p, &list);
    if (status != HT_OK)
        return status;
    bool usable = list->kind == HT_PYTHON_LIST;
    for (size_t i = 0; usable && i < list->child_count; ++i) {
        node_add(link, list->children[i]);
        list->children[i] = NULL;
    }
    ht_python_free(list);
    return usable
               ? HT_OK
               : ht_python_fail(p->error, begin, "'in' takes a list written there, such as [1, 2]");
}

static ht_status parse_link(parser *p, ht_python_node *compare) {
    const sign *found = sign_here(p, compare_signs);
    ht_python_node *link = node_new(HT_PYTHON_LINK, p->token.begin), *done = NULL;
    bool negative = is(p, "not");
    link->op = found ? found->op : negative ? HT_PYTHON_NOT_IN : HT_PYTHON_IN;
    ht_status status = advance(p);
    if (status == HT_OK && negative)
        status = expect(p, "in");
    if (status == HT_OK)
        status = found ? parse_into(p, link, parse_sum) : parse_elements(p, link);
    status = finish(p, link, status, &done);
    if (status == HT_OK)
        node_add(compare, done);
    if (status == HT_OK && !found && (sign_here(p, compare_signs) || is(p, "in") || is(p, "not")))
        status = ht_python_fail(p->error, p->token.begin,
                                "a comparison after 'in' is not supported: use parentheses");
    return status;
}

static ht_status parse_comparison(parser *p, ht_python_node **out) {
    size_t begin = p->token.begin;
    ht_python_node *left = NULL;
    ht_status status = parse_sum(p, &left);
    if (status != HT_OK || (!sign_here(p, compare_signs) && !is(p, "in") && !is(p, "not"))) {
        *out = left;
        return status;
    }
    ht_python_node *node = node_new(HT_PYTHON_COMPARE, begin);
    node_add(node, left);
    while (status == HT_OK && (sign_here(p, compare_signs) || is(p, "in") || is(p, "not")))
        status = parse_link(p, node);
    return finish(p, node, status, out);
}

static ht_status parse_not(parser *p, ht_python_node **out) {
    if (!is(p, "not"))
        return parse_comparison(p, out);
    if (++p->depth > HT_PYTHON_DEPTH_MAX)
        return ht_python_fail(p->error, p->token.begin, "the expression is nested deeper than %d",
                              HT_PYTHON_DEPTH_MAX);
    ht_python_node *node = node_new(HT_PYTHON_UNARY, p->token.begin);
    node->op = HT_PYTHON_NOT;
    ht_status status = advance(p);
    if (status == HT_OK)
        status = parse_into(p, node, parse_not);
    --p->depth;
    return finish(p, node, status, out);
}

/* Makes one node for all the operands of a chain of the same word. */
static ht_status parse_words(parser *p, const char *word, ht_python_op op,
                             ht_status (*operand)(parser *, ht_python_node **),
                             ht_python_node **out) {
    size_t begin = p->token.begin;
    ht_python_node *first = NULL;
    ht_status status = operand(p, &first);
    if (status != HT_OK || !is(p, word)) {
        *out = first;
        return status;
    }
    ht_python_node *node = node_new(HT_PYTHON_BINARY, begin);
    node->op = op;
    node_add(node, first);
    while (status == HT_OK && is(p, word)) {
        status = advance(p);
        if (status == HT_OK)
            status = parse_into(p, node, operand);
    }
    return finish(p, node, status, out);
}

static ht_status parse_and(parser *p, ht_python_node **out) {
    return parse_words(p, "and", HT_PYTHON_AND, parse_not, out);
}

static ht_status parse_or(parser *p, ht_python_node **out) {
    return parse_words(p, "or", HT_PYTHON_OR, parse_and, out);
}

static ht_status parse_expression(parser *p, ht_python_node **out) {
    size_t begin = p->token.begin;
    ht_python_node *value = NULL;
    if (++p->depth > HT_PYTHON_DEPTH_MAX)
        return ht_python_fail(p->error, begin, "the expression is nested deeper than %d",
                              HT_PYTHON_DEPTH_MAX);
    ht_status status = parse_or(p, &value);
    if (status == HT_OK && is(p, "if")) {
        ht_python_node *node = node_new(HT_PYTHON_CONDITIONAL, begin);
        node_add(node, value);
        status = advance(p);
        if (status == HT_OK)
            status = parse_into(p, node, parse_or);
        if (status == HT_OK)
            status = expect(p, "else");
        if (status == HT_OK)
            status = parse_into(p, node, parse_expression);
        status = finish(p, node, status, &value);
    }
    --p->depth;
    if (status == HT_OK)
        *out = value;
    return status;
}

ht_status ht_python_parse(const char *text, ht_python_node **out_node, ht_error *error) {
    parser p = {.text = text, .error = error};
    ht_python_node *node = NULL;
    *out_node = NULL;
    ht_status status = advance(&p);
    if (status == HT_OK)
        status = parse_expression(&p, &node);
    if (status == HT_OK && p.token.kind != HT_PYTHON_TOKEN_END)
        status = fail_here(&p, "an operator");
    if (status == HT_OK)
        *out_node = node;
    else
        ht_python_free(node);
    return status;
}
