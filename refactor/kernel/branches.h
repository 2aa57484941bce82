/* Code of other builds: text under conditionals that the parse did not take. There is no syntax
 * tree of it, so its tokens are read, and a pin (pins.h) keeps transformations from changing what
 * the names in it refer to. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_BRANCHES_H
#define HT_REFACTOR_KERNEL_BRANCHES_H

#include "refactor/kernel/model.h"

/* Adds pins of text that other builds compile. Call it after ht_indexing_build. */
void ht_branches_build(ht_model *model);

#endif
