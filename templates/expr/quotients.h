/* The quotients in an expression: a grid that covers a problem says by them what has to divide. */
#ifndef HT_TEMPLATES_EXPR_QUOTIENTS_H
#define HT_TEMPLATES_EXPR_QUOTIENTS_H

#include "templates/expr/expr.h"

typedef enum ht_quotient {
    HT_QUOTIENT_DOWN,  /* dividend / divisor */
    HT_QUOTIENT_UP,    /* ceil_div(dividend, divisor) */
    HT_QUOTIENT_PADDED /* rounded up by hand: (a + divisor - 1) / divisor, with the dividend as it
                          is written, whose remainder is divisor - 1 where the divisor divides a */
} ht_quotient;

/* Calls `visit` for each quotient, outermost first. Both expressions are borrowed for the call.
 * NULL has none. */
void ht_expr_quotients(const ht_expr *expr,
                       void (*visit)(void *context, const ht_expr *dividend, const ht_expr *divisor,
                                     ht_quotient kind),
                       void *context);

#endif
