/* Recursive descent with precedence climbing for the binary operators. */
#include "templates/expr/expr_lex.h"
#include "templates/expr/expr_node.h"
#include "templates/expr/type.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    ht_lexer lexer;
    ht_token token; /* the one to be looked at */
    const char *text;
    int nesting;
    ht_error *error;
} parser;

static ht_status parse_conditional(parser *p, ht_node **out_node);

static ht_status next(parser *p) {
    return ht_lexer_next(&p->lexer, &p->token, p->error);
}

static ht_status fail(parser *p, int line, int column, const char *message) {
    return ht_error_set_at(p->error, HT_ERROR_INPUT, p->lexer.file, line, column, "%s", message);
}

static ht_status expected(parser *p, const char *what) {
    if (p->token.kind == HT_TOKEN_END)
        return ht_error_set_at(p->error, HT_ERROR_INPUT, p->lexer.file, p->token.line,
                               p->token.column, "expected %s, but the expression ends", what);
    return ht_error_set_at(p->error, HT_ERROR_INPUT, p->lexer.file, p->token.line, p->token.column,
                           "expected %s, found '%.*s'", what, (int)p->token.length, p->token.text);
}

static ht_status expect(parser *p, const char *sign) {
    char what[8];
    if (ht_token_is(&p->token, sign))
        return next(p);
    snprintf(what, sizeof what, "'%s'", sign);
    return expected(p, what);
}

/* Hands `node` on unless its tree got too deep. */
static ht_status finish(parser *p, ht_node *node, ht_node **out_node) {
    if (node->depth > HT_EXPR_DEPTH_MAX) {
        ht_status status = fail(p, node->line, node->column, "the expression is nested too deeply");
        ht_node_free(node);
        return status;
    }
    *out_node = node;
    return HT_OK;
}

static ht_status parse_number(parser *p, bool negative, ht_node **out_node) {
    ht_token token = p->token;
    const uint64_t limit = (uint64_t)1 << 63;
    if (token.number == limit && !negative)
        return fail(p, token.line, token.column, "the number is too large for 64 bits");
    ht_node *node = ht_node_new(HT_NODE_NUMBER, token.line, token.column);
    node->number = token.number == limit ? INT64_MIN
                   : negative            ? -(int64_t)token.number
                                         : (int64_t)token.number;
    *out_node = node;
    ht_status status = next(p);
    if (status != HT_OK)
        ht_node_free(node);
    return status;
}

static ht_status parse_sizeof(parser *p, ht_node *node) {
    ht_status status = next(p);
    if (status != HT_OK)
        return status;
    if (!ht_token_is(&p->token, "("))
        return expected(p, "'(' after sizeof");
    const char *start = p->token.text + 1;
    int depth = 0, line = p->token.line, column = p->token.column;
    for (;;) {
        if (p->token.kind == HT_TOKEN_END)
            return fail(p, line, column, "no ')' for this '('");
        if (ht_token_is(&p->token, "("))
            ++depth;
        if (ht_token_is(&p->token, ")") && --depth == 0)
            break;
        if ((status = next(p)) != HT_OK)
            return status;
    }
    node->name = ht_type_normalise(start, (size_t)(p->token.text - start));
    if (!node->name)
        return fail(p, line, column, "sizeof needs a type, as in sizeof(float)");
    return next(p);
}

static ht_status parse_call(parser *p, ht_node *node, const ht_token *name) {
    const ht_function_info *function = &ht_functions[node->op];
    ht_status status = expect(p, "(");
    while (status == HT_OK) {
        ht_node *argument = NULL;
        if ((status = parse_conditional(p, &argument)) != HT_OK)
            return status;
        ht_node_add(node, argument);
        if (!ht_token_is(&p->token, ","))
            break;
        status = next(p);
    }
    if (status != HT_OK || (status = expect(p, ")")) != HT_OK)
        return status;
    if (node->child_count < function->arguments ||
        (node->child_count > function->arguments && !function->more_allowed))
        return ht_error_set_at(p->error, HT_ERROR_INPUT, p->lexer.file, name->line, name->column,
                               "%s takes %zu argument%s%s, not %zu", function->name,
                               function->arguments, function->arguments == 1 ? "" : "s",
                               function->more_allowed ? " or more" : "", node->child_count);
    return HT_OK;
}

