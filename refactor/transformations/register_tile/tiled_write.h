/* Writes the tiled form as text: the front, then the work once, as a lambda whose parameter says
 * whether outputs may be outside. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_WRITE_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_WRITE_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

struct ht_vectors;

/* Ways to run the work for all outputs of the thread: walking along an axis or not. */
typedef enum ht_tile_walk {
    HT_WALK_NOT,
    HT_WALK_MAY, /* a parameter decides */
    HT_WALK_DOES
} ht_tile_walk;
/* Returns this thread's (`block`: the block's) last output along one of form->axes, "x_first + 3 *
 * x_apart"; free(). */
char *ht_tiled_last(const ht_tiled_form *form, size_t axis, bool block);

/* Notes the places in `node` that have other text. `vectors`: accesses that have their own text;
 * NULL: none. */
void ht_tiled_collect_swaps(ht_tiled *t, const ht_syntax *node, ht_writer *writer,
                            const struct ht_vectors *vectors);

/* Returns the whole form as the template has it, with its braces; NULL: it cannot be
 * written. free(). */
char *ht_tiled_text(ht_tiled *t);
/* Returns the index of the statement of the work before which the text for HT_TILED_TOP is
 * inserted: it, or the segment that begins with it, may be the first to read a staged array. */
size_t ht_tiled_top(const ht_tiled *t);
void ht_tiled_write_calls(ht_tiled *t, ht_tile_walk walk, ht_writer *writer, size_t like);

/* Puts the form's text into the plan, in place of an earlier one. */
bool ht_tiled_put(ht_tiled *t, const char *form);

#endif
