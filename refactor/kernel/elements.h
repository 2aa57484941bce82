/* Element types of which one access can load or store several. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_ELEMENTS_H
#define HT_REFACTOR_KERNEL_ELEMENTS_H

#include "refactor/kernel/syntax.h"

/* Returns why one access cannot copy several values of the expression's type; NULL: it can.
 * Static. */
const char *ht_element_unfit(const ht_syntax *element);
/* Returns the same for the elements that a pointer parameter points to. */
const char *ht_elements_unfit(const ht_parameter *array);

#endif
