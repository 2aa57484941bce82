/* Guards: comparisons of a global index with a bound that dominate every memory access and side
 * effect, so that threads at or past the bound do nothing. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_GUARDS_H
#define HT_REFACTOR_KERNEL_GUARDS_H

#include "refactor/kernel/model.h"

/* Notes the guards of the axes. */
void ht_guards_build(ht_model *model);

#endif
