/* Barriers that all threads of a launch reach alike. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_UNIFORM_H
#define HT_REFACTOR_KERNEL_UNIFORM_H

#include "refactor/kernel/facts.h"

/* Returns true if all threads of the launch, in all its blocks, reach the same barriers equally
 * often. It follows local variables through the kernel's text: those computed from arguments,
 * constants and the launch's extents alone, under conditions on such. False: they do not, or it is
 * not known. */
bool ht_barriers_are_common(const ht_model *model);

/* Returns true if all threads of the launch meet the same barriers one after the other, each until
 * it ends: by an early return, or since a last condition or loop with barriers leaves it out. No
 * barrier waits for threads that have ended, so that threads of any blocks may meet at them. */
bool ht_barriers_are_common_until_end(const ht_model *model);
#endif
