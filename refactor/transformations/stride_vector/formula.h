/* The statements of an iteration as a function of its elements: where they are a formula, an
 * applied source has it once, for the loop over whole turns and the one over the end of a row.
 * Private to the files of this folder. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_FORMULA_H
#define HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_FORMULA_H

#include "refactor/transformations/stride_vector/widening.h"

/* A parameter of the function. */
typedef struct ht_formula_value {
    const char *name;
    char *type;            /* text that a name can follow; owned */
    const ht_syntax *node; /* what is passed: an element, or a conversion of one; a name */
    bool declared;         /* the author's declaration of that name stays ahead of the call */
    bool element;          /* it is of an element */
} ht_formula_value;

struct ht_formula {
    const char *name; /* of the function */
    ht_formula_value *values;
    size_t count;
    size_t first;           /* of the statements in the function; those ahead stay in the loop */
    const ht_syntax *store; /* the last one: the assignment of the formula's value */
};

/* Reads the loop's statements. NULL: they are no formula, or one that is too small for a function
 * of its own. Release with ht_formula_free. */
struct ht_formula *ht_formula_read(const ht_widening *in);
void ht_formula_free(struct ht_formula *formula);

#endif
