#include "toy.h"

#include "base/memory.h"
#include "base/random.h"

static void labels_random(ht_examples *examples, ht_random *random) {
    const ht_output_shape *output = &examples->output;
    for (size_t r = 0; r < examples->count; r++)
        for (uint32_t t = 0; t < output->steps; t++)
            examples->targets[r * output->steps + t] =
                (uint16_t)ht_random_below(random, output->values[t]);
}

/* Draws masks in which the target is allowed, distributions over all values, weights. */
static void extras_random(ht_examples *examples, ht_random *random) {
    const ht_output_shape *output = &examples->output;
    examples->allowed = ht_alloc(examples->count * output->total, 1);
    examples->soft = ht_alloc(examples->count * output->total, sizeof *examples->soft);
    examples->weights = ht_alloc(examples->count, sizeof *examples->weights);
    for (size_t r = 0; r < examples->count; r++) {
        examples->weights[r] = (float)(0.25 + ht_random_unit(random));
        for (uint32_t t = 0; t < output->steps; t++) {
            uint8_t *allowed = examples->allowed + r * output->total + output->first[t];
            float *soft = examples->soft + r * output->total + output->first[t], sum = 0;
            for (uint32_t v = 0; v < output->values[t]; v++) {
                allowed[v] = ht_random_below(random, 3) != 0;
                soft[v] = (float)ht_random_unit(random);
                sum += soft[v];
            }
            allowed[examples->targets[r * output->steps + t]] = 1;
            for (uint32_t v = 0; v < output->values[t]; v++)
                soft[v] /= sum;
        }
    }
}

static ht_examples empty(size_t count, ht_input_shape input, ht_output_shape output) {
    ht_examples examples = {.input = input, .output = output, .count = count};
    ht_output_shape_finish(&examples.output);
    size_t places = count * input.positions;
    examples.ids = ht_alloc(places * input.ids + 1, sizeof *examples.ids);
    if (input.features)
        examples.features = ht_alloc(places * input.features, sizeof *examples.features);
    examples.targets = ht_alloc(count * output.steps, sizeof *examples.targets);
    examples.groups = ht_alloc(count, sizeof *examples.groups);
    for (size_t r = 0; r < count; r++)
        examples.groups[r] = r;
    return examples;
}

ht_examples toy_random(size_t count, bool extras, uint64_t seed) {
    ht_examples examples =
        empty(count, (ht_input_shape){.positions = 5, .ids = 3, .vocabulary = 12, .features = 2},
              (ht_output_shape){.steps = 3, .values = {3, 1, 5}});
    ht_random random;
    ht_random_seed(&random, seed);
    for (size_t i = 0; i < count * 5 * 3; i++)
        examples.ids[i] = (uint32_t)ht_random_below(&random, 12);
    for (size_t i = 0; i < count * 5 * 2; i++)
        examples.features[i] = (float)(2 * ht_random_unit(&random) - 1);
    labels_random(&examples, &random);
    if (extras)
        extras_random(&examples, &random);
    return examples;
}

ht_examples toy_function(size_t count, uint64_t seed) {
    enum { FIELDS = 4, STEPS = 3 };
    ht_examples examples =
        empty(count,
              (ht_input_shape){
                  .positions = FIELDS, .ids = 1, .vocabulary = 1 + 8 * FIELDS, .features = 1},
              (ht_output_shape){.steps = STEPS, .values = {4, 5, 3}});
    ht_random random;
    ht_random_seed(&random, seed);
    const ht_output_shape *output = &examples.output;
    examples.allowed = ht_alloc(count * output->total, 1);
    for (size_t r = 0; r < count; r++) {
        uint32_t field[FIELDS];
        for (uint32_t p = 0; p < FIELDS; p++) {
            field[p] = (uint32_t)ht_random_below(&random, 8);
            examples.ids[r * FIELDS + p] = 1 + 8 * p + field[p];
            examples.features[r * FIELDS + p] = (float)field[p] / 8;
        }
        uint16_t *target = examples.targets + r * STEPS;
        uint8_t *allowed = examples.allowed + r * output->total;
        for (uint32_t v = 0; v < output->total; v++)
            allowed[v] = 1;
        target[0] = (uint16_t)(field[0] / 2);
        /* The larger of two fields, cut to what the third allows. */
        uint32_t most = 1 + field[2] / 2, wish = field[1] > field[3] ? field[1] : field[3];
        wish = wish / 2 + (target[0] & 1);
        target[1] = (uint16_t)(wish < most ? wish : most);
        for (uint32_t v = most + 1; v < output->values[1]; v++)
            allowed[output->first[1] + v] = 0;
        target[2] = (uint16_t)((target[1] + (field[3] > 3)) % 3);
    }
    return examples;
}
