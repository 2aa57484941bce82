/* Headers of loops: their counters, bounds, steps and trip counts. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_LOOPS_H
#define HT_REFACTOR_KERNEL_LOOPS_H

#include "refactor/kernel/syntax.h"

/* The variable that a `for` declares, the first of several; NULL: it declares none. */
const ht_syntax_variable *ht_loop_declared(const ht_syntax *loop);
/* The same, if it declares no other. */
const ht_syntax_variable *ht_loop_counter(const ht_syntax *loop);

/* Reads `counter < BOUND` and `BOUND > counter`, and other comparisons alike: *out_op is that of
 * the counter with the bound. False: it compares no such variable. */
bool ht_loop_bound(const ht_syntax *condition, const ht_syntax_variable *counter, int *out_op,
                   const ht_syntax **out_bound);

/* How far a statement moves a counter. */
typedef struct ht_loop_step {
    bool down;
    const ht_syntax *by; /* NULL: by one */
} ht_loop_step;

/* Reads ++i, i += BY, i = i + BY, i = BY + i, and the same with minus. False: it does anything
 * else. NULL: false. */
bool ht_loop_step_read(const ht_syntax *statement, const ht_syntax_variable *counter,
                       ht_loop_step *out_step);
/* The distance, if it is a constant above 0. */
bool ht_loop_step_constant(const ht_loop_step *step, int64_t *out_by);

/* for (T i = A; i < B; ++i) with A and B constant and i not written in the body: its trip count. */
bool ht_syntax_trip_count(const ht_syntax *loop, int64_t *out_trip);

#endif
