/* Sums that a maximum scales, in a run by all threads of a block: of an online softmax. A thread
 * has its maximum m and a sum s of exponentials of values less m. With a set of threads T, and the
 * maximum M of a set U, the run knows sums of s * exp(m - M) over T; differences of maxima, and
 * exponentials of these. Private to the files lanes*.c. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_LANES_SCALED_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_LANES_SCALED_H

#include "refactor/transformations/block_size/lanes_state.h"

/* Return the difference and the product of two values, and the exponential of one, by a function of
 * this name. */
ht_lane_value ht_lanes_difference(ht_lanes *lanes, const ht_lane_value *a, const ht_lane_value *b);
ht_lane_value ht_lanes_product(ht_lanes *lanes, const ht_lane_value *a, const ht_lane_value *b);
ht_lane_value ht_lanes_exponential(ht_lanes *lanes, const char *name, const ht_lane_value *a);
/* A sum of two values of which one at least is a scaled sum. */
ht_lane_value ht_lanes_scaled_sum(ht_lanes *lanes, const ht_lane_value *a, const ht_lane_value *b);

#endif
