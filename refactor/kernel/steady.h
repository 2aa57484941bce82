/* Expressions that have the same value whenever they are computed. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_STEADY_H
#define HT_REFACTOR_KERNEL_STEADY_H

#include "refactor/kernel/syntax.h"

typedef bool ht_keeps(const ht_syntax_variable *variable, const void *context);

/* Returns true if the expression is made of constants, built-in indices and of variables that
 * `keeps` accepts, with operators: it reads no memory, calls nothing and changes nothing. NULL:
 * true. */
bool ht_syntax_is_formula(const ht_syntax *expression, ht_keeps *keeps, const void *context);

/* For how long an expression is to keep its value, and what may be in it. */
typedef struct ht_steady {
    /* Up to here, from wherever its variables are in scope (ht_variable_is_steady); NULL:
     * throughout the kernel. */
    const ht_syntax *at;
    bool anew;   /* a variable that keeps what it begins with is asked for what that is made of */
    bool common; /* for all threads of the launch */
    bool calls;  /* functions of whole numbers that do nothing else may be in it */
    const ht_syntax_variable *counter; /* may be in it, although it changes; NULL: none */
    ht_keeps *keeps;                   /* a further condition; NULL: none */
    const void *context;
} ht_steady;

/* Returns true if the expression is such a formula, of variables that keep their values for so
 * long: no arrays, references or shared memory. NULL: true. */
bool ht_syntax_is_steady(const ht_syntax *expression, const ht_steady *asked);

#endif
