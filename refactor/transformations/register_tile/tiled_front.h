/* Divides the kernel's body into guards, the part in front of them, and the work; writes the front
 * of the tiled form: where the block's outputs begin, and which of them the guards let through.
 * Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_FRONT_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_FRONT_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

/* Divides the body, and finds what differs between outputs. Refuses (c.refused) with a remark. */
void ht_tiled_cut(ht_tiled *t);
void ht_tiled_uncut(ht_tiled *t); /* forgets all of that */
/* Writes the front: tile origins, bounds, statements, the test for empty blocks. */
void ht_tiled_write_front(ht_tiled *t, ht_writer *writer, size_t like);

/* Writes `if (high >= limit) high = limit - 1;` for a bound of an index. */
void ht_tiled_write_limit(const ht_tiled *t, const ht_tile_bound *bound, ht_writer *writer,
                          size_t like);
/* Returns the bound as text that stands between operators; free(). */
char *ht_tiled_bound_text(const ht_tile_bound *bound);

/* Returns the plan's name for NAMESUFFIX. */
const char *ht_tiled_name_like(ht_plan *plan, const char *suffix, const char *name);
/* Names an axis's variables; its factor is set. */
void ht_tiled_name_axis(ht_tiled *t, size_t axis);
/* Writes the head of the loop over a thread's outputs along an axis, on lines of its own. */
void ht_tiled_axis_loop(const ht_tiled_axis *axis, ht_writer *writer, size_t like);

#endif
