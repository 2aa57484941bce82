/* __launch_bounds__ of a kernel. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_BOUNDS_H
#define HT_REFACTOR_LAUNCH_BOUNDS_H

#include "refactor/plan/plan.h"

/* Adapts an existing bound to a block that became a parameter: the bound follows the block, or
 * limits it. Returns false, with a remark, if the bound is not understood. */
bool ht_launch_bounds_follow(ht_plan *plan);

/* Finds the kernel's name in its definition, in front of which attributes go. Returns false if it
 * is not plain text. */
bool ht_kernel_name_place(const ht_model *model, size_t *out_offset);

/* Returns the number of threads of a block as a template expression; free(). */
char *ht_plan_threads(const ht_plan *plan);

#endif
