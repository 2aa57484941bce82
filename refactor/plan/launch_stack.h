/* Launches of blocks that each contain several of the original's, or of several for one. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_STACK_H
#define HT_REFACTOR_PLAN_LAUNCH_STACK_H

#include "refactor/launch/launch.h"
#include "refactor/plan/transform.h"

/* Edits a launch for blocks that each contain several of the original's. The launch decides, since
 * that depends on its grid. */
bool ht_launch_edit_stacked(ht_plan *plan, const ht_launch_site *site);
/* Gives the grid several blocks along y where the plan has them. */
bool ht_launch_edit_row_blocks(ht_plan *plan, const ht_launch_site *site);
/* Puts several rows into a block where the plan does. The launch decides, since that depends on its
 * grid. */
bool ht_launch_edit_block_rows(ht_plan *plan, const ht_launch_site *site);
/* Multiplies the bytes of dynamic shared memory where the new block needs more than the
 * original's. */
bool ht_launch_edit_lds(ht_plan *plan, const ht_launch_site *site);

#endif
