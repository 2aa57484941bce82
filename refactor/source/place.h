/* Places in the text that the user wrote. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_PLACE_H
#define HT_REFACTOR_SOURCE_PLACE_H

#include "refactor/source/source.h"

/* Finds the place of an expression in the file being analysed, macro arguments included. Returns
 * false if a macro's body wrote it. */
bool ht_source_place(const ht_source *source, CXCursor expression, ht_range *out_place);
/* Finds the place in another of the user's files. */
bool ht_source_place_in(const ht_source *source, size_t file, CXCursor expression,
                        ht_range *out_place);
/* Finds the place in any of the user's files, as a range of the source's whole text. */
bool ht_source_anywhere(const ht_source *source, CXCursor expression, ht_range *out_place);
/* Returns the index of the user's file that contains an expression; SIZE_MAX: none does. */
size_t ht_source_file_of(const ht_source *source, CXCursor cursor);
/* Returns "'a[i] % n'": an expression as its author wrote it, on one line and at most 40 characters
 * long, or a declaration's name. NULL: a macro wrote it, or it is not in a user's file. free(). */
char *ht_source_quote(const ht_source *source, CXCursor cursor);
/* Compares two places by the order in which the translation reaches them. */
int ht_place_compare(const ht_source *source, size_t file_a, size_t a, size_t file_b, size_t b);

#endif
