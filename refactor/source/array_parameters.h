/* Parameters of kernels that are written as arrays, `float in[]`, which the language has as
 * pointers: they are written as such, `float *in `, before the source is analysed. Private to
 * refactor/. */
#ifndef HT_REFACTOR_SOURCE_ARRAY_PARAMETERS_H
#define HT_REFACTOR_SOURCE_ARRAY_PARAMETERS_H

#include <stdbool.h>

/* Changes the text, which keeps its length and its lines. Returns true if there are any. */
bool ht_array_parameters_write(char *text);

#endif
