/* Faults that change nothing, and why: so written rules for texts that templates have, and a list
 * of places in kernels. Each was looked at by hand. */
#ifndef HT_TESTS_REFACTOR_EQUIVALENTS_H
#define HT_TESTS_REFACTOR_EQUIVALENTS_H

#include "faults.h"

/* Why a fault that nothing catches changes nothing; NULL: it should be caught. `body`: where the
 * kernel's begins. */
const char *equivalent_reason(const char *kernel, const char *unit, size_t body, const fault *item);

#endif
