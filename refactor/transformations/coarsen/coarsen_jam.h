/* Writes the work for all outputs of a thread together. Parts that are the same for all are written
 * once; others go into small loops over the outputs; values that are used in several such loops
 * become arrays. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_JAM_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_JAM_H

#include "refactor/transformations/coarsen/coarsen_layout.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

void ht_jam_write(ht_coarsen *c, const ht_layout *layout, ht_writer *writer);

#endif
