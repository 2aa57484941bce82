/* Launches that choose between the new block and grid and the original's. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_CHOICE_H
#define HT_REFACTOR_PLAN_LAUNCH_CHOICE_H

#include "refactor/plan/launch_text.h"
#include "refactor/plan/plan.h"

/* Returns true if the number of items has the same value at the launch as where the grid is
 * computed. */
bool ht_launch_items_hold(const ht_plan *plan, const ht_launch_print *print, int axis);
/* Returns the new block as text for the launch; free(). */
char *ht_launch_block_new(const ht_plan *plan, const ht_launch_print *print,
                          const ht_values *values);
/* Returns the length of a text once the author's words stand for $[begin,end]. */
size_t ht_launch_shown_length(const char *text);
/* Returns the text, with $[ ], for a print whose part is HT_LAUNCH_GRID_OR_OLD or a later one;
 * free(). NULL: it cannot be written. */
char *ht_launch_choice_text(const ht_plan *plan, const ht_launch_print *print,
                            const ht_values *values);

#endif
