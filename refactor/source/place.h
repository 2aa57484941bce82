/* Where the user wrote something. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_PLACE_H
#define HT_REFACTOR_SOURCE_PLACE_H

#include "refactor/source/source.h"

/* Where the user wrote an expression in the file looked at, macro arguments included. False when a
 * macro's body wrote it. */
bool ht_source_place(const ht_source *source, CXCursor expression, ht_range *out_place);
/* The same in another of the user's files. */
bool ht_source_place_in(const ht_source *source, size_t file, CXCursor expression,
                        ht_range *out_place);
/* The same in whichever of the user's files it is: the place is in the source's whole text. */
bool ht_source_anywhere(const ht_source *source, CXCursor expression, ht_range *out_place);
/* Index of the user's file that an expression is written in; SIZE_MAX when it is in no such file.
 */
size_t ht_source_file_of(const ht_source *source, CXCursor cursor);
/* Compares places by the order in which the translation reaches them. */
int ht_place_compare(const ht_source *source, size_t file_a, size_t a, size_t file_b, size_t b);

#endif
