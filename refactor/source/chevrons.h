/* Launches as CUDA's compiler takes them, and clang does not: k << <grid, block >> > (a), with
 * brackets that some editors put apart, and k<<<grid, {32, 8}>>>(a), with lists in braces. They are
 * written in clang's form before the source is analysed. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_CHEVRONS_H
#define HT_REFACTOR_SOURCE_CHEVRONS_H

#include "refactor/source/lexer.h"

/* Writes such brackets next to each other; the text keeps its length and its lines. */
void ht_chevrons_join(char *text);
/* Returns the text with such lists as values of dim3, on the same lines; free(). */
char *ht_chevrons_lists(const char *text);

/* Finds the launch whose brackets open at a token: *out_first is the token after them, *out_last
 * the one that closes its arguments. Returns false: none do. */
bool ht_chevrons_launch(const ht_tokens *tokens, size_t index, size_t *out_first, size_t *out_last);

#endif
