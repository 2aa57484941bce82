/* The style of a file without a `.clang-format`, as its own lines show it, for lines that were
 * written anew. */
#ifndef HT_PIPELINE_EVIDENT_STYLE_H
#define HT_PIPELINE_EVIDENT_STYLE_H

#include "base/line_diff.h"

/* Returns the tuned text with its new lines in the style of the original, where that is the same
 * throughout: braces of loops and tests on lines of their own, `for(` without a blank, steps of
 * indentation, comments of C. `kept` is of ht_lines_match(original, tuned); other lines stay byte
 * by byte, and so do new ones that repeat one of the author's apart from its indentation. free().
 */
char *ht_evident_style_apply(const ht_lines *original, const ht_lines *tuned, const size_t *kept);

#endif
