/* Kernels that see blocks of the original's shape inside of blocks of another. Private to
 * refactor/. */
#ifndef HT_REFACTOR_BLOCK_RENUMBER_H
#define HT_REFACTOR_BLOCK_RENUMBER_H

#include "refactor/kernel_model/kernel_model.h"
#include "refactor/plan/plan.h"

/* Writes variables around the kernel's body that have the names of the built-in indices and the
 * values of the original's block and grid. `param`: the parameters for the launched block along
 * each axis; NULL: it is the original's, except that several blocks may be in one
 * (ht_renumber_stack). `group` is then the name of a variable for the number of a thread's block
 * among these, or NULL. The variables are also right when the original's block is launched,
 * whatever the parameters' values, as long as these are not below it. */
void ht_renumber_write(ht_plan *plan, const char *const param[3], const char *group);
/* Joins several of the original's blocks in one, along an axis of the block that has one thread.
 * *out_param: their number. Returns why this is not possible; NULL: it is. */
const char *ht_renumber_stack(ht_plan *plan, const char **out_param);
/* Returns why such variables cannot provide all of the kernel's indices, or its launches cannot be
 * rewritten; NULL: they can. `joined`: several blocks of the original's shape are in one. */
const char *ht_renumber_obstacle(const ht_model *model, bool joined);
/* Returns true if there is a loop that may wait for other threads. Whether it ends may depend on
 * which threads share a block or a wavefront. */
bool ht_renumber_may_wait(const ht_model *model, const ht_kernel_model *km);

/* Makes the block's shape parameters for kernels whose threads are independent and use their
 * indices in any way. Returns false, with a remark, if it cannot; the caller then takes back its
 * additions. */
bool ht_block_renumber_apply(const ht_model *model, ht_plan *plan);

#endif
