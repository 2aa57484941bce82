/* The files of which a parsed header was made, listed next to it. Clang checks sizes and times of
 * the same files, but takes as long for that as for reading a small source. Private to refactor/.
 */
#ifndef HT_REFACTOR_SOURCE_PARSED_INPUTS_H
#define HT_REFACTOR_SOURCE_PARSED_INPUTS_H

#include "refactor/source/libclang.h"

#include <stdbool.h>

/* Returns the file's path, size and time of change as text; free(). */
char *ht_parsed_state(const char *path);
/* Writes the list for the header at `path`, which was made of the unit. Where it cannot be written,
 * clang is asked. */
void ht_parsed_inputs_write(const char *path, CXTranslationUnit unit);
/* Returns true if the header is what was written, and the files are those that it was made of. */
bool ht_parsed_inputs_hold(const char *path);

#endif
