/* The constraints of a template, as few as say the same. */
#ifndef HT_REFACTOR_UNIT_REQUIRES_H
#define HT_REFACTOR_UNIT_REQUIRES_H

#include "templates/annotations/template.h"

/* Orders the constraints by the last parameter that each names, which is when it is checked, and
 * drops those that hold for all values of the parameters which they name, or wherever earlier ones
 * over the same parameters do. Only constraints over nothing but parameters are dropped. */
void ht_requires_simplify(ht_template *template);

/* Returns the index of the last parameter that an expression names; SIZE_MAX: it names none. */
size_t ht_require_last(const ht_template *template, const ht_expr *expr);

#endif
