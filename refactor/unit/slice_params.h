/* Macros that are parameters of an annotated kernel: their values come with -DNAME=value. Clang
 * reads the file with one value of each, so code for other values stays in the unit as its author
 * wrote it. */
#ifndef HT_REFACTOR_UNIT_SLICE_PARAMS_H
#define HT_REFACTOR_UNIT_SLICE_PARAMS_H

#include "refactor/unit/slice.h"

/* Finds the macros that are parameters, and the conditionals that they decide. */
void ht_slice_params(ht_slice *slice, const ht_template *template);
void ht_slice_params_free(ht_slice *slice);
/* Refuses code that depends on parameters in a way that a unit cannot have. */
void ht_slice_params_check(ht_slice *slice);
/* Returns the conditional that contains a place; NULL: none that parameters decide does. */
const ht_slice_conditional *ht_slice_conditional_at(const ht_slice *slice, size_t file,
                                                    size_t offset);
bool ht_slice_conditional_defines(const ht_slice *slice, const ht_slice_conditional *conditional,
                                  const char *name);
/* Marks code for other values of the parameters as needed. Returns true if some was not marked
 * before. */
bool ht_slice_unseen(ht_slice *slice);
/* Prints a directive line. The definition of a parameter holds only without one on the compiler's
 * command line. */
void ht_slice_directive_print(const ht_slice *slice, size_t file, ht_range range, ht_text *out);
/* Prints the directives of a conditional. */
void ht_slice_conditional_print(const ht_slice *slice, const ht_slice_conditional *conditional,
                                ht_text *out);

#endif
