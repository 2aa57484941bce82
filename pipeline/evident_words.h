/* How a file without a `.clang-format` counts and declares, as its own lines show it, for lines
 * that were written anew. */
#ifndef HT_PIPELINE_EVIDENT_WORDS_H
#define HT_PIPELINE_EVIDENT_WORDS_H

#include "base/line_diff.h"

#include <stdbool.h>

typedef struct ht_evident_words {
    bool after;    /* loops count by i++ */
    bool changing; /* variables of functions are not const */
} ht_evident_words;

/* Returns true if loops of the file count by i++, and none by ++i. */
bool ht_evident_counts_after(const ht_lines *original);
/* Returns true if several variables of the function that has a line get a value in their
 * declaration, and none of them is const. */
bool ht_evident_declares_changing(const ht_lines *original, size_t at);
/* Returns a line that was written anew, without its indentation and end, in these words; free().
 */
char *ht_evident_words_apply(ht_evident_words words, const char *line, size_t length);

#endif
