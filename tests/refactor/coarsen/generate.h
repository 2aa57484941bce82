/* Random kernels that coarsen-x must take: guards, loops, conditions, jumps, arrays and pointers in
 * any mixture. */
#ifndef HT_TESTS_COARSEN_GENERATE_H
#define HT_TESTS_COARSEN_GENERATE_H

#include "base/random.h"
#include "base/text.h"

/* Appends `__global__ void NAME(...)` and its launcher run_NAME. */
void generate_kernel(ht_random *random, const char *name, ht_text *out);

/* Returns a source with `count` kernels, from random0 on. free(). */
char *generate_source(uint64_t seed, int count);

/* Returns how many random kernels a suite tries: 12, or as many as $HT_TEST_KERNELS says. The deep
 * suites try 30. */
int random_kernel_count(void);

#endif
