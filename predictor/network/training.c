#include "predictor/network/training.h"

#include "base/clock.h"
#include "base/memory.h"
#include "predictor/layers/adam.h"
#include "predictor/layers/early_stopping.h"
#include "predictor/layers/schedule.h"
#include "predictor/network/network_float.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a shard: the cut of a batch does not depend on the thread count. Large enough for matrix
 * products, small enough for the cache and for several threads. */
enum { SHARD_ROWS = 64 };

typedef struct trainer {
    ht_network *network;
    const ht_training_settings *settings;
    const ht_training_watch *watch;
    size_t threads;
    ht_pass **passes; /* one for each thread */
    size_t shard_count;
    ht_real **gradients; /* one for each shard */
    double *losses;      /* of the shards */
    size_t *hits;
    ht_adam *adam;
    ht_schedule schedule;
    uint64_t steps; /* batches done */
    bool stopped;
} trainer;

ht_training_settings ht_training_defaults(const char *architecture) {
    bool transformer = strcmp(architecture, "transformer") == 0;
    return (ht_training_settings){.epochs = 20,
                                  .batch = 256,
                                  .rate = transformer ? 1e-3F : 2e-3F,
                                  .rate_end = 0.02F,
                                  .warmup = transformer ? 500 : 100,
                                  .clip = 5,
                                  .weight_decay = 0.01F,
                                  .smoothing = 0.02F,
                                  .averaging = 0.998F,
                                  .patience = 6,
                                  .threads = 0,
                                  .seed = 1};
}

static ht_status settings_check(const ht_network *network, const ht_examples *examples,
                                const ht_training_settings *settings, ht_error *error) {
    if (examples->count == 0)
        return ht_error_set(error, HT_ERROR_INPUT, "there are no examples to train on");
    if (memcmp(&examples->input, &network->core.input, sizeof examples->input) != 0 ||
        examples->output.total != network->core.output.total ||
        examples->output.steps != network->core.output.steps)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "the examples' shape is not that of the network");
    if (settings->batch == 0 || settings->batch > 65536)
        return ht_error_set(error, HT_ERROR_INPUT, "a batch has 1 to 65536 examples");
    if (!(settings->rate > 0) || settings->rate > 1)
        return ht_error_set(error, HT_ERROR_INPUT, "the learning rate must be above 0, at most 1");
    if (!(settings->smoothing >= 0 && settings->smoothing < 1) ||
        !(settings->averaging >= 0 && settings->averaging < 1) ||
        !(settings->token_dropout >= 0 && settings->token_dropout < 1))
        return ht_error_set(
            error, HT_ERROR_INPUT,
            "smoothing, averaging and the tokens' dropout must be at least 0 and below 1");
    return HT_OK;
}

static void trainer_start(trainer *trainer, ht_network *network, const ht_examples *train,
                          const ht_training_settings *settings, const ht_training_watch *watch) {
    size_t count = network->core.weight_count;
    size_t batches = (train->count + settings->batch - 1) / settings->batch;
    *trainer = (struct trainer){.network = network, .settings = settings, .watch = watch};
    trainer->shard_count = (settings->batch + SHARD_ROWS - 1) / SHARD_ROWS;
    trainer->threads = settings->threads ? settings->threads : (size_t)omp_get_max_threads();
    if (trainer->threads > trainer->shard_count)
        trainer->threads = trainer->shard_count;
    trainer->passes = ht_alloc(trainer->threads, sizeof *trainer->passes);
    for (size_t i = 0; i < trainer->threads; i++)
        trainer->passes[i] = ht_pass_new(&network->core, SHARD_ROWS);
    trainer->gradients = ht_alloc(trainer->shard_count, sizeof *trainer->gradients);
    for (size_t i = 0; i < trainer->shard_count; i++)
        trainer->gradients[i] = ht_alloc(count, sizeof **trainer->gradients);
    trainer->losses = ht_alloc(trainer->shard_count, sizeof *trainer->losses);
    trainer->hits = ht_alloc(trainer->shard_count, sizeof *trainer->hits);
    ht_adam_settings adam = ht_adam_defaults();
    adam.weight_decay = settings->weight_decay;
    adam.clip = settings->clip;
    adam.averaging = settings->averaging;
    adam.threads = (uint32_t)trainer->threads;
    trainer->adam = ht_adam_new(count, &adam);
    trainer->schedule = (ht_schedule){.rate = settings->rate,
                                      .end = settings->rate_end,
                                      .warmup = settings->warmup,
                                      .total = (uint64_t)batches * settings->epochs};
}

