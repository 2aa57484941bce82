/* The function that a formula is, as text. Private to the files of this folder. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_FORMULA_TEXT_H
#define HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_FORMULA_TEXT_H

#include "refactor/transformations/stride_vector/widening.h"

/* Returns the function's text, without the indentation of the kernel; free(). */
char *ht_formula_function(const ht_widening *in);

#endif
