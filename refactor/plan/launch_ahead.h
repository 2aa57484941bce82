/* Declarations ahead of a launch. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_AHEAD_H
#define HT_REFACTOR_PLAN_LAUNCH_AHEAD_H

#include "refactor/launch/launch.h"
#include "refactor/plan/plan.h"

/* Returns true if declarations may stand in lines ahead of the launch's: it is a statement that
 * begins its line, in a block, in a function in which nothing jumps. *out_line is where the line
 * begins in the source's whole text. */
bool ht_launch_ahead_place(const ht_plan *plan, const ht_launch_site *site, size_t *out_line);
/* The same for another statement of the launch's function, which begins at `begin`. */
bool ht_launch_ahead_of(const ht_plan *plan, const ht_launch_site *site, size_t begin,
                        size_t *out_line);

#endif
