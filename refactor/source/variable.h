/* Changes of a variable by its host function. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_VARIABLE_H
#define HT_REFACTOR_SOURCE_VARIABLE_H

#include "refactor/source/libclang.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns true if an array is used only by its elements. */
bool ht_variable_only_elements(CXCursor variable);
/* Finds the assignments to the fields x, y, z of a dim3 variable. Returns true if only these change
 * it after its declaration, each once, in the block of the declaration and before `use`. */
bool ht_variable_fields(CXCursor variable, CXCursor use, CXCursor out_fields[3]);
/* Counts assignments to a variable, updates, and uses of its address, in the host function around
 * it. */
unsigned ht_variable_writes(CXCursor variable);
/* Counts them inside of a statement, from an offset of its file on. */
unsigned ht_variable_writes_in(CXCursor scope, CXCursor variable, unsigned from);
/* Counts them in a statement or expression, itself included. */
unsigned ht_variable_writes_at(CXCursor at, CXCursor variable);
/* The statement of a function that has the declaration of the variable in it, a CompoundStmt in
 * most cases; null cursor: none has. */
CXCursor ht_variable_block(CXCursor function, CXCursor variable);

#endif
