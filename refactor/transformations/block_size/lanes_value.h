/* Values of expressions, for all threads of a block at once. Private to the files lanes*.c. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_LANES_VALUE_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_LANES_VALUE_H

#include "refactor/transformations/block_size/choice.h"
#include "refactor/transformations/block_size/lanes_state.h"

void ht_lanes_fail(ht_lanes *lanes, const ht_syntax *at, const char *why);
/* Evaluates an expression for the threads of the mask, with its effects. Other threads' values stay
 * unknown. */
void ht_lanes_evaluate(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                       ht_lane_value *out);
/* Evaluates what is in an expression for its effects; nothing is known of its own value. */
void ht_lanes_evaluate_parts(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                             ht_lane_value *out);
/* Combines what the two of a choice (choice.h) have, where that is of a seeded variable. Returns
 * false, and nothing is done, if it is of none. */
bool ht_lanes_choose(ht_lanes *lanes, const ht_choice *choice, const bool *mask,
                     ht_lane_value *out);
/* Stores values in a variable or an element of shared memory. */
void ht_lanes_assign(ht_lanes *lanes, const ht_syntax *target, const bool *mask,
                     const ht_lane_value *values);
/* A whole number, and a value for each thread, unknown at first; free(). */
ht_lane_value ht_lanes_number(int64_t value);
ht_lane_value *ht_lanes_values_new(const ht_lanes *lanes);
/* Sets a private variable of the threads of the mask. */
void ht_lanes_set(ht_lanes *lanes, size_t variable, const bool *mask, const ht_lane_value *values);
/* Returns the variable that a reference stands for, or the variable itself. */
size_t ht_lanes_followed(const ht_lanes *lanes, size_t variable);
/* The thread's own value of a seeded variable. */
ht_lane_value ht_lanes_own(ht_lanes *lanes, size_t variable, size_t thread);
/* Returns a set with the threads of both; NULL: `apart`, and some are in both. */
const uint64_t *ht_lanes_union(ht_lanes *lanes, const uint64_t *a, const uint64_t *b, bool apart);
/* Returns true for a value that the operation leaves out: 0 in a sum, -INFINITY in a maximum, and
 * the value that all threads' maxima began with. */
bool ht_lanes_is_neutral(const ht_lanes *lanes, size_t source, ht_combine op,
                         const ht_lane_value *value);
/* Combines what two values have of a seeded variable. */
ht_lane_value ht_lanes_join(ht_lanes *lanes, ht_combine op, const ht_lane_value *a,
                            const ht_lane_value *b);

#endif
