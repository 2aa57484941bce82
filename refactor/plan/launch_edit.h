/* What of the host's text belongs to one kernel's launches. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_EDIT_H
#define HT_REFACTOR_PLAN_LAUNCH_EDIT_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"

/* Returns true if this text serves only the block and grid of this kernel's launches. */
bool ht_launch_owns(const ht_plan *plan, ht_range place);
/* The constant `name` takes its new value at its definition: launches that name it follow by
 * themselves. */
void ht_plan_follow(ht_plan *plan, const char *name);

/* Adds the edits of all launches. False with *out_problem (free()) when one cannot be rewritten.
 * *out_follow: it could be if no named constant had its definition edited (plan->stay). */
bool ht_launches_edit(ht_plan *plan, const ht_grid *grid, bool *out_follow, char **out_problem);

/* launch_stack.c: */
/* Blocks that lie in one: at the launch, since whether they do depends on its grid. */
bool ht_launch_edit_stacked(ht_plan *plan, const ht_launch_site *site);
/* Several times the bytes, where blocks take more than they did. */
bool ht_launch_edit_lds(ht_plan *plan, const ht_launch_site *site);

#endif
