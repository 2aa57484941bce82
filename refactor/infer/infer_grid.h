/* Grids that are computed in ways that are not followed. Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_GRID_H
#define HT_REFACTOR_INFER_INFER_GRID_H

#include "refactor/infer/infer.h"

/* Gives each axis of the grid that is not followed a size of its own, blocks_x, in the entry. Free
 * with ht_infer_grid_free. */
void ht_infer_grid_own(ht_infer *in);
void ht_infer_grid_free(ht_infer *in);

#endif
