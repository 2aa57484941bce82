#include "refactor/source/array_parameters.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/lexer.h"

#include <stdlib.h>
#include <string.h>

/* Returns true if a parameter's name may follow: `float in[]`, but not `float (&in)[8]`. */
static bool ends_type(const ht_tokens *tokens, size_t index) {
    const ht_token token = tokens->items[index];
    return token.kind == HT_TOKEN_NAME || ht_tokens_is(tokens, index, "*") ||
           ht_tokens_is(tokens, index, ">");
}

/* Writes `*in` in the place of `in[n]`, and (*in)[4] in that of in[n][4], where there is room.
 * `text` has the same places as the tokens. */
static bool parameter_write(const ht_tokens *tokens, size_t name, char *text) {
    const ht_token token = tokens->items[name];
    size_t close = ht_tokens_close(tokens, name + 1);
    size_t end = close < tokens->count ? tokens->items[close].end : token.end;
    bool more = ht_tokens_is(tokens, close + 1, "[");
    bool apart = token.begin > 0 && text[token.begin - 1] == ' ';
    size_t begin = more && apart ? token.begin - 1 : token.begin, room = end - begin;
    char *own = ht_tokens_text(tokens, name);
    char *written = ht_format(more ? "(*%s)" : "*%s", own);
    bool fits = close < tokens->count && strlen(written) <= room &&
                !memchr(text + begin, '\n', room) && !memchr(text + begin, '/', room);
    size_t length = fits ? strlen(written) : 0;
    for (size_t i = 0; i < room && fits; ++i)
        text[begin + i] = i < length ? written[i] : ' ';
    free(own);
    free(written);
    return fits;
}

/* Looks at the parameters between these brackets. */
static bool list_write(const ht_tokens *tokens, size_t open, size_t close, char *text) {
    bool any = false;
    for (size_t i = open + 2; i + 1 < close; ++i) {
        if (ht_tokens_is(tokens, i, "(") || ht_tokens_is(tokens, i, "{")) {
            i = ht_tokens_close(tokens, i);
            continue;
        }
        if (tokens->items[i].kind != HT_TOKEN_NAME || !ht_tokens_is(tokens, i + 1, "[") ||
            !ends_type(tokens, i - 1))
            continue;
        size_t last = i;
        while (ht_tokens_is(tokens, last + 1, "["))
            last = ht_tokens_close(tokens, last + 1);
        if (ht_tokens_is(tokens, last + 1, ",") || last + 1 == close)
            any = parameter_write(tokens, i, text) || any;
        i = last;
    }
    return any;
}

/* Finds the parameters of the kernel whose `__global__` this is: the last brackets ahead of its
 * body, or of the semicolon. Returns the first of the two tokens; count: there are none. */
static size_t list_of(const ht_tokens *tokens, size_t global) {
    size_t open = tokens->count;
    for (size_t i = global + 1; i < tokens->count; ++i) {
        if (ht_tokens_is(tokens, i, "{") || ht_tokens_is(tokens, i, ";"))
            return open;
        if (ht_tokens_is(tokens, i, "(")) {
            open = i;
            i = ht_tokens_close(tokens, i);
        }
    }
    return tokens->count;
}

bool ht_array_parameters_write(char *text) {
    if (!strstr(text, "__global__"))
        return false;
    ht_tokens tokens;
    bool any = false;
    char *before = ht_strdup(text);
    ht_tokens_read(before, (ht_range){0, strlen(before)}, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        if (!ht_tokens_is(&tokens, i, "__global__"))
            continue;
        size_t open = list_of(&tokens, i);
        size_t close = open < tokens.count ? ht_tokens_close(&tokens, open) : open;
        if (close < tokens.count)
            any = list_write(&tokens, open, close, text) || any;
    }
    ht_tokens_free(&tokens);
    free(before);
    return any;
}
