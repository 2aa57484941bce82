/* Grids in the author's names for the block. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_NAMED_H
#define HT_REFACTOR_PLAN_LAUNCH_NAMED_H

#include "refactor/plan/launch_text.h"

/* Returns (n + 4 * block.x - 1) / (4 * block.x) for an axis where the author has numbers, and the
 * block is a variable that is declared ahead (print->by_block): an unsigned sum, which holds any n
 * of an int. free(). NULL: numbers stay, since no thread of the launch has several outputs, or n is
 * unsigned. */
char *ht_launch_by_block(const ht_plan *plan, const ht_launch_print *print,
                         const ht_values *values);
/* Returns the grid of blocks that serve as many items as before with fewer threads, where the
 * author has a constant for both: with marks that become 4 * BLOCK where its definition changes to
 * the new number of threads, and else stay BLOCK. free(). NULL: the author's text is right. */
char *ht_launch_tile_marks(const ht_plan *plan, const ht_launch_print *print,
                           const ht_values *values, int64_t block);

#endif
