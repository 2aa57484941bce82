#include "refactor/source/lexer.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns the end of a directive's line, which backslashes may continue; comments that span lines
 * belong to it. */
static size_t directive_end(const char *text, size_t at, size_t end) {
    while (at < end && text[at] != '\n') {
        if (text[at] == '\\' && at + 1 < end && text[at + 1] == '\n')
            at += 2;
        else if (text[at] == '\\' && at + 2 < end && text[at + 1] == '\r' && text[at + 2] == '\n')
            at += 3;
        else if (text[at] == '/' && at + 1 < end && text[at + 1] == '*')
            at = ht_block_comment_end(text, at, end);
        else if (text[at] == '/' && at + 1 < end && text[at + 1] == '/') {
            while (at < end && text[at] != '\n')
                at += text[at] == '\\' && at + 1 < end && text[at + 1] == '\n' ? 2 : 1;
            return at < end ? at : end;
        } else
            ++at;
    }
    return at < end ? at : end;
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
            at = ht_block_comment_end(text, at, range.end);
            continue;
        }
        ht_token token = {.begin = at};
        if (c == '#' && line_start && directives) {
            token.kind = HT_TOKEN_DIRECTIVE;
            token.end = directive_end(text, at, range.end);
        } else
            token.end = ht_lexeme_end(text, at, range.end, &token.kind);
        line_start = false;
        HT_GROW(out_tokens->items, out_tokens->count);
        out_tokens->items[out_tokens->count++] = token;
        at = token.end;
    }
}

void ht_tokens_read_line(const ht_tokens *tokens, size_t directive, ht_tokens *out_line) {
    const ht_token *token = &tokens->items[directive];
    ht_tokens_read(tokens->text, (ht_range){token->begin, token->end}, false, out_line);
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

size_t ht_tokens_count(const ht_tokens *tokens, ht_range range, const char *const *spellings) {
    size_t count = 0, end = ht_tokens_at(tokens, range.end);
    for (size_t i = ht_tokens_at(tokens, range.begin); i < end; ++i)
        count += ht_tokens_is_any(tokens, i, spellings);
    return count;
}

size_t ht_tokens_count_of(const ht_tokens *tokens, ht_range range, const char *spelling) {
    return ht_tokens_count(tokens, range, (const char *const[]){spelling, NULL});
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
