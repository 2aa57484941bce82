/* Trains the networks of a predictor, one after the other, and reports progress. */
#include "pipeline/training.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/result.h"
#include "pipeline/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double losses_interval = 1;  /* seconds between two writings of the loss curves */
static const double batch_interval = 0.2; /* seconds between two progress lines */

/* One network under way. */
typedef struct watch {
    ht_training *training;
    ht_trained *trained;
    size_t number; /* from 1 */
    double valid;  /* the last validation loss; NaN: none yet */
    double last;   /* the last report */
} watch;

static void report_progress(watch *watch, const char *what) {
    ht_progress_phase(watch->training->progress, what);
    watch->last = ht_clock_seconds();
}

static void on_batch(void *context, uint32_t epoch, size_t done, size_t count) {
    watch *watch = context;
    if (ht_clock_seconds() - watch->last < batch_interval)
        return;
    const ht_trained *trained = watch->trained;
    ht_text text = {0};
    ht_text_printf(&text, "epoch %u of %u, batch %zu of %zu", epoch,
                   watch->training->recipe.training.epochs, done, count);
    if (trained->best.epoch && !isnan(watch->valid))
        ht_text_printf(&text, ", validation loss %.4f, best %.4f (epoch %u)", watch->valid,
                       trained->best.valid_loss, trained->best.epoch);
    report_progress(watch, text.data);
    ht_text_free(&text);
}

static void number_write(ht_text *text, double number) {
    if (isnan(number))
        ht_text_append(text, "\t");
    else
        ht_text_printf(text, "\t%.6g", number);
}

ht_status ht_training_losses_write(ht_training *training, ht_error *error) {
    if (!training->losses.path)
        return HT_OK;
    training->losses.written = ht_clock_seconds();
    return ht_result_write(training->losses.path, training->losses.text.data,
                           training->losses.text.length, error);
}

static void on_epoch(void *context, const ht_epoch *epoch) {
    watch *watch = context;
    ht_trained *trained = watch->trained;
    ht_text *losses = &watch->training->losses.text;
    trained->epochs = epoch->epoch;
    watch->valid = epoch->valid_loss;
    if (epoch->best || isnan(epoch->valid_loss))
        trained->best = *epoch;
    ht_text_printf(losses, "%zu\t%u", watch->number, epoch->epoch);
    number_write(losses, epoch->train_loss);
    number_write(losses, epoch->valid_loss);
    number_write(losses, epoch->valid_accuracy);
    number_write(losses, epoch->rate);
    number_write(losses, epoch->seconds);
    ht_text_printf(losses, "\t%d\n", epoch->best ? 1 : 0);
    /* one that fails is no reason to lose the training: the last is reported */
    if (ht_clock_seconds() - watch->training->losses.written > losses_interval)
        ht_training_losses_write(watch->training, NULL);
    ht_text text = {0};
    ht_text_printf(&text, "epoch %u of %u, loss %.4f", epoch->epoch,
                   watch->training->recipe.training.epochs, epoch->train_loss);
    if (!isnan(epoch->valid_loss))
        ht_text_printf(&text, ", validation loss %.4f, accuracy %.1f %%%s", epoch->valid_loss,
                       epoch->valid_accuracy * 100, epoch->best ? ", best so far" : "");
    report_progress(watch, text.data);
    ht_text_free(&text);
}

static bool on_stop(void *context) {
    (void)context;
    return ht_interrupted;
}

static ht_training_watch watch_make(watch *watch) {
    return (ht_training_watch){
        .context = watch, .epoch = on_epoch, .batch = on_batch, .stop = on_stop};
}

static ht_trained *trained_add(ht_training *training, uint64_t seed) {
    HT_GROW(training->made.trained, training->made.trained_count);
    ht_trained *trained = &training->made.trained[training->made.trained_count++];
    *trained = (ht_trained){.seed = seed};
    return trained;
}

/* Returns "network 2"; "student"; free(). */
static char *label_make(const ht_training *training, const watch *watch) {
    if (watch->trained->student)
        return ht_strdup("student");
    return training->given->members > 1 ? ht_format("network %zu", watch->number)
                                        : ht_strdup(training->recipe.network.architecture);
}

