/* The names in #include lines, read from text alone. */
#ifndef HT_REFACTOR_SOURCE_INCLUDE_NAME_H
#define HT_REFACTOR_SOURCE_INCLUDE_NAME_H

#include <stdbool.h>

/* Returns the name that the line includes; *out_quoted: in "", not in <>; free(). NULL: the line is
 * no #include, or its name is a macro. */
char *ht_include_name(const char *line, bool *out_quoted);

#endif
