/* The effects of functions known by their names, in one table. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_CALLEES_H
#define HT_REFACTOR_KERNEL_CALLEES_H

#include <stdbool.h>

typedef enum ht_callee_class {
    HT_CALLEE_UNKNOWN,
    HT_CALLEE_PURE,      /* computes a value from its arguments */
    HT_CALLEE_LOADS,     /* loads from its first argument */
    HT_CALLEE_STORES,    /* stores through its first argument */
    HT_CALLEE_ATOMIC,    /* an atomic operation */
    HT_CALLEE_BARRIER,   /* of the block (__syncthreads_or, too) */
    HT_CALLEE_FENCE,     /* orders memory */
    HT_CALLEE_WAVEFRONT, /* exchanges values between lanes, or returns a lane's number */
    HT_CALLEE_GROUPS     /* makes cooperative groups */
} ht_callee_class;

/* Returns the class of a name. Names of variables have one, too: `warpSize` is of the wavefront. */
ht_callee_class ht_callee_class_of(const char *name);
/* Returns true if a call has no effect and returns the same for the same arguments as long as
 * nothing writes what they point to: HT_CALLEE_PURE, and __ldg. */
bool ht_callee_is_pure(const char *name);
/* Returns true if atomic operations of this name may run in any order without a visible difference,
 * provided that their results are unused. */
bool ht_callee_commutes(const char *name);

#endif
