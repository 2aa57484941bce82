/* Trip counts of `for` statements. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_LOOPS_H
#define HT_REFACTOR_KERNEL_LOOPS_H

#include "refactor/kernel/syntax.h"

/* for (T i = A; i < B; ++i) with A and B constant and i not written in the body: its trip count. */
bool ht_syntax_trip_count(const ht_syntax *loop, int64_t *out_trip);

#endif
