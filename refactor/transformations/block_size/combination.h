/* Loops that combine values in a variable: v += x, v = fmaxf(v, x). Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_COMBINATION_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_COMBINATION_H

#include "refactor/transformations/block_size/lanes.h"

/* Returns how each iteration of a loop combines a value with the variable, which the loop uses for
 * nothing else. */
ht_combine ht_combination_in(const ht_syntax *loop, size_t variable);

#endif
