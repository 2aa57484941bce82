/* Limits of a device's grid. A grid of smaller blocks has more of them: 32 x 8 threads serve an
 * image of 100,000 rows, but 128 x 1 need too many rows of blocks. If a device would refuse the new
 * grid for a size that the original serves, the tuned source's launch tests for it and launches the
 * original's block and grid instead: with the same kernel if that works with any block, else with
 * the original kernel, which is kept under another name. If neither is possible, such
 * configurations are left out. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_LIMITS_H
#define HT_REFACTOR_PLAN_LAUNCH_LIMITS_H

#include "refactor/plan/launch_text.h"

ht_launch_fallback ht_launch_fallback_of(const ht_plan *plan, const ht_grid *grid,
                                         const ht_values *values);
/* Returns true if the launch must test the number of blocks along an axis. */
bool ht_launch_asks(const ht_plan *plan, const ht_grid *grid, const ht_values *values, int axis);
/* Returns "h <= 65535", which says that the new grid is within the limits; free(). NULL: it always
 * is. */
char *ht_launch_test(const ht_plan *plan, const ht_launch_print *print, const ht_values *values);
/* Returns the same for blocks that serve `per_block` items. */
bool ht_launch_asks_of(const ht_plan *plan, const ht_grid *grid, int axis, int64_t per_block);
/* Returns the most items along an axis for which the program means anything: those whose square it
 * computes as an int ahead of the launch (launch/squared.h); INT64_MAX: it does not say. */
int64_t ht_launch_squared_most(const ht_grid *grid, const ht_launch_site *site, int axis);
/* Returns the most blocks along an axis that a device launches. */
int64_t ht_launch_blocks_most(int axis);
/* Returns true if the new grid never has more blocks than a device launches. */
bool ht_launch_is_bounded(const ht_plan *plan, const ht_grid *grid, const ht_launch_site *site,
                          int axis, int64_t per_block);
/* Returns the block's parameters, "BLOCK_X,BLOCK_Y"; free(). */
char *ht_launch_block_names(const ht_plan *plan);

#endif
