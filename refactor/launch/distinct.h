/* Whether two arguments of a launch can point to the same memory, by the sources of the
 * host variables' values. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_DISTINCT_H
#define HT_REFACTOR_LAUNCH_DISTINCT_H

#include "refactor/launch/launch.h"

/* Returns true if two arguments of a launch always point into different allocations. Each must be
 * computed from a local variable of the host function whose values all come from hipMalloc and the
 * like (or from std::swap with another such variable), or from a copy of one. */
bool ht_arguments_distinct(const ht_launch_site *site, size_t first, size_t second);

#endif
