/* Finds the transformations that prevent a template, by leaving out one at a time, then pairs.
 * Private to refactor/. */
#ifndef HT_REFACTOR_UNIT_CULPRITS_H
#define HT_REFACTOR_UNIT_CULPRITS_H

#include <stdbool.h>
#include <stddef.h>

/* A set of transformations: bit i is ht_transformations[i]. */
typedef unsigned ht_transformation_set;

/* Makes a template without these transformations; returns true if that works. *out_kept counts the
 * transformations that still apply. */
typedef bool ht_attempt(void *context, ht_transformation_set without, size_t *out_kept);

/* Returns the transformations to leave out among `suspects`, which apply but do not work together:
 * one if that is enough, else two, else the last ones. Among sets of one size it chooses the one
 * with which most are kept; of equals, the one that runs last. 0: no set is enough. */
ht_transformation_set ht_culprits_find(ht_attempt *attempt, void *context,
                                       ht_transformation_set suspects);

#endif
