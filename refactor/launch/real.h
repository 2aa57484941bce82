/* Real numbers on the way to a launch's integers. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_REAL_H
#define HT_REFACTOR_LAUNCH_REAL_H

#include "refactor/source/libclang.h"

#include <stdbool.h>

/* Strips casts and multiplications by one from the operands of a float division below ceil(), down
 * to the integers. */
CXCursor ht_real_strip(CXCursor cursor);
/* Returns true for an expression of type float or double. */
bool ht_real_is(CXCursor cursor);

#endif