static void trainer_finish(trainer *trainer) {
    for (size_t i = 0; i < trainer->threads; i++)
        ht_pass_free(trainer->passes[i]);
    for (size_t i = 0; i < trainer->shard_count; i++)
        free(trainer->gradients[i]);
    free(trainer->passes);
    free(trainer->gradients);
    free(trainer->losses);
    free(trainer->hits);
    ht_adam_free(trainer->adam);
}

/* Runs the shards of `count` examples through the network; with gradients when `learn`. Returns the
 * loss, added up in the order of the shards. */
static double shards_run(trainer *trainer, const ht_examples *examples, const uint32_t *rows,
                         size_t count, const float *weights, bool learn, size_t *hits) {
    const ht_core *core = &trainer->network->core;
    const ht_training_settings *settings = trainer->settings;
    size_t shards = (count + SHARD_ROWS - 1) / SHARD_ROWS;
#pragma omp parallel for schedule(static, 1) num_threads(trainer->threads)
    for (size_t s = 0; s < shards; s++) {
        ht_pass *pass = trainer->passes[omp_get_thread_num()];
        size_t first = s * SHARD_ROWS, left = count - first;
        ht_shard shard = {.examples = examples,
                          .rows = rows + first,
                          .count = left < SHARD_ROWS ? left : SHARD_ROWS,
                          .smoothing = learn ? settings->smoothing : 0};
        pass->drop = (ht_pass_drop){.seed = settings->seed,
                                    .batch = trainer->steps,
                                    .shard = s,
                                    .rate = learn ? core->settings.dropout : 0,
                                    .token_rate = learn ? settings->token_dropout : 0};
        trainer->hits[s] = 0;
        if (learn)
            memset(trainer->gradients[s], 0, core->weight_count * sizeof **trainer->gradients);
        trainer->losses[s] = ht_core_learn(core, weights, pass, &shard,
                                           learn ? trainer->gradients[s] : NULL, &trainer->hits[s]);
    }
    double loss = 0;
    for (size_t s = 0; s < shards; s++) {
        loss += trainer->losses[s];
        *hits += trainer->hits[s];
    }
    return loss;
}

static double weight_sum(const ht_examples *examples, const uint32_t *rows, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += examples->weights ? examples->weights[rows[i]] : 1;
    return sum;
}

/* Shuffles as Fisher and Yates, by the epoch's own stream. */
static void shuffle(uint32_t *rows, size_t count, uint64_t seed, uint32_t epoch) {
    ht_random random;
    ht_random_stream(&random, seed, HT_STREAM_EPOCHS + epoch);
    for (size_t i = 0; i < count; i++)
        rows[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t j = ht_random_below(&random, i);
        uint32_t kept = rows[i - 1];
        rows[i - 1] = rows[j];
        rows[j] = kept;
    }
}

/* Trains one epoch; returns the mean loss of its examples. */
static double epoch_train(trainer *trainer, const ht_examples *train, uint32_t *rows,
                          uint32_t epoch) {
    const ht_training_settings *settings = trainer->settings;
    const ht_training_watch *watch = trainer->watch;
    size_t batches = (train->count + settings->batch - 1) / settings->batch, hits = 0;
    double loss = 0, total = 0;
    shuffle(rows, train->count, settings->seed, epoch);
    for (size_t b = 0; b < batches && !trainer->stopped; b++) {
        size_t first = b * settings->batch, left = train->count - first;
        size_t count = left < settings->batch ? left : settings->batch;
        size_t shards = (count + SHARD_ROWS - 1) / SHARD_ROWS;
        double sum = weight_sum(train, rows + first, count);
        double batch_loss =
            shards_run(trainer, train, rows + first, count, trainer->network->weights, true, &hits);
        double rate = ht_schedule_rate(&trainer->schedule, trainer->steps);
        if (sum > 0)
            ht_adam_step(trainer->adam, rate, (const ht_real *const *)trainer->gradients, shards,
                         (ht_real)(1 / sum), trainer->network->owned);
        trainer->steps++;
        loss += batch_loss;
        total += sum;
        if (watch && watch->batch)
            watch->batch(watch->context, epoch, b + 1, batches);
        if (watch && watch->stop && watch->stop(watch->context))
            trainer->stopped = true;
    }
    return total > 0 ? loss / total : 0;
}

