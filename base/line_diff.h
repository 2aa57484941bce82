/* Which lines of a text are those of an older one. */
#ifndef HT_BASE_LINE_DIFF_H
#define HT_BASE_LINE_DIFF_H

#include <stddef.h>

/* A text cut into lines; each has its end, "\n" or "\r\n", but the last may have none. */
typedef struct ht_lines {
    const char *text; /* borrowed */
    size_t *begins;   /* count + 1 offsets; owned */
    size_t count;
} ht_lines;

ht_lines ht_lines_of(const char *text);
void ht_lines_free(ht_lines *lines);

/* Returns, for each line of the newer text, the index of the line of the older one that it is, or
 * SIZE_MAX if it is new: a shortest edit. Indexes rise. Where texts differ in more than some
 * thousand lines, all between their equal begins and ends are new. free(). */
size_t *ht_lines_match(const ht_lines *older, const ht_lines *newer);

#endif
