/* Runs statements of a kernel for all threads of a block at once, to find out which threads' values
 * a result is made of. Each thread has one value of its own of a variable (a partial sum); values
 * that are combined by the variable's operation are sets of such, and whole numbers that follow
 * from threadIdx and the block are numbers. So it does not matter how the threads add up: by a tree
 * in shared memory, by shuffles, by both, in functions.
 *
 * Threads go in lockstep from barrier to barrier. Two threads that access an element of shared
 * memory in between, one of them writing, make the run fail: hardware runs them in any order.
 * Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_LANES_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_LANES_H

#include "refactor/kernel/syntax.h"

typedef enum ht_combine {
    HT_COMBINE_NONE,
    HT_COMBINE_SUM,
    HT_COMBINE_MAX,
    HT_COMBINE_MIN,
    HT_COMBINE_SCALED /* a sum of exponentials, scaled by a maximum: of an online softmax */
} ht_combine;

typedef struct ht_lanes ht_lanes;
typedef struct ht_lane_value ht_lane_value; /* lanes_state.h */

/* Returns the combination that a call of this name computes of its two arguments: fmaxf. */
ht_combine ht_combine_of_call(const char *name);

/* Begins a run by blocks of `threads` along x, in wavefronts of this many lanes, in a whole tree.
 * ht_lanes_free. */
ht_lanes *ht_lanes_new(const ht_syntax_tree *tree, size_t threads, size_t wavefront);
void ht_lanes_free(ht_lanes *lanes);
/* Gives each thread its own value of a variable, to be combined by `op`. Values that are no less
 * (for a maximum, or no more for a minimum) than `floor`, an expression (NULL: any), need not be
 * combined with that. */
void ht_lanes_seed(ht_lanes *lanes, size_t variable, ht_combine op, const ht_syntax *floor);
/* The same of a sum that a seeded maximum scales: of exponentials to this base (online.h). Returns
 * false if the maximum does not begin with a finite number: where two threads have no value, their
 * sum is then not a number. */
bool ht_lanes_seed_scaled(ht_lanes *lanes, size_t variable, size_t maximum, int base);
/* Runs a statement by all threads. Returns why that cannot be followed, or must not be relied on;
 * NULL: it was done. Static, or owned by `lanes`. */
const char *ht_lanes_run(ht_lanes *lanes, const ht_syntax *statement, ht_position *out_at);

/* Returns true if all threads have met at a barrier in the run. */
bool ht_lanes_met(const ht_lanes *lanes);

/* Returns true if a private variable (element 0), or an element of an array that the block shares,
 * was written in the run. */
bool ht_lanes_touched(const ht_lanes *lanes, size_t variable);
/* Returns the seeded variable of which the private variable holds all threads' values combined, in
 * all threads (or only in the first); SIZE_MAX: there is none. */
size_t ht_lanes_whole(const ht_lanes *lanes, size_t variable, bool first_only);
/* The same of an element of shared memory. A barrier must have come after it was written. */
size_t ht_lanes_whole_element(const ht_lanes *lanes, size_t variable, size_t element);

/* For the files lanes*.c. Runs a function's body by the threads of the mask; `out` gets what it
 * returns. _meet: they reach a barrier. */
void ht_lanes_call(ht_lanes *lanes, const ht_syntax *body, const bool *mask, ht_lane_value *out);
void ht_lanes_meet(ht_lanes *lanes, const ht_syntax *at, const bool *mask);

#endif
