/* Kernels that any text declares: names that stand in it, and tokens that lie one after the other.
 * / */
#include "fuzz.h"

#include "refactor/source/lexer.h"
#include "refactor/source/tree_graph.h"
#include "refactor/source/tree_joined.h"

#include <ctype.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_strndup((const char *)data, size);
    ht_tokens tokens;
    ht_tokens_read(text, (ht_range){0, strlen(text)}, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        FUZZ_CHECK(tokens.items[i].begin < tokens.items[i].end);
        FUZZ_CHECK(tokens.items[i].end <= strlen(text));
        FUZZ_CHECK(i == 0 || tokens.items[i - 1].end <= tokens.items[i].begin);
    }
    ht_tokens_free(&tokens);
    node file = {0};
    ht_tree_kernels_note(&file, text);
    for (size_t i = 0; i < file.kernel_count; ++i) {
        const char *name = file.kernels[i].name;
        FUZZ_CHECK(name[0] && !isdigit((unsigned char)name[0]) && strstr(text, name));
        free(file.kernels[i].name);
    }
    free(file.kernels);
    free(text);
    return 0;
}
