/* A layer under test: named inputs (weights too) with random values and room for gradients, and one
 * output. The scalar whose gradient is checked is the output's product with fixed random numbers.
 */
#ifndef HT_TESTS_LAYER_CASE_H
#define HT_TESTS_LAYER_CASE_H

#include "base/random.h"
#include "predictor/math/blas.h"

#include <stddef.h>

enum { LAYER_CASE_INPUTS = 8, LAYER_CASE_BUFFERS = 16 };

typedef struct layer_input {
    const char *name;
    size_t count;
    ht_real *values, *gradient;
} layer_input;

typedef struct layer_case {
    ht_random random;
    layer_input inputs[LAYER_CASE_INPUTS];
    size_t input_count;
    ht_real *output, *grad_output;
    size_t output_count;
    ht_real *buffers[LAYER_CASE_BUFFERS]; /* freed at the end */
    size_t buffer_count;
} layer_case;

void layer_case_start(layer_case *layer_case, uint64_t seed);
void layer_case_end(layer_case *layer_case);
/* Uniform in [-limit, limit). The pointers stay valid. */
layer_input layer_case_input(layer_case *layer_case, const char *name, size_t count, double limit);
ht_real *layer_case_output(layer_case *layer_case, size_t count);
/* Filled with a number that would show. */
ht_real *layer_case_buffer(layer_case *layer_case, size_t count);
/* `forward` writes the output from the inputs; `backward`, called after it, adds the gradients for
 * grad_output to those of the inputs. Compared with central differences, to a relative error of
 * 1e-6. */
void layer_case_check(layer_case *layer_case, void (*forward)(void *), void (*backward)(void *),
                      void *context);

#endif
