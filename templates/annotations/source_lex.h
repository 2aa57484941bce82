/* Skipping what is no code in C++ source: comments and literals. Private to templates/ and
 * predictor/'s schemas. */
#ifndef HT_TEMPLATES_ANNOTATIONS_SOURCE_LEX_H
#define HT_TEMPLATES_ANNOTATIONS_SOURCE_LEX_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the comment at `text`, line end excluded for a line comment; 0 when no comment begins
 * there. */
size_t ht_source_comment(const char *text);
/* Length of the string or character literal at `text`, with an encoding or raw prefix; 0 when none
 * begins there. An unterminated one ends at the end of its line. */
size_t ht_source_literal(const char *text);
/* Length of the identifier or number (with digit separators) at `text`; 0 when none begins there.
 */
size_t ht_source_word(const char *text);
/* Length of a backslash and the newline after it at `text`; 0 when there is none. */
size_t ht_source_splice(const char *text);

#endif