/* Returns the weights that count: averaged ones where there are any. */
static const float *trained_weights(const trainer *trainer) {
    const float *average = ht_adam_average(trainer->adam);
    return average ? average : trainer->network->weights;
}

static void validate(trainer *trainer, const ht_examples *valid, ht_epoch *epoch) {
    size_t chunk = trainer->shard_count * SHARD_ROWS, hits = 0;
    uint32_t *rows = ht_alloc(valid->count + 1, sizeof *rows);
    double loss = 0;
    for (size_t i = 0; i < valid->count; i++)
        rows[i] = (uint32_t)i;
    for (size_t first = 0; first < valid->count; first += chunk) {
        size_t left = valid->count - first;
        loss += shards_run(trainer, valid, rows + first, left < chunk ? left : chunk,
                           trained_weights(trainer), false, &hits);
    }
    epoch->valid_loss = loss / weight_sum(valid, rows, valid->count);
    epoch->valid_accuracy = (double)hits / (double)(valid->count * valid->output.steps);
    free(rows);
}

static void epochs_run(trainer *trainer, const ht_examples *train, const ht_examples *valid) {
    const ht_training_settings *settings = trainer->settings;
    const ht_training_watch *watch = trainer->watch;
    ht_network *network = trainer->network;
    uint32_t *rows = ht_alloc(train->count, sizeof *rows);
    double start = ht_clock_seconds();
    ht_early_stopping stopping;
    ht_early_stopping_start(&stopping, network->core.weight_count, settings->patience);
    for (uint32_t e = 1; e <= settings->epochs && !trainer->stopped; e++) {
        ht_epoch epoch = {.epoch = e, .valid_loss = NAN, .valid_accuracy = NAN};
        epoch.train_loss = epoch_train(trainer, train, rows, e);
        epoch.rate = ht_schedule_rate(&trainer->schedule, trainer->steps ? trainer->steps - 1 : 0);
        if (valid) {
            validate(trainer, valid, &epoch);
            epoch.best =
                ht_early_stopping_look(&stopping, epoch.valid_loss, trained_weights(trainer));
        }
        epoch.seconds = ht_clock_seconds() - start;
        if (watch && watch->epoch)
            watch->epoch(watch->context, &epoch);
        if (valid && ht_early_stopping_done(&stopping))
            break;
    }
    const float *best = stopping.weights ? stopping.weights : trained_weights(trainer);
    if (best != network->owned)
        memcpy(network->owned, best, network->core.weight_count * sizeof *best);
    ht_early_stopping_free(&stopping);
    free(rows);
}

ht_status ht_network_train(ht_network *network, const ht_examples *train, const ht_examples *valid,
                           const ht_training_settings *settings, const ht_training_watch *watch,
                           ht_error *error) {
    if (valid && valid->count == 0)
        valid = NULL;
    ht_status status = settings_check(network, train, settings, error);
    if (!status && valid)
        status = settings_check(network, valid, settings, error);
    if (status)
        return status;
    if (!network->owned) {
        size_t size = network->core.weight_count * sizeof *network->owned;
        network->owned = ht_alloc(1, size);
        memcpy(network->owned, network->weights, size);
        network->weights = network->owned;
    }
    trainer trainer;
    trainer_start(&trainer, network, train, settings, watch);
    epochs_run(&trainer, train, valid);
    trainer_finish(&trainer);
    return HT_OK;
}
