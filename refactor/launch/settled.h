/* Whether a value that was read at one place is still that of the names in it at a later one.
 * Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_SETTLED_H
#define HT_REFACTOR_LAUNCH_SETTLED_H

#include "refactor/launch/symbol.h"

/* Returns true if nothing in `function` changes what the symbol names after `value`, the expression
 * or statement of that function from which it was read, so that names mean the same up to a later
 * use. Names of other functions must not change at all. */
bool ht_symbol_is_settled(const ht_symbol *symbol, CXCursor function, CXCursor value);
/* Returns true if a part is not understood: the variable that it is the value of then stands for
 * itself (kernel/geometry.c). */
bool ht_symbol_is_open(const ht_symbol *symbol);

#endif
