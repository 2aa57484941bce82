/* The comment above a kernel: whose it is, and the one that says with what the kernel was tuned. */
#ifndef HT_REFACTOR_SOURCE_COMMENT_H
#define HT_REFACTOR_SOURCE_COMMENT_H

#include "refactor/source/range.h"

#include <stdbool.h>

/* How such a comment begins; the rest is "0.1.0: NAME=VALUE ...; ...". */
#define HT_COMMENT_FRONT "Tuned by hiptemper"

/* Returns where the comment begins whose last line is the one before `line`, which is the begin of
 * a line; `line` itself if there is no comment. */
size_t ht_comment_begin(const char *text, size_t line);
/* Returns the begin of the line on which a definition begins, or of the comment above it. */
size_t ht_comment_above(const char *text, size_t definition);
/* Finds the comment that says with what the kernel was tuned whose first line begins at `line`:
 * the lines that end there. Returns false: there is none. */
bool ht_comment_find(const char *text, size_t line, ht_range *out_lines);
/* Returns the pairs in it, "BLOCK_X=64 COARSEN_X=4"; NULL: there is no such comment; free(). */
char *ht_comment_pairs(const char *text, size_t line);
/* Returns such a comment's lines in the style of the file, no longer than its lines are, without
 * their indentation; free(). */
char *ht_comment_write(const char *file, const char *words, size_t indent);

#endif
