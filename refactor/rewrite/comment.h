/* The comment above a kernel. */
#ifndef HT_REFACTOR_REWRITE_COMMENT_H
#define HT_REFACTOR_REWRITE_COMMENT_H

#include <stddef.h>

/* Returns where the comment begins whose last line is the one before `line`, which is the begin of
 * a line; `line` itself if there is no comment. */
size_t ht_comment_begin(const char *text, size_t line);

#endif
