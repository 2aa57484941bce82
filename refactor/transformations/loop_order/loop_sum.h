/* Nests of loops whose iterations may run in any order: those that only change accumulators, each
 * by one kind of operation that may be reassociated. Private to the transformation loop-order. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_LOOP_ORDER_LOOP_SUM_H
#define HT_REFACTOR_TRANSFORMATIONS_LOOP_ORDER_LOOP_SUM_H

#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

enum { HT_NEST_LOOPS_MAX = HT_PLANNED_NEST_MAX };

typedef struct ht_nest_loop {
    const ht_syntax *node;
    size_t counter;         /* the variable */
    const char *name;       /* its name */
    const ht_syntax *first; /* its initial value */
    ht_range header;        /* between the parentheses */
    /* For a loop that counts up by one to a bound: "<" or "<="; NULL: another loop. */
    const char *compare;
    const ht_syntax *bound;
} ht_nest_loop;

typedef struct ht_nest {
    ht_nest_loop loops[HT_NEST_LOOPS_MAX]; /* outermost first; between a loop and the next there are
                                              only declarations */
    size_t count;
    char *type;   /* of all counters; owned */
    bool rounds;  /* sums in another order may differ in their last bits */
    bool between; /* there are declarations between the loops */
    bool has_strip;
    const char *order, *strip; /* parameters */
    const char *counter;       /* of the strips: "c_strip" */
} ht_nest;

/* Returns why the body does more than change accumulators in a way that gives the same
 * in any order of iterations, except for rounding; *out_place is the place. NULL: it does not. */
const char *ht_nest_why_not(ht_coarsen *c, ht_nest *nest, ht_position *out_place);

#endif
