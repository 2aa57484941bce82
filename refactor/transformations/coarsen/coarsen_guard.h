/* Reads the conditions that keep threads past the end from doing anything. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_GUARD_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_GUARD_H

#include "refactor/transformations/coarsen/coarsen_state.h"

typedef enum ht_term_kind {
    HT_TERM_SAME,
    HT_TERM_INDEX,  /* compares x, or a value that steps with it, with one that is the same for all
                       outputs */
    HT_TERM_LINEAR, /* compares a multiple of x, in arithmetic that does not wrap */
    HT_TERM_OTHER
} ht_term_kind;

typedef struct ht_guard_term {
    ht_term_kind kind;
    const ht_syntax *node; /* the comparison, or any condition */
    bool negated;          /* the work is done if `node` does not hold */
    int op;                /* INDEX: the comparison that must hold, negation applied */
    bool upper;            /* INDEX: fails once x is large enough */
    const ht_syntax *step, *bound;
} ht_guard_term;

typedef struct ht_guard {
    const ht_syntax *statement; /* the `if` */
    bool leaves;                /* if (outside) return; else: if (inside) { ... } */
    ht_guard_term *terms;       /* all must hold for the work to be done; owned */
    size_t term_count;
    bool has_index, has_upper, only_known;
} ht_guard;

/* Reads a guard. Returns false if the `if` is not one, as when it has an else with work in it. */
bool ht_guard_read(ht_coarsen *c, const ht_syntax *statement, ht_guard *out_guard);
/* Adds the terms that must all hold for a condition to hold (`negative`: not to hold). */
void ht_guard_collect(ht_coarsen *c, const ht_syntax *condition, bool negative, ht_guard *guard);
void ht_guard_free(ht_guard *guard);
/* Returns true if the guard has a test of this kind. */
bool ht_guard_has(const ht_guard *guard, ht_term_kind kind);

#endif
