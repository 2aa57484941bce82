/* What edits add to a file looks as its author's own lines do: their ends of line, no blanks at
 * line ends that were not there. */
#ifndef HT_REFACTOR_SOURCE_AUTHOR_STYLE_H
#define HT_REFACTOR_SOURCE_AUTHOR_STYLE_H

#include "base/text.h"
#include "refactor/source/lexer.h"

/* Appends the original's text from `begin` to `end`. */
void ht_style_keep(const char *original, size_t begin, size_t end, ht_text *out);
/* Appends what stands in place of `range`. A line of it ends as the author's does that it repeats,
 * else as the line in which the range begins. */
void ht_style_replace(const char *original, size_t length, ht_range range, const char *text,
                      ht_text *out);

#endif
