/* Kernels that see other places than the launch has: blocks of the original's shape inside of
 * blocks of another. Private to refactor/. */
#ifndef HT_REFACTOR_BLOCK_RENUMBER_H
#define HT_REFACTOR_BLOCK_RENUMBER_H

#include "refactor/kernel/geometry.h"
#include "refactor/kernel_model/kernel_model.h"
#include "refactor/plan/plan.h"

/* Around the kernel's body: variables with the names of the built-in indices, which answer with the
 * place in the original's block and grid. `param`: the block along an axis as launched; NULL: as it
 * was, but for blocks that lie in one (ht_renumber_stack), where `group` is the name of a variable
 * that tells them apart, or NULL. They are right for the original's block too, whatever the
 * parameters say, where these are not below it. */
void ht_renumber_write(ht_plan *plan, const char *const param[3], const char *group);
/* Several of the original's blocks as one, along an axis of the block that has one thread;
 * `*out_param` says how many. NULL, or why this cannot be. */
const char *ht_renumber_stack(ht_plan *plan, const char **out_param);
/* Why such variables would not answer for all of the kernel, or its launches not be rewritten;
 * NULL: they do. */
const char *ht_renumber_obstacle(const ht_model *model);
/* Returns true if there is a loop that may wait for what other threads do. Whether it ends may
 * depend on who shares a block or a wavefront. */
bool ht_renumber_may_wait(const ht_model *model, const ht_kernel_model *km);

/* The block's shape for kernels whose threads have nothing to do with each other, and use their
 * indices in any way. False, with a remark, when it cannot; what was added must be taken back. */
bool ht_block_renumber_apply(const ht_model *model, ht_plan *plan);
/* Several blocks of threads that share memory as one. The same. */
bool ht_block_group_apply(const ht_model *model, ht_plan *plan);

#endif
