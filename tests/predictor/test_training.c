/* Training: the lessons learned, and that the result depends on nothing but its inputs. */
#include "predictor/network/training.h"
#include "toy.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ht_network *network_small(const char *architecture, const ht_examples *examples) {
    ht_network_settings settings;
    ht_error error;
    cr_assert_eq(ht_network_defaults(architecture, &settings, &error), HT_OK);
    settings.hidden = 32;
    settings.embedding = strcmp(architecture, "transformer") == 0 ? 32 : 16;
    settings.dropout = 0;
    ht_network *network = NULL;
    cr_assert_eq(
        ht_network_create(&settings, &examples->input, &examples->output, 5, &network, &error),
        HT_OK, "%s", error.message);
    return network;
}

static ht_training_settings quick(const char *architecture) {
    ht_training_settings settings = ht_training_defaults(architecture);
    settings.epochs = 8;
    settings.batch = 128;
    settings.rate = 1e-2F;
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
    ht_examples train = toy_function(3500, 1), valid = toy_function(500, 2);
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

/* Returns the weights after a short training. */
static float *trained(const char *architecture, uint64_t seed, uint32_t threads,
                      size_t *out_count) {
    ht_examples train = toy_random(700, true, 4), valid = toy_random(100, true, 9);
    ht_network *network = network_small(architecture, &train);
    ht_training_settings settings = ht_training_defaults(architecture);
    settings.epochs = 2;
    settings.seed = seed;
    settings.threads = threads;
    ht_error error;
    cr_assert_eq(ht_network_train(network, &train, &valid, &settings, NULL, &error), HT_OK);
    *out_count = ht_network_weight_count(network);
    float *weights = malloc(*out_count * sizeof *weights);
    memcpy(weights, ht_network_weights(network), *out_count * sizeof *weights);
    ht_network_free(network);
    ht_examples_free(&train);
    ht_examples_free(&valid);
    return weights;
}

Test(training, result_depends_on_seed_not_on_threads) {
    for (const char *const *name = ht_network_architectures(); *name; name++) {
        size_t count = 0;
        float *first = trained(*name, 1, 1, &count);
        for (uint32_t threads = 1; threads <= 3; threads++) {
            float *again = trained(*name, 1, threads, &count);
            cr_expect(memcmp(first, again, count * sizeof *first) == 0, "%s, %u threads", *name,
                      threads);
            free(again);
        }
        float *other = trained(*name, 2, 2, &count);
        cr_expect(memcmp(first, other, count * sizeof *first) != 0, "%s: the seed", *name);
        free(other);
        free(first);
    }
}

typedef struct stopper {
    size_t batches, stop_after;
    uint32_t epochs;
} stopper;

static void count_epoch(void *context, const ht_epoch *epoch) {
    (void)epoch;
    ((stopper *)context)->epochs++;
}

static void count_batch(void *context, uint32_t epoch, size_t done, size_t count) {
    (void)epoch;
    cr_assert_leq(done, count);
    ((stopper *)context)->batches++;
}

static bool stop_then(void *context) {
    const stopper *stopper = context;
    return stopper->batches >= stopper->stop_after;
}

static double loss_over(ht_network *network, const ht_examples *examples) {
    ht_training_settings settings = ht_training_defaults("basic");
    settings.epochs = 1;
    settings.rate = 1e-30F; /* changes nothing that a float can hold */
    settings.weight_decay = 0;
    settings.averaging = 0;
    ht_epoch last = {0};
    ht_training_watch watch = {.context = &last, .epoch = last_epoch};
    ht_error error;
    cr_assert_eq(ht_network_train(network, examples, examples, &settings, &watch, &error), HT_OK);
    return last.valid_loss;
}

Test(training, stop_keeps_what_was_learned) {
    ht_examples train = toy_function(2000, 1), valid = toy_function(300, 2);
    ht_network *network = network_small("basic", &train);
    double before = loss_over(network, &valid);
    ht_training_settings settings = quick("basic");
    stopper stopper = {.stop_after = 40}; /* in the middle of the third epoch */
    ht_training_watch watch = {
        .context = &stopper, .epoch = count_epoch, .batch = count_batch, .stop = stop_then};
    ht_error error;
    cr_assert_eq(ht_network_train(network, &train, &valid, &settings, &watch, &error), HT_OK);
    cr_expect_eq(stopper.batches, 40);
    cr_expect_eq(stopper.epochs, 3);
    cr_expect_lt(loss_over(network, &valid), before);
    ht_network_free(network);
    ht_examples_free(&train);
    ht_examples_free(&valid);
}

Test(training, early_stopping_keeps_the_best_weights) {
    /* Labels that follow from nothing: only overfitting can be learned. */
    ht_examples train = toy_random(200, false, 4), valid = toy_random(200, false, 9);
    ht_network *network = network_small("attention", &train);
    ht_training_settings settings = quick("attention");
    settings.epochs = 40;
    settings.patience = 3;
    settings.averaging = 0;
    stopper stopper = {.stop_after = SIZE_MAX};
    ht_training_watch watch = {.context = &stopper, .epoch = count_epoch};
    ht_error error;
    cr_assert_eq(ht_network_train(network, &train, &valid, &settings, &watch, &error), HT_OK);
    cr_expect_lt(stopper.epochs, 40);
    /* Better than certain and wrong: about the entropy of the labels. */
    cr_expect_lt(loss_over(network, &valid), 1.25 * (log(3) + log(5)));
    ht_network_free(network);
    ht_examples_free(&train);
    ht_examples_free(&valid);
}

Test(training, a_soft_target_is_learned_as_a_distribution) {
    ht_examples train = toy_random(64, true, 4);
    for (size_t r = 0; r < train.count; r++)
        for (uint32_t v = 0; v < train.output.total; v++) {
            static const float wanted[] = {0.2F, 0.3F, 0.5F, 1, 0.1F, 0.1F, 0.2F, 0.2F, 0.4F};
            train.allowed[r * train.output.total + v] = 1;
            train.soft[r * train.output.total + v] = wanted[v];
        }
    ht_network *network = network_small("hybrid", &train);
    ht_training_settings settings = quick("hybrid");
    settings.epochs = 120;
    settings.batch = 64;
    ht_error error;
    cr_assert_eq(ht_network_train(network, &train, NULL, &settings, NULL, &error), HT_OK);
    ht_decoder *decoder = ht_decoder_new(network, 1);
    ht_decoder_start(decoder, train.ids, train.features);
    float logits[3];
    ht_decoder_step(decoder, 1, NULL, NULL, logits);
    double sum = exp(logits[0]) + exp(logits[1]) + exp(logits[2]);
    cr_expect_float_eq(exp(logits[0]) / sum, 0.2, 0.03);
    cr_expect_float_eq(exp(logits[1]) / sum, 0.3, 0.03);
    ht_decoder_free(decoder);
    ht_network_free(network);
    ht_examples_free(&train);
}

Test(network, settings_and_weights_are_checked) {
    ht_network_settings settings;
    ht_error error;
    cr_assert_eq(ht_network_defaults("nonsense", &settings, &error), HT_ERROR_INPUT);
    cr_expect_not_null(strstr(error.message, "hybrid"));
    ht_examples examples = toy_random(1, false, 1);
    cr_assert_eq(ht_network_defaults("hybrid", &settings, &error), HT_OK);
    ht_network *network = NULL, *again = NULL;
    cr_assert_eq(
        ht_network_create(&settings, &examples.input, &examples.output, 1, &network, &error),
        HT_OK);
    size_t count = ht_network_weight_count(network);
    cr_expect_eq(ht_network_open(&settings, &examples.input, &examples.output,
                                 ht_network_weights(network), count - 1, &again, &error),
                 HT_ERROR_INPUT);
    cr_expect_eq(ht_network_open(&settings, &examples.input, &examples.output,
                                 ht_network_weights(network), count, &again, &error),
                 HT_OK);
    cr_expect_eq(ht_network_weights(again), ht_network_weights(network));
    ht_network_free(again);
    ht_network_free(network);
    settings.hidden = 100;
    cr_expect_eq(
        ht_network_create(&settings, &examples.input, &examples.output, 1, &network, &error),
        HT_ERROR_INPUT);
    ht_examples_free(&examples);
}
