/* The work that stands ahead of a loop over a thread's outputs. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_EACH_FRONT_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_EACH_FRONT_H

#include "refactor/transformations/coarsen/coarsen_layout.h"

/* Returns true if all that a test names, but the index, is known at the top of the loop. */
bool ht_each_is_early(ht_coarsen *c, const ht_syntax *test);
/* Returns the guard that the loop's own condition can take the place of: `x < W` for all that the
 * work needs, or with tests that can stand in front. NULL: there is none. */
const ht_part *ht_each_guard(ht_coarsen *c, const ht_layout *layout,
                             const ht_guard_term **out_term);

/* The guard whose test of the index a loop over the outputs has as its condition, and what stands
 * ahead of that loop. */
typedef struct ht_each_front {
    const ht_part *guard; /* no part of it is in front; NULL: what is known of guards is */
    bool leaves;          /* it encloses the work, and its other tests return ahead of the loop */
    bool kept;            /* the author's guard stays, and asks for the thread's first output */
    bool ahead;           /* declarations stand ahead, in a tuned source */
} ht_each_front;

/* Returns true if each test of a guard that is the same for all outputs can be made once, ahead of
 * them. */
bool ht_each_can_ask_ahead(ht_coarsen *c, const ht_layout *layout);
ht_each_front ht_each_front_find(ht_coarsen *c, ht_layout *layout);

#endif