static int find_function(const ht_token *token) {
    for (int i = 0; i < HT_FN_COUNT; ++i)
        if (ht_token_is(token, ht_functions[i].name))
            return i;
    return -1;
}

static ht_status parse_name(parser *p, ht_node **out_node) {
    ht_token token = p->token;
    ht_node *node = ht_node_new(HT_NODE_NAME, token.line, token.column);
    ht_status status;
    int function = find_function(&token);
    if (ht_token_is(&token, "sizeof")) {
        node->kind = HT_NODE_SIZEOF;
        status = parse_sizeof(p, node);
    } else if (ht_token_is(&token, "true") || ht_token_is(&token, "false")) {
        node->kind = HT_NODE_BOOLEAN;
        node->number = ht_token_is(&token, "true");
        status = next(p);
    } else if (function >= 0) {
        node->kind = HT_NODE_CALL;
        node->op = function;
        status = next(p);
        if (status == HT_OK)
            status = parse_call(p, node, &token);
    } else {
        node->name = ht_strndup(token.text, token.length);
        status = next(p);
        if (status == HT_OK && ht_token_is(&p->token, "("))
            status =
                ht_error_set_at(p->error, HT_ERROR_INPUT, p->lexer.file, token.line, token.column,
                                "unknown function '%s'; there are min, max, ceil_div, "
                                "round_up, abs, clamp, is_pow2, log2, pow2, gcd and sizeof",
                                node->name);
    }
    if (status != HT_OK) {
        ht_node_free(node);
        return status;
    }
    return finish(p, node, out_node);
}

static ht_status parse_primary(parser *p, ht_node **out_node) {
    if (p->token.kind == HT_TOKEN_NUMBER)
        return parse_number(p, false, out_node);
    if (p->token.kind == HT_TOKEN_NAME)
        return parse_name(p, out_node);
    if (!ht_token_is(&p->token, "("))
        return expected(p, "a number, a name or '('");
    ht_status status = next(p);
    if (status == HT_OK)
        status = parse_conditional(p, out_node);
    if (status != HT_OK)
        return status;
    if ((status = expect(p, ")")) != HT_OK)
        ht_node_free(*out_node);
    return status;
}

static int unary_operator(const ht_token *token) {
    for (int op = HT_OP_MINUS; op <= HT_OP_COMPLEMENT; ++op)
        if (token->kind == HT_TOKEN_SIGN && ht_token_is(token, ht_operators[op].text))
            return op;
    return -1;
}

/* Applies a unary operator to the operand, which it takes. */
static ht_status apply_unary(parser *p, int op, int line, int column, ht_node *operand,
                             ht_node **out_node) {
    if (op == HT_OP_MINUS && operand->kind == HT_NODE_NUMBER && operand->number != INT64_MIN) {
        operand->number = -operand->number; /* so that a number has one form of tree only */
        *out_node = operand;
        return HT_OK;
    }
    ht_node *node = ht_node_new(HT_NODE_UNARY, line, column);
    node->op = op;
    ht_node_add(node, operand);
    return finish(p, node, out_node);
}

