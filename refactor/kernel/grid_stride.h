/* Kernels whose threads share out the iterations of one loop over the whole grid. Private to
 * refactor/. */
#ifndef HT_REFACTOR_KERNEL_GRID_STRIDE_H
#define HT_REFACTOR_KERNEL_GRID_STRIDE_H

#include "refactor/kernel/syntax.h"

/* Returns the bound n if all work of the kernel is one loop `for (i = global index; i < n; i += all
 * threads)` along the axis, whose iterations neither end others nor hand values on: any block and
 * any grid will do. The counter may be a variable of the body, and the loop a `while`. NULL: it is
 * anything else. */
const ht_syntax *ht_grid_stride_bound(const ht_model *model, int axis);

#endif
