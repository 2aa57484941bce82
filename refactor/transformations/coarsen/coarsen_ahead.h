/* Declarations that are the same for all outputs of a thread, which stay ahead of the loop over
 * them. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_AHEAD_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_AHEAD_H

#include "refactor/transformations/coarsen/coarsen_layout.h"

/* Marks the declarations that stand ahead of a loop whose condition has this guard's test of the
 * index. Memory that they read is written by nothing in the kernel. Returns true if one of them may
 * fault in a thread that has no output, so that the guard has to stand ahead of them, too. */
bool ht_ahead_find(ht_coarsen *c, ht_layout *layout, const ht_part *guard);

#endif
