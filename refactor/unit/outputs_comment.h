/* Comments of the author's that say how many outputs a thread computes. Private to refactor/. */
#ifndef HT_REFACTOR_UNIT_OUTPUTS_COMMENT_H
#define HT_REFACTOR_UNIT_OUTPUTS_COMMENT_H

#include "refactor/plan/plan.h"

/* Corrects, in an applied source, comments above the kernel and in it (and at the begin of a file
 * with one kernel) that say that a thread computes one output, where it computes several: "every
 * thread handles one output element", "one thread per pixel", "grid: x = output channel". Other
 * prose stays as it is. */
void ht_outputs_comment(ht_plan *plan);

#endif
