/* Integer expressions of the kernel as template expressions. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_EXPRESSION_H
#define HT_REFACTOR_KERNEL_EXPRESSION_H

#include "refactor/kernel/syntax.h"

/* Returns the name of the index-th passed argument in template expressions; NULL: it is not an
 * integer scalar. */
const char *ht_argument_name(const ht_model *model, size_t index);
/* An integer expression over constants and unassigned scalar arguments as a template expression;
 * free(). NULL when it is anything else. */
char *ht_syntax_expression(const ht_syntax *node);

#endif
