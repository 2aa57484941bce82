/* Kernels that see other places than the launch has: blocks of the original's shape inside of
 * blocks of another. Private to refactor/. */
#ifndef HT_REFACTOR_BLOCK_RENUMBER_H
#define HT_REFACTOR_BLOCK_RENUMBER_H

#include "refactor/geometry.h"
#include "refactor/kernel_model/kernel_model.h"

typedef struct ht_renumbering {
    const char *param[3]; /* the block along an axis as launched; NULL: as it was */
    bool whole;           /* blocks are several of the original's: never smaller ones */
    const char *group;    /* a variable for which of them a thread belongs to; NULL: none */
} ht_renumbering;

/* Around the kernel's body: variables with the names of the built-in indices, which answer with the
 * place in the original's block and grid. They are right for the original's block too, whatever the
 * parameter says, where that is not below it. */
void ht_renumber_write(ht_plan *plan, const ht_renumbering *of);
/* Why such variables would not answer for all of the kernel; NULL: they do. */
const char *ht_renumber_obstacle(const ht_model *model);
/* Is there a loop that may wait for what other threads do? Whether it ends may depend on who shares
 * a block or a wavefront. */
bool ht_renumber_may_wait(const ht_model *model, const ht_kernel_model *km);
/* Another block along an axis, which tuned sources launch where it divides the number of threads.
 */
void ht_renumber_axis(ht_plan *plan, int axis, const char *name, const char *values);

/* The block's shape for kernels whose threads have nothing to do with each other, and use their
 * indices in any way. False, with a remark, when it cannot; what was added must be taken back. */
bool ht_block_renumber_apply(const ht_model *model, ht_plan *plan);
/* Several blocks of threads that share memory as one. The same. */
bool ht_block_group_apply(const ht_model *model, ht_plan *plan);

#endif
