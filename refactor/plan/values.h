/* Lists of parameter values around a default. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_VALUES_H
#define HT_REFACTOR_PLAN_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns "8, 16, 24, 32": the candidates from `least` to `most`, with the default in its place;
 * free(). */
char *ht_values_around(const int64_t *candidates, int count, int64_t default_value, int64_t least,
                       int64_t most);

#endif
