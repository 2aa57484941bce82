/* Extents of a launch: dim3 expressions, and the values of symbols. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_EXTENT_H
#define HT_REFACTOR_LAUNCH_EXTENT_H

#include "refactor/launch/symbol.h"

/* Returns true if the expression or variable is a dim3. */
bool ht_cursor_is_dim3(CXCursor cursor);
/* Makes the symbols of a dim3 that the program computes elsewhere (an argument, or set by a
 * function): three parts of unknown value. Returns false if the expression does not name a
 * variable. */
bool ht_symbol_parts3(CXCursor expression, ht_symbol *out_axes[3], CXCursor *out_variable);
bool ht_symbol_read3_in(const ht_symbol_frame *frame, CXCursor expression, ht_symbol *out_axes[3],
                        size_t *out_written, CXCursor *out_variable);
/* Returns true if a dim3 variable has other values elsewhere than at `use`, so that its name does
 * not say which. */
bool ht_dim3_changes(CXCursor variable, CXCursor use);
/* Returns true if the dim3 expression is a call of a function that returns one. */
bool ht_extent_is_call(CXCursor expression);
/* Evaluates a symbol whose leaves are all constant. Returns false for others. */
bool ht_symbol_value(const ht_symbol *symbol, int64_t *out_value);
/* Returns true if an axis has the extent 1, which none is given for, too. */
bool ht_extent_is_one(const ht_symbol *extent);

#endif
