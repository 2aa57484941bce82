/* Plans what launches do where the new grid may have too many blocks (launch_limits.h). Private to
 * refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_FALLBACKS_H
#define HT_REFACTOR_PLAN_LAUNCH_FALLBACKS_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"

/* Adds the edits of launches that choose, and requires where no launch can. */
void ht_launch_fallbacks(ht_plan *plan, const ht_grid *grid);

#endif
