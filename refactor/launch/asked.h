/* Numbers that the host asks an object for: x.numel(), x.size(0). Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_ASKED_H
#define HT_REFACTOR_LAUNCH_ASKED_H

#include "refactor/launch/symbol.h"

/* Reads a call of a variable's const method whose arguments are constants: a variable of its own,
 * named x_size_0. NULL: the call is another. */
ht_symbol *ht_symbol_asked(CXCursor call);

/* Returns the symbol of x.size(axis) for the expression x.packed_accessor32<...>(), or a variable
 * that holds it; NULL: it is another one. */
ht_symbol *ht_symbol_accessed(CXCursor expression, size_t axis);

#endif
