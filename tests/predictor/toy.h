/* Small made-up examples for the tests of networks and training. */
#ifndef HT_TESTS_PREDICTOR_TOY_H
#define HT_TESTS_PREDICTOR_TOY_H

#include "predictor/schema/shape.h"

#include <stdbool.h>

/* Random inputs and labels; with `extras` also masks, soft targets and weights. */
ht_examples toy_random(size_t count, bool extras, uint64_t seed);
/* A function to learn: 4 fields with values 0 to 7 (identifiers) and a few numbers (features), 3
 * parameters with 4, 5 and 3 values that follow from them and from the parameters before. The mask
 * is such that what is not allowed is sometimes right but for it. */
ht_examples toy_function(size_t count, uint64_t seed);

#endif
