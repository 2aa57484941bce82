/* Launch geometry after a plan, as template expressions. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_COVERAGE_H
#define HT_REFACTOR_PLAN_COVERAGE_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"

/* Returns the block times the outputs of a thread along an axis, as a template expression;
 * free(). */
char *ht_plan_per_block(const ht_plan *plan, int axis);
bool ht_plan_axis_changed(const ht_plan *plan, int axis);
/* Adds a name to a list, "A,B", unless it is in it. `list`: an ht_text; for ht_expr_text_names. */
void ht_plan_name_add(void *list, const char *name);
/* Returns the names of the parameters along an axis, separated by commas; free(). */
char *ht_plan_axis_params(const ht_plan *plan, int axis);
/* Returns "BLOCK_X == 16 && COARSEN_X == 1" of "BLOCK_X,COARSEN_X", parameters at their defaults;
 * "" if the plan has none of them; free(). */
char *ht_plan_at_defaults(const ht_plan *plan, const char *names);
/* Returns the grid's axis after the plan; free(). */
char *ht_grid_after(const ht_plan *plan, const ht_grid *grid, int axis);
/* Returns the dynamic shared memory after the plan; free(). NULL: none. */
char *ht_grid_bytes(const ht_plan *plan, const ht_grid *grid);
/* Returns true if the bound is no more than the items, whatever the sizes are. Both texts have
 * every operation in parentheses. */
bool ht_grid_is_part(const char *bound, const char *items);
/* Returns true if the grid is computed from all items that the guard lets through, or more: from
 * the bound, or from what the one launch gives for it. */
bool ht_grid_has_enough(const ht_plan *plan, const ht_form *form, const char *bound);
/* Settles the form of each changed axis so that the new grid is right for every size for which the
 * original's is, not only for the sizes at hand, and adds the requires that this needs. */
void ht_grid_require(ht_plan *plan, ht_grid *grid);

#endif
