/* Launch geometry after a plan, as template expressions. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_COVERAGE_H
#define HT_REFACTOR_PLAN_COVERAGE_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"

/* Block times covers along an axis, as a template expression; free(). */
char *ht_plan_per_block(const ht_plan *plan, int axis);
bool ht_plan_axis_changed(const ht_plan *plan, int axis);
/* Names of the parameters along an axis, comma-separated; free(). */
char *ht_plan_axis_params(const ht_plan *plan, int axis);
/* The grid's axis after the plan; free(). */
char *ht_grid_after(const ht_plan *plan, const ht_grid *grid, int axis);
/* The dynamic shared memory after the plan; free(). NULL: none. */
char *ht_grid_bytes(const ht_plan *plan, const ht_grid *grid);
/* Settles the form of each changed axis so that the new grid is right for every size the original
 * was right for, not only for the sizes at hand, and adds the requires that this takes. */
void ht_grid_require(ht_plan *plan, ht_grid *grid);

#endif