ht_status ht_training_add(ht_training *training, const ht_examples *train, uint64_t seed,
                          bool student, ht_error *error) {
    ht_network *network = NULL;
    ht_status status = ht_network_create(&training->recipe.network, &train->input, &train->output,
                                         seed, &network, error);
    if (status == HT_OK && training->models.start)
        status = ht_network_start_from(network, training->basis.schema, training->basis.tokenizer,
                                       training->models.start, &training->models.transfer, error);
    if (status != HT_OK) {
        ht_network_free(network);
        return status;
    }
    ht_trained *trained = trained_add(training, seed);
    trained->student = student;
    watch watch = {.training = training,
                   .trained = trained,
                   .number = training->made.trained_count,
                   .valid = NAN};
    char *label = label_make(training, &watch);
    ht_progress_begin(training->progress, label);
    free(label);
    ht_training_settings settings = training->recipe.training;
    settings.seed = seed;
    ht_training_watch callbacks = watch_make(&watch);
    double begun = ht_clock_seconds();
    status =
        ht_network_train(network, train, training->data.valid.count ? &training->data.valid : NULL,
                         &settings, &callbacks, error);
    trained->seconds = ht_clock_seconds() - begun;
    ht_progress_pause(training->progress);
    bool stopped = ht_interrupted && trained->epochs == 0;
    if (status == HT_ERROR_INTERRUPTED)
        status = HT_OK;
    if (status != HT_OK || (stopped && training->made.network_count)) {
        ht_network_free(network);
        return status;
    }
    training->made.networks[training->made.network_count++] = network;
    ht_training_report_network(training, trained);
    return HT_OK;
}

/* Keeps the networks of the model that they are taken from, on its weights. */
static ht_status networks_keep(ht_training *training, ht_error *error) {
    ht_output_shape output = {0};
    size_t count = ht_predictor_network_count(training->models.teacher);
    ht_schema_output(training->basis.schema, &output);
    training->made.networks = ht_alloc(count, sizeof(ht_network *));
    for (size_t i = 0; i < count; ++i) {
        const ht_network *from = ht_predictor_network(training->models.teacher, i);
        ht_status status = ht_network_open(ht_network_settings_of(from),
                                           ht_tokenizer_shape(training->basis.tokenizer), &output,
                                           ht_network_weights(from), ht_network_weight_count(from),
                                           &training->made.networks[i], error);
        if (status != HT_OK)
            return status;
        ++training->made.network_count;
    }
    return HT_OK;
}

static ht_status losses_open(ht_training *training, ht_error *error) {
    training->losses.path = ht_format("%s.losses.tsv", training->given->out);
    ht_text_append(&training->losses.text,
                   "network\tepoch\ttrain_loss\tvalid_loss\tvalid_accuracy\t"
                   "rate\tseconds\tbest\n");
    return ht_training_losses_write(training, error);
}

ht_status ht_training_run(ht_training *training, ht_error *error) {
    const ht_train_options *given = training->given;
    size_t members = given->distil_from || given->networks_from ? 0 : given->members;
    bool distil = given->distil || given->distil_from;
    ht_status status;
    if (given->networks_from) {
        status = networks_keep(training, error);
    } else {
        training->made.networks = ht_alloc(members + 1, sizeof(ht_network *));
        status = given->start_from
                     ? ht_predictor_open(given->start_from, &training->models.start, error)
                     : HT_OK;
        if (status == HT_OK)
            status = losses_open(training, error);
    }
    training->progress =
        ht_progress_new(training->out, members + 2 * distil + (training->recipe.chain.trees > 0));
    for (size_t i = 0; status == HT_OK && i < members && !ht_interrupted; ++i)
        status = ht_training_add(training, &training->data.train, given->seed + i, false, error);
    if (status == HT_OK && distil && !ht_interrupted)
        status = ht_training_distil(training, error);
    if (status == HT_OK && !ht_interrupted)
        status = ht_training_grow(training, error);
    ht_progress_free(training->progress);
    training->progress = NULL;
    return status;
}
