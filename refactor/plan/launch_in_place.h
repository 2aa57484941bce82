/* Block and grid that are declared for one launch alone and choose where they are declared, where
 * the new grid may have too many blocks:
 *
 *     dim3 block = h <= 65535 ? dim3(128, 1) : dim3(16, 16);
 *     dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
 *
 * The launch itself stays as it is. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_IN_PLACE_H
#define HT_REFACTOR_PLAN_LAUNCH_IN_PLACE_H

#include "refactor/plan/launch_text.h"

/* Adds the edits of the declarations, left out if all of `params` have their defaults. `name`: of
 * the block if the launch writes it, which *out_named says. Returns false, and adds nothing, if
 * they do not serve this launch alone, or cannot be written so for every configuration. */
bool ht_launch_in_place_edit(ht_plan *plan, const ht_grid *grid, const ht_launch_site *site,
                             const char *params, const char *name, bool *out_named);
#endif
