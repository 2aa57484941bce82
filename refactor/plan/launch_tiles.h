/* Blocks of the original, one for each value of an index, joined along an axis of the grid: the
 * number of values, as the launch has it, becomes that of the tiles of several. Private to
 * refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_TILES_H
#define HT_REFACTOR_PLAN_LAUNCH_TILES_H

#include "refactor/kernel/facts.h"

#include <stdbool.h>

struct ht_plan;

/* Plans `param` values in one block: where the one launch's grid has as its extent the argument for
 * the kernel's parameter `count`, or a product with it as a factor, ceil(count / param) blocks take
 * the place of that. Returns false, without a change, if the launch is another, or other kernels
 * have its grid. */
bool ht_launch_tiles_plan(struct ht_plan *plan, int axis, const char *count, const char *param);
/* Returns ceil(count / param) as an edit's text, in parentheses; `count` is the text of a range;
 * free(). */
char *ht_launch_tiles_text(int axis, ht_range count, const char *param);
/* Edits the launch; does nothing where no tiles are planned. */
bool ht_launch_edit_tiles(struct ht_plan *plan);

#endif
