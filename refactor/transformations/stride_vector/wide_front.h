/* Declarations at the begin of a kernel's body that serve all of its loops with elements in one
 * access: the type of several elements, and where their whole turns end. Private to the files of
 * this folder. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_WIDE_FRONT_H
#define HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_WIDE_FRONT_H

#include "refactor/transformations/stride_vector/widening.h"

/* Returns true if the body declares types, of which one may be an element's. */
bool ht_wide_has_types(const ht_model *model);
/* Adds them to the plan, and notes in the loops what is declared there. `ends_apart` is known. */
void ht_wide_front(const ht_model *model, ht_plan *plan, ht_widening *loops, size_t count);

#endif