static ht_status parse_unary(parser *p, ht_node **out_node) {
    int op = unary_operator(&p->token);
    int line = p->token.line, column = p->token.column;
    ht_node *operand = NULL;
    if (op < 0)
        return parse_primary(p, out_node);
    if (++p->nesting > HT_EXPR_DEPTH_MAX)
        return fail(p, line, column, "the expression is nested too deeply");
    ht_status status = next(p);
    if (status != HT_OK)
        return status;
    if (op == HT_OP_MINUS && p->token.kind == HT_TOKEN_NUMBER) {
        status = parse_number(p, true, out_node);
    } else {
        status = parse_unary(p, &operand);
        if (status == HT_OK && operand)
            status = apply_unary(p, op, line, column, operand, out_node);
    }
    --p->nesting;
    return status;
}

static int binary_operator(const ht_token *token) {
    for (int op = 0; op < HT_OP_COUNT; ++op)
        if (token->kind == HT_TOKEN_SIGN && ht_token_is(token, ht_operators[op].text))
            return op;
    return -1;
}

/* Parses operators of at least this precedence; all are left-associative. */
static ht_status parse_binary(parser *p, int precedence, ht_node **out_node) {
    ht_node *left = NULL;
    ht_status status = parse_unary(p, &left);
    if (status != HT_OK)
        return status;
    for (;;) {
        int op = binary_operator(&p->token);
        if (op < 0 || ht_operators[op].precedence < precedence)
            break;
        int line = p->token.line, column = p->token.column;
        ht_node *right = NULL;
        if ((status = next(p)) != HT_OK ||
            (status = parse_binary(p, ht_operators[op].precedence + 1, &right)) != HT_OK) {
            ht_node_free(left);
            return status;
        }
        ht_node *node = ht_node_new(HT_NODE_BINARY, line, column);
        node->op = op;
        ht_node_add(node, left);
        ht_node_add(node, right);
        if ((status = finish(p, node, &left)) != HT_OK)
            return status;
    }
    *out_node = left;
    return HT_OK;
}

static ht_status parse_branches(parser *p, ht_node *node) {
    ht_node *branch = NULL;
    ht_status status = next(p);
    if (status == HT_OK)
        status = parse_conditional(p, &branch);
    if (status != HT_OK)
        return status;
    ht_node_add(node, branch);
    if ((status = expect(p, ":")) != HT_OK || (status = parse_conditional(p, &branch)) != HT_OK)
        return status;
    ht_node_add(node, branch);
    return HT_OK;
}

static ht_status parse_conditional(parser *p, ht_node **out_node) {
    ht_node *condition = NULL;
    if (++p->nesting > HT_EXPR_DEPTH_MAX)
        return fail(p, p->token.line, p->token.column, "the expression is nested too deeply");
    ht_status status = parse_binary(p, ht_operators[HT_OP_OR].precedence, &condition);
    if (status == HT_OK && ht_token_is(&p->token, "?")) {
        ht_node *node = ht_node_new(HT_NODE_CONDITIONAL, p->token.line, p->token.column);
        ht_node_add(node, condition);
        status = parse_branches(p, node);
        if (status == HT_OK)
            status = finish(p, node, &condition);
        else
            ht_node_free(node);
    }
    --p->nesting;
    *out_node = condition;
    return status;
}

ht_status ht_expr_parse(const char *text, ht_place where, ht_expr **out_expr, ht_error *error) {
    parser p = {.text = text, .error = error};
    ht_node *root = NULL;
    ht_lexer_start(&p.lexer, text, where);
    ht_status status = next(&p);
    if (status == HT_OK && p.token.kind == HT_TOKEN_END)
        return fail(&p, where.line, where.column, "expected an expression, found nothing");
    if (status == HT_OK)
        status = parse_conditional(&p, &root);
    if (status != HT_OK)
        return status;
    if (p.token.kind != HT_TOKEN_END) {
        ht_node_free(root);
        return expected(&p, "an operator or the end of the expression");
    }
    ht_expr *expr = ht_alloc(1, sizeof *expr);
    expr->file = where.file ? ht_strdup(where.file) : NULL;
    expr->line = where.line;
    expr->column = where.column;
    expr->root = root;
    *out_expr = expr;
    return HT_OK;
}
