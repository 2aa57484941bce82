#include "refactor/source/chevrons.h"

#include "base/memory.h"
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

/* Appends each line that is not as it was. */
static void lines_add(const char *before, const char *after, ht_whole_blocks *lines) {
    while (*before) {
        size_t length = strcspn(before, "\n");
        if (memcmp(before, after, length) != 0) {
            HT_GROW(lines->items, lines->count);
            lines->items[lines->count++] =
                (ht_whole_block){ht_strndup(before, length), ht_strndup(after, length)};
        }
        length += before[length] == '\n';
        before += length;
        after += length;
    }
}

char *ht_chevrons_text(const char *text, ht_whole_blocks *lines) {
    ht_tokens tokens;
    if (!strstr(text, "<< <") && !strstr(text, "< <<") && !strstr(text, ">> >") &&
        !strstr(text, "> >>"))
        return NULL;
    char *changed = ht_strdup(text);
    bool any = false;
    ht_tokens_read(text, (ht_range){0, strlen(text)}, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        brackets open = brackets_at(&tokens, i, '<');
        brackets close = open.found ? closing(&tokens, open.last + 1) : (brackets){0};
        if (!close.found)
            continue;
        if (is_apart(open))
            join(&tokens, open, changed);
        if (is_apart(close))
            join(&tokens, close, changed);
        any = any || is_apart(open) || is_apart(close);
        i = close.last;
    }
    ht_tokens_free(&tokens);
    if (any) {
        lines_add(text, changed, lines);
        return changed;
    }
    free(changed);
    return NULL;
}

char *ht_chevrons_plain(const char *text) {
    ht_whole_blocks lines = {0};
    char *changed = ht_chevrons_text(text, &lines);
    ht_whole_blocks_free(&lines);
    return changed ? changed : ht_strdup(text);
}
