/* A block that the program chooses at run time. Where the kernel computes the same with any block,
 * the variable that chooses becomes a constant of the model, with a value to stand for it. The
 * tuned block becomes a parameter of the launch, while the source's own launches still take the
 * block that the program gives. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_RUNTIME_BLOCK_H
#define HT_REFACTOR_KERNEL_RUNTIME_BLOCK_H

#include "refactor/kernel/model.h"

/* Gives values to blocks that are chosen at run time. `any`: also to those that are computed in
 * ways that are not followed, threads_for(n); the launch's text cannot be written anew then. Call
 * it after ht_reach_build and before ht_indexing_build. */
void ht_runtime_block_assume(ht_model *model, bool any);

#endif
