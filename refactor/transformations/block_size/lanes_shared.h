/* Shared memory in a run by all threads of a block: elements, and who accessed them between two
 * barriers. Private to the files lanes*.c. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_LANES_SHARED_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_LANES_SHARED_H

#include "refactor/transformations/block_size/lanes_state.h"

/* Returns the shared array of a subscript (or a shared variable), and the element for each thread.
 * NULL: it is not in shared memory, or too large. */
ht_lane_variable *ht_lanes_place(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                                 ht_lane_value *out_elements);
/* Accesses them. The run fails where threads of the mask meet with no barrier between. */
void ht_lanes_load(ht_lanes *lanes, const ht_syntax *node, ht_lane_variable *of, const bool *mask,
                   const ht_lane_value *places, ht_lane_value *out);
void ht_lanes_store(ht_lanes *lanes, const ht_syntax *node, ht_lane_variable *of, const bool *mask,
                    const ht_lane_value *places, const ht_lane_value *values);

#endif
