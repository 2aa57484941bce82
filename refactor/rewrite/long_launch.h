/* Declarations ahead of launches that would be hard to read. Private to refactor/. */
#ifndef HT_REFACTOR_REWRITE_LONG_LAUNCH_H
#define HT_REFACTOR_REWRITE_LONG_LAUNCH_H

#include "refactor/plan/plan.h"
#include "refactor/plan/render.h"

/* Declares the threads that a launch, or its grid's declaration, divides into blocks, `const int
 * threads = (n + 3) / 4;`, and takes the grids of a kernel's launches out of lines that the
 * replacements make longer than 100 columns: `dim3 grid(...);` in a line of its own. `owner`: of
 * the new replacements. */
void ht_long_launches_declare(const ht_plan *plan, ht_replacement **items, size_t *count,
                              size_t owner);

#endif
