/* Finds how values differ between the outputs of a thread, and which statements must run once for
 * each output. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_SHARE_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_SHARE_H

#include "refactor/transformations/coarsen/coarsen_state.h"

ht_share ht_node_share(ht_coarsen *c, const ht_syntax *node);
/* Finds the variables' shares and the statements that run `apart`, to a fixed point. */
void ht_region_share(ht_coarsen *c, const ht_region *region);
void ht_share_reset(ht_coarsen *c);
/* Returns true if the value is that of the first output plus c times something that is the same for
 * all outputs, in signed arithmetic. */
bool ht_node_is_linear(ht_coarsen *c, const ht_syntax *node);
/* Returns true for an access whose address is one element further for each output. */
bool ht_node_steps(ht_coarsen *c, const ht_syntax *node);

#endif
