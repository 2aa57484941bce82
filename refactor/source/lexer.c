#include "refactor/source/lexer.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool name_start(char c) {
    return isalpha((unsigned char)c) || c == '_' || (c & 0x80);
}

static bool name_part(char c) {
    return name_start(c) || isdigit((unsigned char)c);
}

static size_t skip_block_comment(const char *text, size_t at, size_t end) {
    at += 2;
    while (at + 1 < end && !(text[at] == '*' && text[at + 1] == '/'))
        ++at;
    return at + 2 < end ? at + 2 : end;
}

/* Returns the end of a directive's line, which backslashes may continue; comments that span lines
 * belong to it. */
static size_t directive_end(const char *text, size_t at, size_t end) {
    while (at < end && text[at] != '\n') {
        if (text[at] == '\\' && at + 1 < end && text[at + 1] == '\n')
            at += 2;
        else if (text[at] == '\\' && at + 2 < end && text[at + 1] == '\r' && text[at + 2] == '\n')
            at += 3;
        else if (text[at] == '/' && at + 1 < end && text[at + 1] == '*')
            at = skip_block_comment(text, at, end);
        else if (text[at] == '/' && at + 1 < end && text[at + 1] == '/') {
            while (at < end && text[at] != '\n')
                at += text[at] == '\\' && at + 1 < end && text[at + 1] == '\n' ? 2 : 1;
            return at < end ? at : end;
        } else
            ++at;
    }
    return at < end ? at : end;
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

static size_t next_token(const char *text, size_t at, size_t end, ht_token_kind *out_kind) {
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

void ht_tokens_read(const char *text, ht_range range, bool directives, ht_tokens *out_tokens) {
    *out_tokens = (ht_tokens){.text = text};
    bool line_start = true;
    for (size_t at = range.begin; at < range.end;) {
        char c = text[at];
        if (c == '\n')
            line_start = true;
        if (isspace((unsigned char)c) || c == '\\' || c == 0) {
            ++at;
            continue;
        }
        if (c == '/' && at + 1 < range.end && text[at + 1] == '/') {
            while (at < range.end && text[at] != '\n')
                at += text[at] == '\\' && at + 1 < range.end ? 2 : 1;
            continue;
        }
        if (c == '/' && at + 1 < range.end && text[at + 1] == '*') {
            at = skip_block_comment(text, at, range.end);
            continue;
        }
        ht_token token = {.begin = at};
        if (c == '#' && line_start && directives) {
            token.kind = HT_TOKEN_DIRECTIVE;
            token.end = directive_end(text, at, range.end);
        } else
            token.end = next_token(text, at, range.end, &token.kind);
        line_start = false;
        HT_GROW(out_tokens->items, out_tokens->count);
        out_tokens->items[out_tokens->count++] = token;
        at = token.end;
    }
}

void ht_tokens_free(ht_tokens *tokens) {
    free(tokens->items);
    *tokens = (ht_tokens){0};
}

size_t ht_tokens_at(const ht_tokens *tokens, size_t offset) {
    size_t low = 0, high = tokens->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (tokens->items[middle].begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool ht_tokens_is(const ht_tokens *tokens, size_t index, const char *spelling) {
    if (index >= tokens->count)
        return false;
    const ht_token *token = &tokens->items[index];
    size_t length = strlen(spelling);
    return token->end - token->begin == length &&
           memcmp(tokens->text + token->begin, spelling, length) == 0;
}

bool ht_tokens_is_any(const ht_tokens *tokens, size_t index, const char *const *spellings) {
    for (; *spellings; ++spellings)
        if (ht_tokens_is(tokens, index, *spellings))
            return true;
    return false;
}

char *ht_tokens_text(const ht_tokens *tokens, size_t index) {
    const ht_token *token = &tokens->items[index];
    return ht_strndup(tokens->text + token->begin, token->end - token->begin);
}

size_t ht_tokens_close(const ht_tokens *tokens, size_t open) {
    if (open >= tokens->count)
        return tokens->count;
    bool angle = ht_tokens_is(tokens, open, "<");
    int round = 0, angles = 0;
    for (size_t i = open; i < tokens->count; ++i) {
        const ht_token *token = &tokens->items[i];
        if (token->kind != HT_TOKEN_PUNCT)
            continue;
        char c = tokens->text[token->begin];
        size_t length = token->end - token->begin;
        if (length == 1 && strchr("([{", c))
            ++round;
        else if (length == 1 && strchr(")]}", c))
            --round;
        else if (angle && round == 0 && c == '<' && length == 1)
            ++angles;
        else if (angle && round == 0 && c == '>' && (length <= 3) &&
                 !memchr(tokens->text + token->begin, '=', length))
            angles -= (int)length;
        else if (angle && round == 0 && length == 1 && c == ';')
            return tokens->count;
        if (round < 0)
            return tokens->count;
        if (angle ? angles <= 0 : round == 0)
            return i;
    }
    return tokens->count;
}
