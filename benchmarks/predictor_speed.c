/* The cost of networks, by architecture: milliseconds to answer one problem with a beam (the
 * networks' part of it: docs/constrained-beam.md has the rest), and examples learned a second, on
 * one thread. Made-up problems of the size of the perf-db kernels; the weights do not matter for
 * speed. Times are CPU time, so that other work on the machine disturbs less.
 *
 *   predictor_speed [HIDDEN [EMBEDDING [POSITIONS]]] */
#include "base/blas.h"
#include "base/memory.h"
#include "base/random.h"
#include "predictor/network/training.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BEAM = 10, STEPS = 9, VALUES = 8, PROBLEMS = 200, EXAMPLES = 2048, IDS = 16, FEATURES = 16 };

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ht_examples examples_make(uint32_t positions) {
    ht_examples examples = {
        .input = {.positions = positions, .ids = IDS, .vocabulary = 1000, .features = FEATURES},
        .output = {.steps = STEPS},
        .count = EXAMPLES};
    ht_random random;
    ht_random_seed(&random, 1);
    for (uint32_t t = 0; t < STEPS; t++)
        examples.output.values[t] = VALUES;
    ht_output_shape_finish(&examples.output);
    size_t places = (size_t)EXAMPLES * positions;
    examples.ids = ht_alloc(places * IDS, sizeof *examples.ids);
    examples.features = ht_alloc(places * FEATURES, sizeof *examples.features);
    examples.targets = ht_alloc((size_t)EXAMPLES * STEPS, sizeof *examples.targets);
    examples.groups = ht_alloc(EXAMPLES, sizeof *examples.groups);
    for (size_t i = 0; i < places * IDS; i++)
        examples.ids[i] = (uint32_t)ht_random_below(&random, examples.input.vocabulary);
    for (size_t i = 0; i < places * FEATURES; i++)
        examples.features[i] = (float)ht_random_unit(&random);
    for (size_t i = 0; i < (size_t)EXAMPLES * STEPS; i++)
        examples.targets[i] = (uint16_t)ht_random_below(&random, VALUES);
    return examples;
}

static double answer_ms(const ht_network *network, const ht_examples *examples) {
    ht_decoder *decoder = ht_decoder_new(network, BEAM);
    uint32_t parents[BEAM], positions = examples->input.positions;
    uint16_t tokens[BEAM];
    float logits[BEAM * VALUES];
    for (uint32_t r = 0; r < BEAM; r++) {
        parents[r] = (r * 3) % BEAM;
        tokens[r] = (uint16_t)(r % VALUES);
    }
    double start = cpu_seconds();
    for (size_t i = 0; i < PROBLEMS; i++) {
        ht_decoder_start(decoder, examples->ids + i * positions * IDS,
                         examples->features + i * positions * FEATURES);
        for (uint32_t t = 0; t < STEPS; t++) {
            uint32_t zeros[BEAM] = {0};
            ht_decoder_step(decoder, t ? BEAM : 1, t > 1 ? parents : zeros, tokens, logits);
        }
    }
    double seconds = cpu_seconds() - start;
    ht_decoder_free(decoder);
    return 1000 * seconds / PROBLEMS;
}

static double examples_per_second(ht_network *network, const ht_examples *examples) {
    ht_training_settings settings =
        ht_training_defaults(ht_network_settings_of(network)->architecture);
    settings.epochs = 1;
    settings.threads = 1;
    double start = cpu_seconds();
    ht_network_train(network, examples, NULL, &settings, NULL, NULL);
    return EXAMPLES / (cpu_seconds() - start);
}

int main(int argc, char **argv) {
    uint32_t positions = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 14;
    ht_examples examples = examples_make(positions ? positions : 14);
    ht_blas_info blas;
    ht_blas_describe(&blas);
    printf("%s; %u positions, %d steps, beam %d\n", blas.text, examples.input.positions, STEPS,
           BEAM);
    printf("%-12s %9s %7s %9s %14s %12s\n", "architecture", "embedding", "hidden", "weights",
           "ms a problem", "examples/s");
    for (const char *const *name = ht_network_architectures(); *name; name++) {
        ht_network_settings settings;
        ht_network *network = NULL;
        ht_error error;
        if (ht_network_defaults(*name, &settings, &error))
            return 1;
        if (argc > 1)
            settings.hidden = (uint32_t)strtoul(argv[1], NULL, 10);
        if (argc > 2)
            settings.embedding = (uint32_t)strtoul(argv[2], NULL, 10);
        if (strcmp(*name, "transformer") == 0)
            settings.embedding = settings.hidden;
        if (ht_network_create(&settings, &examples.input, &examples.output, 1, &network, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 2;
        }
        answer_ms(network, &examples); /* the caches get warm */
        double ms = answer_ms(network, &examples);
        printf("%-12s %9u %7u %9zu %14.3f %12.0f\n", *name, settings.embedding, settings.hidden,
               ht_network_weight_count(network), ms, examples_per_second(network, &examples));
        ht_network_free(network);
    }
    ht_examples_free(&examples);
    return 0;
}
