/* Runs one compiled configuration of a convolution template through a device's HIP table. */
#ifndef HT_TESTS_EXAMPLES_LIBRARY_RUN_H
#define HT_TESTS_EXAMPLES_LIBRARY_RUN_H

#include "conv_check.h"
#include "runtime/compile/compile.h"

/* Fills the inputs at random, launches as the annotations say and returns conv_worst_error. Every
 * buffer stands between guard words; a broken guard fails the test. */
double library_run(const ht_hip *hip, const ht_program *program, const ht_binding *binding,
                   const ht_config *config, const conv_shape *shape, ht_random *random);

#endif
