/* __launch_bounds__ of a kernel. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_BOUNDS_H
#define HT_REFACTOR_LAUNCH_BOUNDS_H

#include "refactor/plan/plan.h"

/* Called when the block became a parameter: an existing bound follows the block, or limits it.
 * False, with a remark, when the bound is not understood. */
bool ht_launch_bounds_follow(ht_plan *plan);

/* Where the kernel's name stands in its definition: attributes go in front of it. False when it is
 * not plain text there. */
bool ht_kernel_name_place(const ht_model *model, size_t *out_offset);

#endif
