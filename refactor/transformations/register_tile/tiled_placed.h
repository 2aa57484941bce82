/* Values that are computed anew in each segment of the tiled form, and stay where the author
 * declares them in an applied source in which they are the same for all outputs of a thread.
 * Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_PLACED_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_PLACED_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

/* Returns when the variable's declaration stays, a template expression: a thread has one output
 * along each axis whose index it is made of; free(). NULL: never in the text being written. */
char *ht_tiled_placed(const ht_tiled *t, const ht_syntax *variable);
/* The same of a test that statements after it make themselves (coarsen_carry.c). */
char *ht_tiled_placed_test(const ht_tiled *t, const ht_syntax *test);
/* Writes the declarations and tests among the statements list[begin..end) that stay. */
void ht_tiled_write_placed(const ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                           ht_writer *writer);

#endif
