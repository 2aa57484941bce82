/* Maxima and minima that are written as choices: a > b ? a : b, and if (a > b) b = a. Private to
 * refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_CHOICE_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_CHOICE_H

#include "refactor/transformations/block_size/lanes.h"

typedef struct ht_choice {
    ht_combine op;           /* HT_COMBINE_MAX or HT_COMBINE_MIN */
    const ht_syntax *a, *b;  /* of these two, which are compared */
    const ht_syntax *target; /* an `if` sets this one of them; NULL: it is an expression */
} ht_choice;

/* Reads a CONDITIONAL or an IF. Returns false if it is another choice. */
bool ht_choice_read(const ht_syntax *node, ht_choice *out);

#endif
