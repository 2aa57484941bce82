#include "refactor/source/printed.h"

#include <string.h>

/* Returns the index of the bracket that is open at a token; count: none is. */
static size_t bracket_open(const ht_tokens *tokens, size_t at) {
    static const char *const opens[] = {"(", "[", "{", NULL}, *const closes[] = {")", "]", "}",
                                                                                 NULL};
    for (size_t depth = 0; at-- > 0;)
        if (ht_tokens_is_any(tokens, at, closes))
            ++depth;
        else if (ht_tokens_is_any(tokens, at, opens) && depth-- == 0)
            return at;
    return tokens->count;
}

/* Returns true if the tokens from `name` up to `end` are an argument of printf. */
static bool is_argument(const ht_tokens *tokens, size_t name, size_t end) {
    static const char *const functions[] = {"printf", "fprintf", NULL};
    if (name == 0 || !ht_tokens_is(tokens, name - 1, ",") ||
        !(ht_tokens_is(tokens, end, ",") || ht_tokens_is(tokens, end, ")")))
        return false;
    size_t open = bracket_open(tokens, name);
    return open > 0 && open < tokens->count && ht_tokens_is(tokens, open, "(") &&
           ht_tokens_is_any(tokens, open - 1, functions);
}

/* Returns true if the tokens from `name` up to `end` are a part of what a standard stream
 * prints. */
static bool is_streamed(const ht_tokens *tokens, size_t name, size_t end) {
    static const char *const streams[] = {"cout", "cerr", "clog", NULL};
    if (name == 0 || !ht_tokens_is(tokens, name - 1, "<<") ||
        !(ht_tokens_is(tokens, end, "<<") || ht_tokens_is(tokens, end, ";")))
        return false;
    size_t first = name;
    while (first > 0 && !ht_tokens_is_any(tokens, first - 1,
                                          (const char *const[]){";", "{", "}", "(", ")", NULL}))
        --first;
    if (ht_tokens_is(tokens, first, "std") && ht_tokens_is(tokens, first + 1, "::"))
        first += 2;
    return ht_tokens_is_any(tokens, first, streams) && ht_tokens_is(tokens, first + 1, "<<");
}

bool ht_source_is_printed(const ht_source *source, size_t offset) {
    size_t file = ht_source_at(source, offset);
    const ht_tokens *tokens = ht_source_tokens(source, file);
    size_t begin = offset - source->files[file].base, name = ht_tokens_at(tokens, begin);
    if (name >= tokens->count || tokens->items[name].begin != begin)
        return false;
    size_t end = name + 1;
    if (ht_tokens_is(tokens, end, "."))
        end += 2;
    return is_argument(tokens, name, end) || is_streamed(tokens, name, end);
}
