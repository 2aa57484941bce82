/* Float64 twins of a unit, for references: the same kernels with every `float` replaced by a wider
 * number.
 *
 * HT_NUMBERS_TRACKED replaces it by a pair (value, size), where size follows the sum of absolute
 * products: |a| |b| for a product, the sum of both sizes for a sum or difference. One run gives the
 * float64 result and the scale of its rounding errors. HT_NUMBERS_DOUBLE replaces it by double and
 * accepts more kernels. A twin that does not compile, or that disagrees with the original, is not
 * used. */
#ifndef HT_RUNTIME_REFERENCE_TWIN_H
#define HT_RUNTIME_REFERENCE_TWIN_H

#include "runtime/buffers/layout.h"

/* The twin's text: the definitions go after the last #include, so that no header is read in other
 * numbers. free(). */
char *ht_twin_unit(const char *unit, ht_numbers numbers);

#endif
