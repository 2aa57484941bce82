#include "templates/expr/expr_lex.h"

#include <ctype.h>
#include <string.h>

static bool name_start(char c) {
    return isalpha((unsigned char)c) || c == '_';
}

static bool name_part(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

void ht_lexer_start(ht_lexer *lexer, const char *text, ht_place where) {
    lexer->next = text;
    lexer->file = where.file;
    lexer->line = where.line;
    lexer->column = where.column > 0 ? where.column : 1;
}

static void advance(ht_lexer *lexer, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (lexer->next[i] == '\n' && lexer->line > 0) {
            ++lexer->line;
            lexer->column = 1;
        } else {
            ++lexer->column;
        }
    }
    lexer->next += count;
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

size_t ht_number_scan(const char *text, uint64_t *out_value, const char **out_problem) {
    const uint64_t limit = (uint64_t)1 << 63;
    int base = 10;
    size_t at = 0;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        base = 16, at = 2;
    else if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
        base = 2, at = 2;
    size_t first = at;
    uint64_t value = 0;
    for (; digit_value(text[at]) < base; ++at) {
        uint64_t digit = (uint64_t)digit_value(text[at]);
        if (value > (limit - digit) / (uint64_t)base) {
            *out_problem = "the number is too large for 64 bits";
            return 0;
        }
        value = value * (uint64_t)base + digit;
    }
    *out_problem = "malformed number";
    if (at == first || name_part(text[at]))
        return 0;
    if (base == 10 && text[0] == '0' && at > 1) {
        *out_problem = "a number must not start with 0 (octal is not supported)";
        return 0;
    }
    *out_value = value;
    return at;
}

static ht_status lex_number(ht_lexer *lexer, ht_token *token, ht_error *error) {
    const char *problem;
    token->kind = HT_TOKEN_NUMBER;
    token->length = ht_number_scan(lexer->next, &token->number, &problem);
    if (token->length && token->text[token->length] == '.') {
        token->length = 0;
        problem = "expressions are integers; a real number cannot stand here";
    }
    if (!token->length)
        return ht_error_set_at(error, HT_ERROR_INPUT, lexer->file, token->line, token->column, "%s",
                               problem);
    return HT_OK;
}

static size_t name_length(const char *text) {
    size_t at = 0;
    for (;;) {
        while (name_part(text[at]))
            ++at;
        if (text[at] != '.' || !name_start(text[at + 1]))
            return at;
        ++at;
    }
}

static size_t sign_length(const char *text) {
    static const char *const doubles[] = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "::"};
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; ++i)
        if (!strncmp(text, doubles[i], 2))
            return 2;
    return strchr("|^&<>+-*/%!~?:(),", text[0]) ? 1 : 0;
}

static ht_status unexpected(const ht_lexer *lexer, const ht_token *token, ht_error *error) {
    unsigned char c = (unsigned char)token->text[0];
    if (c == '=')
        return ht_error_set_at(error, HT_ERROR_INPUT, lexer->file, token->line, token->column,
                               "'=' is not an operator of expressions; compare with '=='");
    if (isprint(c))
        return ht_error_set_at(error, HT_ERROR_INPUT, lexer->file, token->line, token->column,
                               "unexpected character '%c' in an expression", c);
    return ht_error_set_at(error, HT_ERROR_INPUT, lexer->file, token->line, token->column,
                           "unexpected byte 0x%02x in an expression", c);
}

ht_status ht_lexer_next(ht_lexer *lexer, ht_token *out_token, ht_error *error) {
    while (isspace((unsigned char)*lexer->next))
        advance(lexer, 1);
    *out_token = (ht_token){.text = lexer->next, .line = lexer->line, .column = lexer->column};
    if (!*lexer->next)
        return HT_OK;
    if (isdigit((unsigned char)*lexer->next)) {
        ht_status status = lex_number(lexer, out_token, error);
        if (status != HT_OK)
            return status;
    } else if (name_start(*lexer->next)) {
        out_token->kind = HT_TOKEN_NAME;
        out_token->length = name_length(lexer->next);
    } else {
        out_token->kind = HT_TOKEN_SIGN;
        out_token->length = sign_length(lexer->next);
        if (!out_token->length)
            return unexpected(lexer, out_token, error);
    }
    advance(lexer, out_token->length);
    return HT_OK;
}

bool ht_token_is(const ht_token *token, const char *text) {
    return (token->kind == HT_TOKEN_SIGN || token->kind == HT_TOKEN_NAME) &&
           strlen(text) == token->length && !memcmp(token->text, text, token->length);
}
