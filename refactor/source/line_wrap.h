/* Long lines of code, broken where a person would: at the outermost comma or operator. */
#ifndef HT_REFACTOR_SOURCE_LINE_WRAP_H
#define HT_REFACTOR_SOURCE_LINE_WRAP_H

#include "base/text.h"

#include <stdbool.h>

/* Returns the column of the innermost bracket (`round`: parenthesis) that is open at the end of a
 * part of a line; SIZE_MAX: none is, or it is the last character. */
size_t ht_line_open(const char *part, size_t length, bool round);

/* Appends a line without its end, broken into lines of at most `width` characters where that can be
 * done, each but the first indented by four blanks more than it (`aligned`: up to the parenthesis
 * that it is in, where that is in the line's left half), and with `joint` in front of the new
 * line's end ("\n", "\r\n", " \\\n"). Lines with comments of C, and directives, are not
 * broken with another joint than a backslash. */
void ht_line_wrap(const char *line, size_t length, size_t width, bool aligned, const char *joint,
                  ht_text *out);

#endif
