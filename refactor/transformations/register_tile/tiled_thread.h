/* Writes the front of the tiled form for an applied source whose threads do not meet: the author's
 * declarations and guards, of a thread's first output where it has several. Private to refactor/.
 */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_THREAD_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_THREAD_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

void ht_tiled_thread_front(ht_tiled *t, ht_writer *writer, size_t like);
/* Closes the guards around the work. */
void ht_tiled_thread_end(ht_tiled *t, ht_writer *writer);

/* Returns true if a name of the work means another variable where no guard is around it. */
bool ht_tiled_hides(const ht_tiled *t);

#endif
