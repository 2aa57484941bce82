/* Returns whether loops that stride by the block go over the same iterations, and access the same
 * elements in them. Private to the files of this folder. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_SAME_PLACE_H
#define HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_SAME_PLACE_H

#include "refactor/transformations/stride_vector/widening.h"

/* Returns true if two loops, statements of the kernel's body, deal out the same iterations to the
 * same threads. */
bool ht_same_iterations(const ht_widening *a, const ht_widening *b);
/* Returns true if an expression of one loop has the value that another has in the same iteration of
 * the other loop: it is made of their counters and of what nothing changes. */
bool ht_same_value(const ht_widening *in_a, const ht_syntax *a, const ht_widening *in_b,
                   const ht_syntax *b);

#endif
