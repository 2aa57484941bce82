#include "base/lexeme.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool name_start(char c) {
    return isalpha((unsigned char)c) || c == '_' || (c & 0x80);
}

static bool name_part(char c) {
    return name_start(c) || isdigit((unsigned char)c);
}

size_t ht_block_comment_end(const char *text, size_t at, size_t end) {
    at += 2;
    while (at + 1 < end && !(text[at] == '*' && text[at + 1] == '/'))
        ++at;
    return at + 2 < end ? at + 2 : end;
}

static size_t raw_string_end(const char *text, size_t quote, size_t end) {
    size_t open = quote + 1;
    while (open < end && text[open] != '(' && open - quote <= 17)
        ++open;
    size_t length = open - quote - 1;
    for (size_t at = open; at + length + 1 < end; ++at)
        if (text[at] == ')' && memcmp(text + at + 1, text + quote + 1, length) == 0 &&
            text[at + 1 + length] == '"')
            return at + length + 2;
    return end;
}

static size_t quoted_end(const char *text, size_t at, size_t end) {
    char quote = text[at++];
    while (at < end && text[at] != quote && text[at] != '\n')
        at += text[at] == '\\' && at + 1 < end ? 2 : 1;
    return at < end && text[at] == quote ? at + 1 : at < end ? at : end;
}

static size_t number_end(const char *text, size_t at, size_t end) {
    while (at < end && (name_part(text[at]) || text[at] == '.' ||
                        (text[at] == '\'' && at + 1 < end && name_part(text[at + 1])) ||
                        ((text[at] == '+' || text[at] == '-') && strchr("eEpP", text[at - 1]) &&
                         !(text[at - 1] != 'p' && text[at - 1] != 'P' && at >= 2 &&
                           (text[at - 2] == 'x' || text[at - 2] == 'X')))))
        ++at;
    return at;
}

static size_t punct_end(const char *text, size_t at, size_t end) {
    static const char *const longer[] = {
        "<<<", ">>>", "<<=", ">>=", "...", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=",
        "==",  "!=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "##"};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; ++i) {
        size_t length = strlen(longer[i]);
        if (at + length <= end && memcmp(text + at, longer[i], length) == 0)
            return at + length;
    }
    return at + 1;
}

static bool string_prefix(const char *text, size_t begin, size_t end, bool *out_raw) {
    size_t length = end - begin;
    *out_raw = length > 0 && text[end - 1] == 'R';
    if (*out_raw)
        --length;
    return length == 0 || (length == 1 && strchr("uUL", text[begin])) ||
           (length == 2 && memcmp(text + begin, "u8", 2) == 0);
}

size_t ht_lexeme_end(const char *text, size_t at, size_t end, ht_token_kind *out_kind) {
    char c = text[at];
    if (name_start(c)) {
        size_t stop = at;
        while (stop < end && name_part(text[stop]))
            ++stop;
        bool raw;
        if (stop < end && (text[stop] == '"' || text[stop] == '\'') &&
            string_prefix(text, at, stop, &raw)) {
            *out_kind = HT_TOKEN_STRING;
            return raw && text[stop] == '"' ? raw_string_end(text, stop, end)
                                            : quoted_end(text, stop, end);
        }
        *out_kind = HT_TOKEN_NAME;
        return stop;
    }
    if (isdigit((unsigned char)c) ||
        (c == '.' && at + 1 < end && isdigit((unsigned char)text[at + 1]))) {
        *out_kind = HT_TOKEN_NUMBER;
        return number_end(text, at + 1, end);
    }
    if (c == '"' || c == '\'') {
        *out_kind = HT_TOKEN_STRING;
        return quoted_end(text, at, end);
    }
    *out_kind = HT_TOKEN_PUNCT;
    return punct_end(text, at, end);
}
