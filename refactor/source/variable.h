/* What a host function does to one of its variables. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_VARIABLE_H
#define HT_REFACTOR_SOURCE_VARIABLE_H

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns true if an array is used by its elements alone. */
bool ht_variable_only_elements(CXCursor variable);
/* Assignments to fields x, y, z of a dim3 variable, when these are all that changes it after its
 * declaration, each once, in one block with the declaration and ahead of `use`. */
bool ht_variable_fields(CXCursor variable, CXCursor use, CXCursor out_fields[3]);
/* What was assigned to an element of an array last ahead of `use`, when all that changes the array
 * are such assignments in one block with its declaration. */
bool ht_variable_element(CXCursor variable, CXCursor use, int64_t index, CXCursor *out_value);
/* Assignments to a variable, its updates and uses of its address, in the host function around it.
 */
unsigned ht_variable_writes(CXCursor variable);
/* The same inside of a statement, from an offset of its file on. */
unsigned ht_variable_writes_in(CXCursor scope, CXCursor variable, unsigned from);

#endif
