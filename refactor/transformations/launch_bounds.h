/* __launch_bounds__ of a kernel. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_BOUNDS_H
#define HT_REFACTOR_LAUNCH_BOUNDS_H

#include "refactor/plan.h"

/* Called when the block became a parameter: an existing bound follows the block, or limits it.
 * False, with a remark, when the bound is not understood. */
bool ht_launch_bounds_follow(ht_plan *plan);

#endif
