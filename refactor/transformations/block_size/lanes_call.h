/* Calls, by all threads of a block at once. Private to the files lanes*.c. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_LANES_CALL_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_LANES_CALL_H

#include "refactor/transformations/block_size/lanes_state.h"

/* Evaluates a call for the threads of the mask, with its effects. */
void ht_lanes_evaluate_call(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                            ht_lane_value *out);

#endif
