/* Finds what differs between the outputs of a block, and whether it is computed anew in each
 * segment that needs it or kept in an array with an element for each of a thread's outputs. Private
 * to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_SHARE_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_SHARE_H

#include "refactor/transformations/register_tile/tiled_parts.h"

void ht_tiled_share(ht_tiled *t, const ht_region *region);
/* Sets `again` and the variables' `array`. Refuses bodies that cannot be written. */
void ht_tiled_settle(ht_tiled *t);
/* Returns true if the variable is the index of an output. */
bool ht_tiled_is_index(const ht_tiled *t, size_t variable);
/* Returns true if every part of the expression that differs between outputs is an index, or
 * computed anew from indices. */
bool ht_tiled_is_known(const ht_tiled *t, const ht_syntax *expression);
/* Marks in `needed` (by variable) what must be computed anew for the statements list[begin..end):
 * indices and variables with `again`. Returns false if one of their names means another variable
 * there. */
bool ht_tiled_needs(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end, bool *needed);
/* Returns true if the statement only declares variables that are computed anew where they are
 * needed. */
bool ht_tiled_is_skipped(const ht_tiled *t, const ht_syntax *item);
/* Marks the needs of the tests that a statement makes (coarsen_carry.c). */
void ht_tiled_needs_tests(ht_tiled *t, const ht_syntax *statement, bool *needed);
/* Returns true if the list has nothing but values and tests that are computed where they are
 * needed. */
bool ht_tiled_is_idle(const ht_tiled *t, ht_syntax_list list, size_t begin, size_t end);
/* Returns true if the variable is an array that starts with zeros only. */
bool ht_tiled_is_zero(const ht_tiled *t, const ht_syntax *variable);

#endif
