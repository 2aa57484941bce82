/* Values that functions of the host return. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_RETURNED_H
#define HT_REFACTOR_LAUNCH_RETURNED_H

#include "refactor/launch/symbol.h"

/* Reads a call of a function that declares variables, sets each once, and returns, by `if` perhaps
 * one value or another. NULL: it does more. */
ht_symbol *ht_symbol_called(const ht_symbol_frame *frame, CXCursor call);

/* Returns the value of a call of a function that only sets variables once and returns; null cursor:
 * it does more. *out_frame: the place in which to read the value. */
CXCursor ht_symbol_returned(const ht_symbol_frame *frame, CXCursor call,
                            ht_symbol_frame *out_frame);

#endif
