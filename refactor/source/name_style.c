#include "refactor/source/name_style.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns true for a name that is not the author's. */
static bool is_given(const char *name, size_t length) {
    static const char *const fronts[] = {"hip",      "cuda",         "threadIdx", "blockIdx",
                                         "blockDim", "gridDim",      "warpSize",  "static_",
                                         "const_",   "reinterpret_", NULL};
    return ht_text_starts(name, fronts) || (length > 2 && memcmp(name + length - 2, "_t", 2) == 0);
}

bool ht_name_style_is_camel(const ht_source *source) {
    const ht_tokens *tokens = ht_source_tokens(source, 0);
    size_t camel = 0;
    for (size_t i = 0; i < tokens->count; ++i) {
        if (tokens->items[i].kind != HT_TOKEN_NAME || ht_tokens_is(tokens, i + 1, "("))
            continue;
        char *name = ht_tokens_text(tokens, i);
        size_t length = strlen(name);
        bool lower = islower((unsigned char)*name) && !is_given(name, length);
        bool constant = *name == 'k' && isupper((unsigned char)name[1]);
        bool snake = lower && strchr(name, '_');
        camel += lower && !constant && strpbrk(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        free(name);
        if (snake)
            return false;
    }
    return camel > 0;
}

char *ht_name_camel(const char *name) {
    char *out = ht_strdup(name), *to = out;
    if (!islower((unsigned char)*name))
        return out;
    for (const char *at = name; *at; ++at) {
        bool joint = *at == '_' && isalnum((unsigned char)at[1]);
        at += joint;
        *to++ = joint ? (char)toupper((unsigned char)*at) : *at;
    }
    *to = 0;
    return out;
}
