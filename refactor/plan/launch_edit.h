/* The host's code that belongs to one kernel's launches. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_EDIT_H
#define HT_REFACTOR_PLAN_LAUNCH_EDIT_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"

/* Returns true if this text serves no purpose but the block and grid of this kernel's launches. */
bool ht_launch_owns(const ht_plan *plan, ht_range place);
/* Returns true if every use of a variable is a part of such text. */
bool ht_launch_owns_variable(const ht_plan *plan, CXCursor variable);
/* Notes that the constant's definition is edited: launches that name the constant have its new
 * value. */
void ht_plan_follow(ht_plan *plan, const char *name);

/* Adds the edits of all launches. Returns which one cannot be rewritten; NULL: all can. free().
 * *out_follow: it could be if no named constant had its definition edited (ht_plan_request.stay).
 */
char *ht_launches_edit(ht_plan *plan, const ht_grid *grid, bool *out_follow);

#endif
