/* Template expressions as C++ over checked numbers: the value that the evaluator computes, or none
 * where it fails (an overflow, a division by zero, a shift past 63). No short cut is needed: what
 * `&&`, `||` and `?:` would not have evaluated does not count, whether it failed or not. */
#ifndef HT_TEMPLATES_EXPR_EXPR_CHECKED_H
#define HT_TEMPLATES_EXPR_EXPR_CHECKED_H

#include "templates/expr/expr.h"

/* How names are written: as text that is a `number`. */
typedef struct ht_checked_naming {
    void (*name)(void *context, const char *name, ht_text *out);
    void (*type_size)(void *context, const char *type, ht_text *out); /* of sizeof(type) */
    void *context;
} ht_checked_naming;

/* C++ text that defines `number` and the functions that the printed text calls; for a namespace. */
extern const char ht_checked_functions[];

void ht_expr_print_checked(const ht_expr *expr, const ht_checked_naming *naming, ht_text *out);

#endif
