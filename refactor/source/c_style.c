#include "refactor/source/c_style.h"

#include "refactor/source/lexer.h"

#include <stddef.h>
#include <string.h>

typedef enum header { HEADER_OTHER, HEADER_C, HEADER_CPP } header;

/* Returns whose header a directive includes. */
static header header_of(const char *at, const char *end) {
    static const char *const names[] = {"assert.h", "ctype.h",  "errno.h", "float.h",  "limits.h",
                                        "math.h",   "stdint.h", "stdio.h", "stdlib.h", "stdbool.h",
                                        "stddef.h", "string.h", "time.h",  NULL};
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, "include", strlen("include")) != 0)
        return HEADER_OTHER;
    at += strlen("include");
    at += strspn(at, " \t");
    const char *close = *at == '<' ? memchr(at, '>', (size_t)(end - at)) : NULL;
    if (!close)
        return HEADER_OTHER;
    size_t length = (size_t)(close - at - 1);
    for (size_t i = 0; names[i]; ++i)
        if (strlen(names[i]) == length && strncmp(at + 1, names[i], length) == 0)
            return HEADER_C;
    bool dotted = memchr(at + 1, '.', length) || memchr(at + 1, '/', length);
    return dotted ? HEADER_OTHER : HEADER_CPP; /* <cstdio>, <vector> */
}

bool ht_c_style_has(const char *text) {
    static const char *const words[] = {
        "auto",      "class",    "const_cast", "constexpr", "delete",           "mutable",
        "namespace", "new",      "nullptr",    "operator",  "reinterpret_cast", "static_cast",
        "std",       "template", "this",       "throw",     "typename",         "using",
        "virtual",   NULL};
    ht_tokens tokens;
    ht_tokens_read(text, (ht_range){0, strlen(text)}, true, &tokens);
    bool c = false, other = false;
    for (size_t i = 0; i < tokens.count && !other; ++i) {
        const ht_token *token = &tokens.items[i];
        header of = token->kind == HT_TOKEN_DIRECTIVE
                        ? header_of(text + token->begin, text + token->end)
                        : HEADER_OTHER;
        c = c || of == HEADER_C;
        other = of == HEADER_CPP || ht_tokens_is_any(&tokens, i, words);
    }
    ht_tokens_free(&tokens);
    return c && !other;
}
