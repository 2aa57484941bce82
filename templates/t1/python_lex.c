#include "templates/t1/python_lex.h"

#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ht_status ht_python_fail(ht_error *error, size_t at, const char *format, ...) {
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return ht_error_set_at(error, HT_ERROR_INPUT, NULL, 0, (int)at + 1, "%s", message);
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the base of 0x10, 0b1, 0o7; 10 for others. */
static int base_of(const char *digits) {
    if (digits[0] != '0')
        return 10;
    switch (digits[1] | 0x20) {
    case 'x':
        return 16;
    case 'b':
        return 2;
    case 'o':
        return 8;
    default:
        return 10;
    }
}

static ht_status lex_real(const char *digits, ht_python_token *token, ht_error *error) {
    token->type = HT_CODE_REAL;
    token->number.real = strtod(digits, NULL);
    if (!isfinite(token->number.real))
        return ht_python_fail(error, token->begin, "the number is too large");
    return HT_OK;
}

static ht_status lex_number(const char *text, ht_python_token *token, ht_error *error) {
    char digits[128];
    size_t length = 0, at = token->begin;
    bool real = false, hexadecimal = base_of(text + at) == 16;
    for (; is_word(text[at]) || text[at] == '.' ||
           ((text[at] == '+' || text[at] == '-') && real && (text[at - 1] | 0x20) == 'e');
         ++at) {
        real |= text[at] == '.' || (!hexadecimal && (text[at] | 0x20) == 'e');
        if (text[at] == '_')
            continue;
        if (length + 1 >= sizeof digits)
            return ht_python_fail(error, token->begin, "the number is too long");
        digits[length++] = text[at];
    }
    digits[length] = 0;
    token->kind = HT_PYTHON_TOKEN_NUMBER;
    token->end = at;
    char *rest = NULL;
    if (real) {
        strtod(digits, &rest);
    } else {
        int base = base_of(digits);
        errno = 0;
        token->number.whole = strtoll(base == 10 ? digits : digits + 2, &rest, base);
        if (errno == ERANGE)
            return ht_python_fail(error, token->begin, "the number does not fit 64 bits");
        if (rest == digits + 2 && base != 10)
            rest = digits;
        /* Python has no 010; it would be read as octal elsewhere. */
        if (base == 10 && length > 1 && digits[0] == '0' && strspn(digits, "0") != length)
            rest = digits;
    }
    if (*rest || !length)
        return ht_python_fail(error, token->begin, "'%.40s' is no number", digits);
    return real ? lex_real(digits, token, error) : HT_OK;
}

static ht_status lex_text(const char *text, ht_python_token *token, ht_error *error) {
    char quote = text[token->begin];
    size_t at = token->begin + 1;
    while (text[at] && text[at] != quote && text[at] != '\n')
        at += text[at] == '\\' && text[at + 1] ? 2 : 1;
    if (text[at] != quote)
        return ht_python_fail(error, token->begin, "nothing closes this %c", quote);
    token->kind = HT_PYTHON_TOKEN_TEXT;
    token->end = at + 1;
    return HT_OK;
}

static ht_status lex_sign(const char *text, ht_python_token *token, ht_error *error) {
    static const char *const signs[] = {"**", "//", "==", "!=", "<=", ">=", "<", ">", "+",
                                        "-",  "*",  "/",  "%",  "(",  ")",  "[", "]", ","};
    static const char *const refused[] = {"<<", ">>", ":=", "&", "|", "^", "~", ".",
                                          "=",  ":",  "{",  "}", "@", ";", "!"};
    const char *here = text + token->begin;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        size_t length = strlen(refused[i]);
        if (strncmp(here, refused[i], length) != 0)
            continue;
        if ((*here == '=' || *here == '!') && here[1] == '=')
            continue;
        return ht_python_fail(error, token->begin, "'%s' is not supported here", refused[i]);
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs; ++i)
        if (!strncmp(here, signs[i], strlen(signs[i]))) {
            token->kind = HT_PYTHON_TOKEN_SIGN;
            token->end = token->begin + strlen(signs[i]);
            return HT_OK;
        }
    return ht_python_fail(error, token->begin, "unexpected character %s%c%s",
                          isprint((unsigned char)*here) ? "'" : "",
                          isprint((unsigned char)*here) ? *here : '?',
                          isprint((unsigned char)*here) ? "'" : " (no printable ASCII)");
}

ht_status ht_python_token_next(const char *text, size_t *at, ht_python_token *out_token,
                               ht_error *error) {
    while (text[*at] && strchr(" \t\r\n\f", text[*at]))
        ++*at;
    *out_token = (ht_python_token){.begin = *at, .end = *at};
    char c = text[*at];
    ht_status status = HT_OK;
    if (!c)
        return HT_OK;
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)text[*at + 1]))) {
        status = lex_number(text, out_token, error);
    } else if (c == '"' || c == '\'') {
        status = lex_text(text, out_token, error);
    } else if (isalpha((unsigned char)c) || c == '_') {
        out_token->kind = HT_PYTHON_TOKEN_NAME;
        while (is_word(text[out_token->end]))
            ++out_token->end;
    } else {
        status = lex_sign(text, out_token, error);
    }
    *at = out_token->end;
    return status;
}

ht_status ht_python_token_text(const char *text, const ht_python_token *token, char **out_text,
                               ht_error *error) {
    ht_text out = {0};
    ht_text_append(&out, "");
    for (size_t at = token->begin + 1; at + 1 < token->end; ++at) {
        char c = text[at];
        if (c == '\\') {
            static const char from[] = "\\'\"nt", to[] = "\\'\"\n\t";
            const char *escape = strchr(from, text[++at]);
            if (!escape) {
                ht_text_free(&out);
                return ht_python_fail(error, at - 1, "the escape '\\%c' is not supported",
                                      text[at]);
            }
            c = to[escape - from];
        }
        ht_text_append_n(&out, &c, 1);
    }
    *out_text = ht_text_take(&out);
    return HT_OK;
}
