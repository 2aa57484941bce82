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

/* Calls `visit` for each comparison by < <= > >=, outermost first, with the side that is to be the
 * lesser one first: of a constraint, what is limited and its limit. Borrowed and NULL as above. */
void ht_expr_limits(const ht_expr *expr,
                    void (*visit)(void *context, const ht_expr *lesser, const ht_expr *greater),
                    void *context);

#endif
