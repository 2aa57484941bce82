/* Numbers that the host finds in an object, or asks it for: grid->level.n, sizes[i], x.numel(),
 * x.size(0). Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_ASKED_H
#define HT_REFACTOR_LAUNCH_ASKED_H

#include "refactor/launch/symbol.h"

/* Reads a call of a variable's const method whose arguments are constants: a variable of its own,
 * named x_size_0. NULL: the call is another. */
ht_symbol *ht_symbol_asked(CXCursor call);

/* Reads a number that members, pointers and subscripts lead to from a variable, or from the object
 * whose method this is: a variable of its own, named grid_level_n or sizes_i. Subscripts are
 * constants or variables. NULL: the expression is another. */
ht_symbol *ht_symbol_led_to(CXCursor expression);

/* Returns the symbol of x.size(axis) for the expression x.packed_accessor32<...>(), or a variable
 * that holds it; NULL: it is another one. */
ht_symbol *ht_symbol_accessed(CXCursor expression, size_t axis);

#endif
