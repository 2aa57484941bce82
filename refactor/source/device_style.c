#include "refactor/source/device_style.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/tree.h"

#include <stdlib.h>
#include <string.h>

static const char *const specifiers[] = {"static",     "inline",          "__inline__", "__inline",
                                         "__device__", "__forceinline__", "__host__",   NULL};

/* Returns true if the declaration that goes on at a token is a function with a body. */
static bool is_function(const ht_tokens *tokens, size_t at) {
    static const char *const others[] = {"=", ";", "{", "[", "}", NULL};
    while (at < tokens->count && !ht_tokens_is(tokens, at, "(") &&
           !ht_tokens_is_any(tokens, at, others))
        ++at;
    return ht_tokens_is(tokens, at, "(") &&
           ht_tokens_is(tokens, ht_tokens_close(tokens, at) + 1, "{");
}

/* Returns the specifiers from a token on, each with a blank after it, but for __host__; NULL: they
 * are not those of a function of the device; free(). */
static char *words_at(const ht_tokens *tokens, size_t at) {
    ht_text words = {0};
    bool device = false;
    for (; ht_tokens_is_any(tokens, at, specifiers); ++at) {
        char *word = ht_tokens_text(tokens, at);
        device |= strcmp(word, "__device__") == 0;
        if (strcmp(word, "__host__") != 0)
            ht_text_printf(&words, "%s ", word);
        free(word);
    }
    if (device && is_function(tokens, at))
        return ht_text_take(&words);
    ht_text_free(&words);
    return NULL;
}

char *ht_device_words(const ht_source *source) {
    const ht_tokens *tokens = ht_source_tokens(source, 0);
    char *words = NULL;
    for (size_t i = 0; i < tokens->count && !words; ++i)
        if (ht_tokens_is_any(tokens, i, specifiers) &&
            (i == 0 || !ht_tokens_is_any(tokens, i - 1, specifiers)))
            words = words_at(tokens, i);
    if (!words)
        return ht_strdup("__device__ inline ");
    bool once = ht_tree_is_unit(source->path); /* no other file includes it */
    if (!once && !strstr(words, "inline") && !strstr(words, "static")) {
        char *longer = ht_format("%sinline ", words);
        free(words);
        words = longer;
    }
    return words;
}
