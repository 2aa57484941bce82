#include "layer_case.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

/* The content of a gradient before it is added to. */
static const ht_real before = (ht_real)0.25;

void layer_case_start(layer_case *layer_case, uint64_t seed) {
    layer_case->input_count = layer_case->buffer_count = layer_case->output_count = 0;
    ht_random_seed(&layer_case->random, seed);
}

void layer_case_end(layer_case *layer_case) {
    for (size_t i = 0; i < layer_case->buffer_count; ++i)
        free(layer_case->buffers[i]);
}

static ht_real uniform(layer_case *layer_case, double limit) {
    return (ht_real)(limit * (2 * ht_random_unit(&layer_case->random) - 1));
}

ht_real *layer_case_buffer(layer_case *layer_case, size_t count) {
    cr_assert_lt(layer_case->buffer_count, (size_t)LAYER_CASE_BUFFERS);
    ht_real *buffer = ht_alloc(count + 1, sizeof *buffer);
    for (size_t i = 0; i < count; ++i)
        buffer[i] = (ht_real)-77.5;
    layer_case->buffers[layer_case->buffer_count++] = buffer;
    return buffer;
}

layer_input layer_case_input(layer_case *layer_case, const char *name, size_t count, double limit) {
    cr_assert_lt(layer_case->input_count, (size_t)LAYER_CASE_INPUTS);
    layer_input input = {.name = name, .count = count};
    input.values = layer_case_buffer(layer_case, count);
    input.gradient = layer_case_buffer(layer_case, count);
    for (size_t i = 0; i < count; ++i)
        input.values[i] = uniform(layer_case, limit);
    layer_case->inputs[layer_case->input_count++] = input;
    return input;
}

ht_real *layer_case_output(layer_case *layer_case, size_t count) {
    layer_case->output_count = count;
    layer_case->output = layer_case_buffer(layer_case, count);
    layer_case->grad_output = layer_case_buffer(layer_case, count);
    for (size_t i = 0; i < count; ++i)
        layer_case->grad_output[i] = uniform(layer_case, 1);
    return layer_case->output;
}

static double scalar(const layer_case *layer_case) {
    double sum = 0;
    for (size_t i = 0; i < layer_case->output_count; ++i)
        sum += (double)(layer_case->output[i] * layer_case->grad_output[i]);
    return sum;
}

/* Returns the slope by the central difference of fourth order. */
static double slope(const layer_case *layer_case, ht_real *value, void (*forward)(void *),
                    void *context) {
    const double step = 1e-3, kept = (double)*value;
    double sums[4];
    static const double at[4] = {-2, -1, 1, 2};
    for (int i = 0; i < 4; ++i) {
        *value = (ht_real)(kept + at[i] * step);
        forward(context);
        sums[i] = scalar(layer_case);
    }
    *value = (ht_real)kept;
    return (8 * (sums[2] - sums[1]) - (sums[3] - sums[0])) / (12 * step);
}

static void check_input(layer_case *layer_case, const layer_input *input, void (*forward)(void *),
                        void *context) {
    /* All of a small array, a sample of a large one. */
    const size_t stride = input->count > 300 ? input->count / 150 : 1;
    for (size_t i = 0; i < input->count; i += stride) {
        const double wanted = slope(layer_case, &input->values[i], forward, context);
        const double found = (double)(input->gradient[i] - before);
        cr_assert_lt(fabs(found - wanted), 1e-6 * fmax(fabs(wanted), fabs(found)) + 1e-10,
                     "%s[%zu]: %.12g, by differences %.12g", input->name, i, found, wanted);
    }
}

void layer_case_check(layer_case *layer_case, void (*forward)(void *), void (*backward)(void *),
                      void *context) {
    for (size_t k = 0; k < layer_case->input_count; ++k)
        for (size_t i = 0; i < layer_case->inputs[k].count; ++i)
            layer_case->inputs[k].gradient[i] = before;
    forward(context);
    backward(context);
    for (size_t k = 0; k < layer_case->input_count; ++k)
        check_input(layer_case, &layer_case->inputs[k], forward, context);
}
