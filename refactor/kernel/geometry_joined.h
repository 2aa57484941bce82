/* Grids whose outputs are divided by the outputs of a thread and the block at once:
 *
 *     (n + kOutputsPerThread * block.x - 1) / (kOutputsPerThread * block.x)
 *
 * Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_GEOMETRY_JOINED_H
#define HT_REFACTOR_KERNEL_GEOMETRY_JOINED_H

#include "refactor/kernel/geometry.h"

/* Returns true for the name of a constant, as the outputs of a thread have one. */
bool ht_form_names_outputs(const ht_symbol *symbol);
/* Reads an axis of the grid. Returns false, with nothing to free, for another one. */
bool ht_form_read_joined(const ht_model *model, const ht_launch_site *site, const ht_symbol *symbol,
                         int axis, ht_form *form);

#endif
