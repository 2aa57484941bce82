/* Nests of loops that add up: what may be exchanged (loop_order.c, loop_sum.c), and how it is
 * written (loop_order_write.c). Private to the transformation loop-order. */
#ifndef HT_REFACTOR_LOOP_ORDER_H
#define HT_REFACTOR_LOOP_ORDER_H

#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen.h"

enum { HT_NEST_LOOPS_MAX = HT_PLANNED_NEST_MAX };

typedef struct ht_nest_loop {
    ht_node *node;
    size_t counter;   /* the variable */
    const char *name; /* its name */
    ht_node *first;   /* its initial value */
    ht_range header;  /* between the parentheses */
    /* Of a loop that counts up by one to a bound: "<" or "<="; NULL: another. */
    const char *compare;
    ht_node *bound;
} ht_nest_loop;

typedef struct ht_nest {
    ht_nest_loop
        loops[HT_NEST_LOOPS_MAX]; /* outermost first; inside is the next one, after declarations */
    size_t count;
    char *type;   /* of all counters; owned */
    bool rounds;  /* sums in another order may differ in their last bits */
    bool between; /* declarations stand between the loops */
    bool has_strip;
    const char *order, *strip; /* parameters */
    const char *counter;       /* of the strips: "c_strip" */
} ht_nest;

/* loop_sum.c: does the body do nothing but change accumulators, in a way that any order of
 * iterations gives the same, rounding apart? Otherwise says why not: "*out_place". */
const char *ht_nest_why_not(ht_coarsen *c, ht_nest *nest, CXCursor *out_place);

/* loop_order_write.c: how many orders two or three loops have: the parameter's values. */
size_t ht_nest_orders(size_t loops);
/* Edits the headers. */
void ht_nest_write(ht_plan *plan, const ht_nest *nest);

#endif
