/* Finds what only the annotations name: types of parameters and arguments, and template
 * arguments. */
#ifndef HT_REFACTOR_UNIT_SLICE_NAMED_H
#define HT_REFACTOR_UNIT_SLICE_NAMED_H

#include "refactor/unit/slice.h"

/* Marks names in a template's annotations as needed. Call it before the closure is computed. */
void ht_slice_named(ht_slice *slice, const ht_template *template);
/* Marks the types that a template argument names as needed, likewise. */
void ht_slice_type_text(ht_slice *slice, const char *text);

#endif
