/* The comparison of ways to begin a search, problem by problem, and its tests. */
#ifndef HT_BENCHMARKS_SEEDING_COMPARE_H
#define HT_BENCHMARKS_SEEDING_COMPARE_H

#include "benchmarks/seeding/ways.h"

extern const double ht_seeded_near_best; /* a time over the best one that is near it: 1.05 */

/* Prints the comparison on all problems of the setup. `folder` keeps what jobs measure. Appends a
 * line for each problem to the file `lines` (NULL: none): template, problem, evaluations that each
 * way needed. */
void ht_seeded_compare(const ht_seeded_setup *setup, const ht_seeded_knowledge *knowledge,
                       const char *folder, const char *lines);

/* Prints the tests over the lines of such a file, of all templates together. */
void ht_seeded_summary(const char *lines);

#endif
