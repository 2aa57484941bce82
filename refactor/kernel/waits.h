/* Blocks that wait for other blocks, or find their turn by counting: a spin on a flag, decoupled
 * look-back, the last block of all, a ticket, a barrier of the grid. Their result, and whether they
 * end, depends on the number of blocks and on which are dispatched first. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_WAITS_H
#define HT_REFACTOR_KERNEL_WAITS_H

#include "refactor/kernel/syntax.h"

/* Adds pins of blocks that wait for each other or count themselves. */
void ht_waits_build(ht_model *model);

/* Returns true if the loop counts from a first value, in steps, up to a bound that is not in
 * memory. */
bool ht_loop_counts(const ht_syntax *loop);

#endif
