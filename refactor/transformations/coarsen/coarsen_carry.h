/* Tests before or around loops whose result differs between outputs: `if (outside) continue;`
 * before a loop, or `if (inside)` around one. If the loop is the same for all outputs, it may run
 * once for all of them, and the test moves inside, where it has the same result. An output that
 * fails the test then only counts through the loop. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_CARRY_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_CARRY_H

#include "refactor/transformations/coarsen/coarsen_state.h"

/* Visits the tests that `node` must make, outermost first. `skips`: the node does not run if the
 * condition holds; else, if it does not hold. */
typedef void ht_carry_visit(const ht_syntax *test, bool skips, void *context);

/* Return true for `if (outside) continue;` with a loop after it in the list, and for `if (inside)
 * {` with a loop in it. */
bool ht_carry_skips(ht_syntax_list list, size_t at, size_t count);
bool ht_carry_enters(const ht_syntax *node);
/* Returns true for a loop that may run where a test kept the original from running it. */
bool ht_carry_is_loop(const ht_syntax *node);
void ht_carried_visit(const ht_coarsen *c, const ht_syntax *node, ht_carry_visit *visit,
                      void *context);

#endif
