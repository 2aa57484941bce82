#include "refactor/source/chevrons.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/lexer.h"

#include <stdlib.h>
#include <string.h>

/* Three brackets, in one token or more. */
typedef struct brackets {
    size_t first, last; /* tokens */
    bool found;
} brackets;

/* Returns how many of this character the token is; 0: it is another one. */
static size_t length_in(const ht_tokens *tokens, size_t index, char c) {
    const ht_token token = tokens->items[index];
    for (size_t at = token.begin; at < token.end; ++at)
        if (tokens->text[at] != c)
            return 0;
    return token.end - token.begin;
}

/* Returns true if nothing but blanks stands between two tokens. */
static bool is_near(const ht_tokens *tokens, size_t index) {
    for (size_t at = tokens->items[index].end; at < tokens->items[index + 1].begin; ++at)
        if (tokens->text[at] != ' ' && tokens->text[at] != '\t')
            return false;
    return true;
}

static brackets brackets_at(const ht_tokens *tokens, size_t index, char c) {
    size_t length = length_in(tokens, index, c), last = index;
    while (length && length < 3 && last + 1 < tokens->count && is_near(tokens, last) &&
           length_in(tokens, last + 1, c))
        length += length_in(tokens, ++last, c);
    return (brackets){index, last, length == 3};
}

/* Finds the brackets that close a launch, ahead of its arguments. */
static brackets closing(const ht_tokens *tokens, size_t from) {
    int depth = 0;
    for (size_t i = from; i < tokens->count && depth >= 0; ++i) {
        char c = tokens->text[tokens->items[i].begin];
        brackets here = brackets_at(tokens, i, '>');
        if (c == ';')
            break;
        if (depth == 0 && here.found && ht_tokens_is(tokens, here.last + 1, "("))
            return here;
        depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    }
    return (brackets){0};
}

/* Finds the brackets of a launch that open at a token. Returns false: none do. */
static bool launch_at(const ht_tokens *tokens, size_t index, brackets *open, brackets *close) {
    *open = brackets_at(tokens, index, '<');
    *close = open->found ? closing(tokens, open->last + 1) : (brackets){0};
    return close->found;
}

bool ht_chevrons_launch(const ht_tokens *tokens, size_t index, size_t *out_first,
                        size_t *out_last) {
    brackets open, close;
    if (!launch_at(tokens, index, &open, &close))
        return false;
    *out_first = open.last + 1;
    *out_last = ht_tokens_close(tokens, close.last + 1);
    return *out_last < tokens->count;
}

static bool is_apart(brackets of) {
    return of.found && of.last > of.first;
}

/* Writes three brackets next to each other, and blanks in the place of those between. */
static void join(const ht_tokens *tokens, brackets of, char *text) {
    size_t begin = tokens->items[of.first].begin;
    char c = text[begin];
    memset(text + begin, ' ', tokens->items[of.last].end - begin);
    memset(text + begin, c, 3);
}

void ht_chevrons_join(char *text) {
    ht_tokens tokens;
    brackets open, close;
    if (!strstr(text, "<< <") && !strstr(text, "< <<") && !strstr(text, ">> >") &&
        !strstr(text, "> >>"))
        return;
    char *before = ht_strdup(text);
    ht_tokens_read(before, (ht_range){0, strlen(before)}, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        if (!launch_at(&tokens, i, &open, &close))
            continue;
        if (is_apart(open))
            join(&tokens, open, text);
        if (is_apart(close))
            join(&tokens, close, text);
        i = close.last;
    }
    ht_tokens_free(&tokens);
    free(before);
}

/* ---- lists in braces */

/* Appends what stands from *from to the token, and words in its place. */
static void replace(const ht_tokens *tokens, size_t token, const char *words, size_t *from,
                    ht_text *out) {
    ht_text_append_n(out, tokens->text + *from, tokens->items[token].begin - *from);
    ht_text_append(out, words);
    *from = tokens->items[token].end;
}

/* Returns the token after an argument that begins here. */
static size_t argument_end(const ht_tokens *tokens, size_t first, size_t last) {
    static const char *const opening[] = {"(", "[", "{", NULL};
    size_t end = first;
    while (end < last && !ht_tokens_is(tokens, end, ","))
        end = ht_tokens_is_any(tokens, end, opening) ? ht_tokens_close(tokens, end) + 1 : end + 1;
    return end;
}

/* Writes grid and block, the first two that stand between the brackets, as values of dim3 where
 * they are lists in braces. */
static void lists_write(const ht_tokens *tokens, brackets open, brackets close, size_t *from,
                        ht_text *out) {
    size_t first = open.last + 1;
    for (int argument = 0; argument < 2 && first < close.first; ++argument) {
        size_t end = argument_end(tokens, first, close.first);
        if (ht_tokens_is(tokens, first, "{") && ht_tokens_close(tokens, first) + 1 == end &&
            !ht_tokens_is(tokens, end - 2, ",")) {
            replace(tokens, first, "dim3(", from, out);
            replace(tokens, end - 1, ")", from, out);
        }
        first = end + 1;
    }
}

char *ht_chevrons_lists(const char *text) {
    ht_tokens tokens;
    ht_text out = {0};
    size_t from = 0;
    brackets open, close;
    if (!strstr(text, "<<<"))
        return ht_strdup(text);
    ht_tokens_read(text, (ht_range){0, strlen(text)}, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        if (!launch_at(&tokens, i, &open, &close))
            continue;
        lists_write(&tokens, open, close, &from, &out);
        i = close.last;
    }
    ht_text_append(&out, text + from);
    ht_tokens_free(&tokens);
    return ht_text_take(&out);
}
