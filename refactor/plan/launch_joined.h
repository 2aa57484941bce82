/* Grids that divide by the outputs of a thread and the block at once, as tuned sources have them,
 * where both are parameters again (refactor/kernel/geometry_joined.h). Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_JOINED_H
#define HT_REFACTOR_PLAN_LAUNCH_JOINED_H

#include "refactor/plan/launch_text.h"

/* Returns true if the axis's text can be written for any outputs and blocks. */
bool ht_launch_joined_can(const ht_form *form);
/* Returns the axis; free(). NULL: it cannot be written. */
char *ht_launch_joined_text(const ht_plan *plan, const ht_launch_print *print,
                            const ht_values *values);

#endif
