/* What of the host's text belongs to one kernel's launches. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_EDIT_H
#define HT_REFACTOR_LAUNCH_EDIT_H

#include "refactor/plan.h"

/* Does this text serve only the block and grid of this kernel's launches? */
bool ht_launch_owns(const ht_plan *plan, ht_range place);
/* The constant `name` takes its new value at its definition: launches that name it follow by
 * themselves. */
void ht_plan_follow(ht_plan *plan, const char *name);

#endif
