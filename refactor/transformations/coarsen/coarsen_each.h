/* Writes the work for one output at a time: all of it in a loop, which is always legal. Private to
 * refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_EACH_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_EACH_H

#include "refactor/transformations/coarsen/coarsen_layout.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

/* Returns the guard around the work, `if (x < W && y < H) {`, that a loop over the outputs can have
 * as its condition, so that no part of it has to stand in front; NULL: there is none. */
const ht_part *ht_each_whole_guard(ht_coarsen *c, const ht_layout *layout);
/* Returns the guard `if (x >= W || y >= H) return;` after which declarations stand that can stay
 * ahead of the loop, if it asks for the first output; NULL: there is none. */
const ht_part *ht_each_first_guard(ht_coarsen *c, const ht_layout *layout);
/* Writes the parts that are not in front, in a loop over the outputs. `whole`: one of these guards,
 * of which no part is in front; NULL: what is known of guards is. */
void ht_each_write(ht_coarsen *c, const ht_layout *layout, const ht_part *whole, ht_writer *writer,
                   size_t like);

#endif
