#include "predictor/schema/shape.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void ht_output_shape_finish(ht_output_shape *shape) {
    shape->total = 0;
    for (uint32_t t = 0; t < shape->steps; t++) {
        shape->first[t] = shape->total;
        shape->total += shape->values[t];
    }
}

/* Copies rows of `width` bytes; NULL stays NULL. */
static void *rows_copy(const void *all, size_t width, const uint32_t *rows, size_t count) {
    if (!all)
        return NULL;
    char *copy = ht_alloc(count + 1, width);
    for (size_t i = 0; i < count; i++)
        memcpy(copy + i * width, (const char *)all + rows[i] * width, width);
    return copy;
}

void ht_examples_pick(const ht_examples *examples, const uint32_t *rows, size_t count,
                      ht_examples *out_examples) {
    const ht_input_shape *input = &examples->input;
    const ht_output_shape *output = &examples->output;
    *out_examples = (ht_examples){.input = *input, .output = *output, .count = count};
    size_t places = input->positions;
    uint32_t *inputs = rows_copy(examples->inputs, sizeof(uint32_t), rows, count);
    const uint32_t *from = inputs ? inputs : rows;
    out_examples->ids =
        rows_copy(examples->ids, places * input->ids * sizeof(uint32_t), from, count);
    out_examples->features =
        rows_copy(examples->features, places * input->features * sizeof(float), from, count);
    free(inputs);
    out_examples->targets =
        rows_copy(examples->targets, output->steps * sizeof(uint16_t), rows, count);
    out_examples->allowed = rows_copy(examples->allowed, output->total, rows, count);
    out_examples->soft = rows_copy(examples->soft, output->total * sizeof(float), rows, count);
    out_examples->weights = rows_copy(examples->weights, sizeof(float), rows, count);
    out_examples->groups = rows_copy(examples->groups, sizeof(uint64_t), rows, count);
}

void ht_examples_free(ht_examples *examples) {
    free(examples->ids);
    free(examples->features);
    free(examples->inputs);
    free(examples->targets);
    free(examples->allowed);
    free(examples->soft);
    free(examples->weights);
    free(examples->groups);
    *examples = (ht_examples){0};
}
