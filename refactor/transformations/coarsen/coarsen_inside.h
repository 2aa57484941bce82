/* Tests inside the work that usually hold for all outputs, as those for padding do. If such a test
 * holds for the first and the last output of a thread, it holds for those between, and the work can
 * be written without it. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_INSIDE_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_INSIDE_H

#include "refactor/transformations/coarsen/coarsen_guard.h"

typedef struct ht_tests {
    ht_guard *guards; /* by statement of the group; term_count 0: no test; owned */
    size_t begin, count;
    bool any;
} ht_tests;

void ht_tests_find(ht_coarsen *c, ht_syntax_list list, size_t begin, size_t end,
                   ht_tests *out_tests);
void ht_tests_free(ht_tests *tests);
/* Returns true if an `if` without else skips the rest of its list. */
bool ht_test_skips(const ht_syntax *statement);
/* Returns true if its test, when it holds for two outputs, holds for all between them. */
bool ht_test_is_convex(ht_coarsen *c, const ht_syntax *statement);
/* Returns true if a test names the variable, or a variable made of it. */
bool ht_tests_need(ht_coarsen *c, const ht_tests *tests, size_t variable);

#endif
