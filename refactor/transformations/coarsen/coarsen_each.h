/* Writes the work for one output at a time: all of it in a loop, which is always legal. Private to
 * refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_EACH_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_EACH_H

#include "refactor/transformations/coarsen/coarsen_each_front.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

/* Writes the parts that are not in front, in a loop over the outputs. */
void ht_each_write(ht_coarsen *c, const ht_layout *layout, const ht_each_front *front,
                   ht_writer *writer, size_t like);

#endif
