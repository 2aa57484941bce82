/* The style of the author's lines, which edits keep: the same ends of line, and no new blanks at
 * them. */
#ifndef HT_REFACTOR_SOURCE_AUTHOR_STYLE_H
#define HT_REFACTOR_SOURCE_AUTHOR_STYLE_H

#include "base/text.h"
#include "refactor/source/lexer.h"

/* Appends the original's text from `begin` to `end`. */
void ht_style_keep(const char *original, size_t begin, size_t end, ht_text *out);
/* Appends the text that replaces `range`. A line that repeats one of the author's ends as that
 * does, and any other as the line in which the range begins. */
void ht_style_replace(const char *original, size_t length, ht_range range, const char *text,
                      ht_text *out);

#endif
