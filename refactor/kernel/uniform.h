/* Which control all threads of a launch share. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_UNIFORM_H
#define HT_REFACTOR_KERNEL_UNIFORM_H

#include "refactor/kernel/facts.h"

/* Returns true if all threads of the launch, of all its blocks, come to the same barriers equally
 * often. Told by following local variables through the kernel's text: those that take their values
 * from arguments, constants and the launch's extents alone, under conditions on such. False: not,
 * or not known. */
bool ht_barriers_are_common(const ht_model *model);
/* Returns true if the kernel, or what it calls, counts votes of all threads of a block
 * (__syncthreads_or). */
bool ht_block_votes(const ht_model *model, int *out_line);

#endif
