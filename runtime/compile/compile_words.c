#include "runtime/compile/compile_words.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/compile/demangle.h"
#include "templates/bind.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The types of the host's headers, and what HIP calls them. */
static const struct {
    const char *own, *theirs;
} types[] = {
    {"ht_vector", "HIP_vector_type"},
    {"ht_thread_index", "__hip_builtin_threadIdx_t"},
    {"ht_block_index", "__hip_builtin_blockIdx_t"},
    {"ht_block_size", "__hip_builtin_blockDim_t"},
    {"ht_grid_size", "__hip_builtin_gridDim_t"},
};

static size_t word_length(const char *at, const char *end) {
    size_t length = 0;
    while (at + length < end && (isalnum((unsigned char)at[length]) || at[length] == '_'))
        ++length;
    return length;
}

static bool is_own_type(const char *word, size_t length, const char **out_theirs) {
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (strlen(types[i].own) == length && memcmp(types[i].own, word, length) == 0) {
            *out_theirs = types[i].theirs;
            return true;
        }
    return false;
}

/* Returns the length of " (aka 'ht_vector<float, 4>')", which explains a name of HIP's by one of
 * ours; 0 when no such words begin here. */
static size_t own_alias(const char *at, const char *end) {
    static const char begin[] = " (aka '";
    size_t left = (size_t)(end - at);
    if (left < sizeof begin || memcmp(at, begin, sizeof begin - 1) != 0)
        return 0;
    const char *close = memmem(at, left, "')", 2);
    bool own = close && memmem(at, (size_t)(close - at), "ht_", 3);
    return own ? (size_t)(close + 2 - at) : 0;
}

static void word_append(const char *word, size_t length, ht_text *out) {
    const char *theirs = NULL;
    if (is_own_type(word, length, &theirs)) {
        ht_text_append(out, theirs);
    } else if (length > 2 && word[0] == '_' && word[1] == 'Z') {
        char *symbol = ht_format("%.*s", (int)length, word), *name = ht_demangle(symbol);
        ht_text_append(out, name);
        free(name);
        free(symbol);
    } else {
        ht_text_append_n(out, word, length);
    }
}

char *ht_compile_words(const char *words, size_t length) {
    static const char several[] = "has incompatible initializer of type '<overloaded function "
                                  "type>'";
    if (memmem(words, length, several, sizeof several - 1))
        return ht_strdup("error: " HT_NO_SUCH_KERNEL);
    static const char neither[] = "undefined template 'ht_entry<";
    if (memmem(words, length, neither, sizeof neither - 1))
        return ht_strdup("error: this names neither a kernel nor a variable");
    const char *end = words + length;
    ht_text text = {0};
    for (const char *at = words; at < end;) {
        size_t alias = own_alias(at, end), word = word_length(at, end);
        if (alias) {
            at += alias;
        } else if (word) {
            word_append(at, word, &text);
            at += word;
        } else {
            ht_text_append_n(&text, at++, 1);
        }
    }
    return ht_text_take(&text);
}
