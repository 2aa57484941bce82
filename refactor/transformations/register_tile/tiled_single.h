/* Writes parts of the tiled form for an applied source in which all outputs have one body: loops
 * only along the axes along which a thread has several outputs, and indices of outputs outside in
 * terms of the author's bounds. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_SINGLE_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_SINGLE_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

/* Append an array's dimension along an axis, and the place of the current output in it: nothing
 * where a thread has one output along it. */
void ht_tiled_dimension(const ht_tiled *t, size_t axis, ht_text *out);
void ht_tiled_element(const ht_tiled *t, size_t axis, ht_text *out);
/* Returns the index of the current output, not clamped; free(). */
char *ht_tiled_single_place(const ht_tiled *t, size_t axis);
/* Returns the only bound of an axis where that is an upper one whose names mean the same wherever
 * an output is computed; NULL: there is no such one. */
const ht_tile_bound *ht_tiled_only_bound(const ht_tiled *t, size_t axis);
/* The same for the text that is being written; NULL: the form's variables hold the bounds. */
const ht_tile_bound *ht_tiled_limit(const ht_tiled *t, size_t axis);
/* Returns the number of outputs of a thread along the axes that the tests of a statement
 * distinguish, as a template expression; NULL: none does. free(). */
char *ht_tiled_tested(ht_tiled *t, const ht_syntax *statement);

/* Writes the nearest index inside, of an output that may be outside. */
void ht_tiled_write_clamped(const ht_tiled *t, size_t axis, const char *place, ht_writer *writer);

/* Write the loops over a thread's outputs along the needed axes (NULL: all) with an open brace, and
 * their end; the index of the output (`clamped`: or of the nearest one inside); `continue` for
 * outputs outside; a test around the statement that follows, which is a level deeper (the caller
 * takes back that level of the writer). */
void ht_tiled_single_loops(ht_tiled *t, const bool *needed, ht_writer *writer, size_t like);
void ht_tiled_single_loops_end(ht_tiled *t, const bool *needed, ht_writer *writer, size_t like);
void ht_tiled_single_index(ht_tiled *t, size_t axis, bool clamped, ht_writer *writer, size_t like);
void ht_tiled_single_enter(ht_tiled *t, const bool *needed, ht_writer *writer, size_t like);
void ht_tiled_single_leave(ht_tiled *t, const bool *needed, ht_writer *writer, size_t like);
void ht_tiled_single_free(ht_tiled *t);

#endif
