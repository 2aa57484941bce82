/* Which transformations stand in the way of a template: found by leaving out one at a time, then
 * pairs. Private to refactor/. */
#ifndef HT_REFACTOR_UNIT_CULPRITS_H
#define HT_REFACTOR_UNIT_CULPRITS_H

#include <stdbool.h>
#include <stddef.h>

/* A set of transformations: bit i is ht_transformations[i]. */
typedef unsigned ht_transformation_set;

/* Tries without these; returns true when that works. *out_kept counts what then still applies. */
typedef bool ht_attempt(void *context, ht_transformation_set without, size_t *out_kept);

/* The set among `suspects` (those that apply, and do not work together) to leave out: one, where
 * that is enough, else two, else the last ones. Of those of one size the set with which most is
 * kept; of equals the one that runs last. 0: nothing is enough. */
ht_transformation_set ht_culprits_find(ht_attempt *attempt, void *context,
                                       ht_transformation_set suspects);

#endif
