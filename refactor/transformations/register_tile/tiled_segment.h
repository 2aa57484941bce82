/* Writes segments of the tiled form: statements that differ between outputs, in loops over the
 * outputs of a thread. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_SEGMENT_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_SEGMENT_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

/* Returns an array's dimensions, with an element for each output that the needed axes distinguish,
 * "[${COARSEN_X}]", and the current output's place, "[tx]". free(). */
void ht_tiled_write_places(const ht_tiled *t, const bool *needed, char **out_dimensions,
                           char **out_place);

/* Write parts of a segment: loops over all axes (or those that are `needed`) but the last `inner`,
 * returning their number; an output's index; values that are computed anew; the statements. */
int ht_tiled_write_loops(ht_tiled *t, const bool *needed, size_t inner, ht_writer *writer,
                         size_t like);
void ht_tiled_write_index(ht_tiled *t, size_t axis, bool clamped, ht_writer *writer, size_t like);
void ht_tiled_write_again(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                          const bool *needed, ht_writer *writer, size_t like);
/* Writes the loops over the needed axes, with the indices and the values computed from them inside.
 * Returns the number of loops, for their end. */
int ht_tiled_begin_loops(ht_tiled *t, const bool *needed, ht_writer *writer, size_t like);
void ht_tiled_end_loops(ht_tiled *t, const bool *needed, int loops, ht_writer *writer, size_t like);
void ht_tiled_write_tests(const ht_tiled *t, const ht_syntax *statement, ht_writer *writer,
                          size_t like);
void ht_tiled_write_items(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                          const bool *needed, ht_writer *writer);
/* Writes the comments above a variable's declaration, which is not copied, once in a text. */
void ht_tiled_write_comments(ht_tiled *t, const ht_syntax *variable, ht_writer *writer,
                             size_t like);

void ht_tiled_write_segment(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                            ht_writer *writer);
/* Writes a statement inserted by another transformation. */
void ht_tiled_write_each(ht_tiled *t, const ht_tile_insert *insert, ht_writer *writer, size_t like);

/* Returns true if all of the work stands in one loop over outputs, which begins by leaving it for
 * outputs outside, and nothing ahead of that reads memory. */
bool ht_tiled_begins_with_test(ht_tiled *t);

#endif
