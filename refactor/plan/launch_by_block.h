/* Texts of a grid that is computed from the block that is chosen, and of that choice where the
 * block is declared (launch_in_place.h). Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_BY_BLOCK_H
#define HT_REFACTOR_PLAN_LAUNCH_BY_BLOCK_H

#include "refactor/plan/launch_text.h"

/* Returns the text of a print whose part is HT_LAUNCH_BLOCK_DECLARED or a later one; free(). NULL:
 * it cannot be written. */
char *ht_launch_in_place_text(const ht_plan *plan, const ht_launch_print *print,
                              const ht_values *values, ht_launch_fallback fallback);

/* Returns the blocks along an axis, where `print->block` names a dim3 of the block's threads:
 * (n + 4 * block.x - 1) / (4 * block.x); free(). NULL: they cannot be written so. */
char *ht_launch_axis_by(const ht_plan *plan, const ht_launch_print *print, const ht_values *values,
                        int axis);

#endif
