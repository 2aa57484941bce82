/* Training: what is learned, and that the result depends on nothing but what it should. */
#include "predictor/training.h"
#include "toy.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static ht_network *network_small(const char *architecture, const ht_examples *examples) {
    ht_network_settings settings;
    ht_error error;
    cr_assert_eq(ht_network_defaults(architecture, &settings, &error), HT_OK);
    settings.hidden = 64;
    settings.embedding = strcmp(architecture, "transformer") == 0 ? 64 : 32;
    settings.dropout = 0;
    ht_network *network = NULL;
    cr_assert_eq(ht_network_create(&settings, &examples->input, &examples->output, 5, &network,
                                   &error),
                 HT_OK, "%s", error.message);
    return network;
}

static ht_training_settings quick(const char *architecture) {
    ht_training_settings settings = ht_training_defaults(architecture);
    settings.epochs = 8;
    settings.batch = 128;
    settings.rate = 5e-3F;
    settings.warmup = 20;
    settings.smoothing = 0;
    settings.averaging = 0.98F;
    settings.threads = 1;
    return settings;
}

static void last_epoch(void *context, const ht_epoch *epoch) {
    *(ht_epoch *)context = *epoch;
}

Test(training, learns_a_function) {
    ht_examples train = toy_function(6000, 1), valid = toy_function(500, 2);
    for (const char *const *name = ht_network_architectures(); *name; name++) {
        ht_network *network = network_small(*name, &train);
        ht_training_settings settings = quick(*name);
        ht_epoch last = {0};
        ht_training_watch watch = {.context = &last, .epoch = last_epoch};
        ht_error error;
        cr_assert_eq(ht_network_train(network, &train, &valid, &settings, &watch, &error), HT_OK);
        cr_expect_gt(last.valid_accuracy, 0.99, "%s: %g", *name, last.valid_accuracy);
        ht_network_free(network);
    }
    ht_examples_free(&train);
    ht_examples_free(&valid);
}
