/* The reports of `hiptemper train`: on the way, at the end, as JSON, and inside the model. */
#include "pipeline/training.h"

#include "base/blas.h"
#include "base/file.h"
#include "base/memory.h"
#include "pipeline/report.h"
#include "pipeline/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Says which BLAS is used, and what to do when it is a slow one. */
static void blas_report(FILE *out) {
    ht_blas_info blas;
    ht_blas_describe(&blas);
    fprintf(out, "  %-10s %s\n", "BLAS", blas.text);
    if (!blas.openblas)
        ht_report_message("warning: this is not OpenBLAS, and training will be many times slower; "
                          "install it (Debian: apt-get install libopenblas0-pthread), or choose it "
                          "with update-alternatives");
    else if (blas.slow_kernels)
        ht_report_message("warning: OpenBLAS does not know this processor and uses what it has for "
                          "an old one; set OPENBLAS_CORETYPE (SkylakeX with AVX-512, Haswell with "
                          "AVX2) for several times the speed");
}

/* Says how many records are wrong, or contradict a wrong constraint. */
static void refused_report(const ht_training *training) {
    const ht_training_data *data = &training->data;
    char *most = ht_illegal_text(&data->refused, training->basis.schema);
    if (data->refused.records)
        ht_report_message("warning: %zu of %zu records to train on break the constraints%s%s; "
                          "correct the records, or the constraint if it is wrong",
                          data->refused.records, data->train_count, most ? ": " : "",
                          most ? most : "");
    free(most);
}

void ht_training_report_data(const ht_training *training) {
    FILE *out = training->out;
    const ht_schema *schema = training->basis.schema;
    fprintf(out, "Training %s for %s\n", training->recipe.network.architecture, schema->kernel);
    fprintf(out, "  %-10s %s: %zu fields, %zu parameters, %zu constraints\n", "schema",
            training->basis.schema_from, schema->field_count, schema->param_count,
            schema->require_count);
    fprintf(out, "  %-10s %zu records: %zu to train on, %zu to validate with\n", "data",
            training->data.records, training->data.train_count, training->data.valid_count);
    if (training->data.skipped)
        ht_report_message("warning: %zu records were left out: a parameter has a value that the "
                          "schema does not know",
                          training->data.skipped);
    refused_report(training);
    blas_report(out);
    fflush(out);
}

void ht_training_report_network(const ht_training *training, const ht_trained *trained) {
    FILE *out = training->out;
    size_t weights =
        ht_network_weight_count(training->made.networks[training->made.network_count - 1]);
    fprintf(out, "  %-10s %s of %zu weights, seed %llu: %u epochs in %.1f s",
            trained->student ? "student" : "network", training->recipe.network.architecture,
            weights, (unsigned long long)trained->seed, trained->epochs, trained->seconds);
    if (!trained->best.epoch)
        fprintf(out, ", stopped within the first");
    else if (isnan(trained->best.valid_loss))
        fprintf(out, ", loss %.4f", trained->best.train_loss);
    else
        fprintf(out, "; best epoch %u, validation loss %.4f, accuracy %.1f %%", trained->best.epoch,
                trained->best.valid_loss, trained->best.valid_accuracy * 100);
    fputc('\n', out);
    const ht_transfer *transfer = &training->models.transfer;
    if (training->models.start)
        fprintf(out,
                "  %-10s it began with %zu of its %zu identifiers, %zu of %zu fields and "
                "%zu of %zu values of %s\n",
                "", transfer->identifiers_known, transfer->identifiers, transfer->places_known,
                transfer->places, transfer->values_known, transfer->values,
                ht_path_name(training->given->start_from));
    fflush(out);
}

static json_t *number_json(double number) {
    return isfinite(number) ? json_real(number) : json_null();
}

/* `times`: with what differs from run to run. */
static json_t *networks_json(const ht_training *training, bool times) {
    json_t *list = json_array();
    for (size_t i = 0; i < training->made.trained_count; ++i) {
        const ht_trained *trained = &training->made.trained[i];
        bool any = trained->best.epoch > 0;
        json_t *object =
            json_pack("{s:I, s:b, s:I, s:I, s:o, s:o, s:o}", "seed", (json_int_t)trained->seed,
                      "student", trained->student, "epochs", (json_int_t)trained->epochs,
                      "best_epoch", (json_int_t)trained->best.epoch, "train_loss",
                      number_json(any ? trained->best.train_loss : NAN), "valid_loss",
                      number_json(any ? trained->best.valid_loss : NAN), "valid_accuracy",
                      number_json(any ? trained->best.valid_accuracy : NAN));
        if (times)
            json_object_set_new(object, "seconds", json_real(trained->seconds));
        json_array_append_new(list, object);
    }
    return list;
}

static void common_members(json_t *object, const ht_training *training, const char *kernel) {
    const ht_train_options *given = training->given;
    json_object_set_new(object, "kernel", ht_report_json_text(kernel));
    json_object_set_new(object, "schema", ht_report_json_text(training->basis.schema_from));
    json_object_set(object, "data", training->data.read);
    json_object_set_new(object, "records", json_integer((json_int_t)training->data.records));
    json_object_set_new(object, "skipped", json_integer((json_int_t)training->data.skipped));
    json_object_set_new(object, "refused",
                        json_integer((json_int_t)training->data.refused.records));
    json_object_set_new(object, "train", json_integer((json_int_t)training->data.train_count));
    json_object_set_new(object, "valid", json_integer((json_int_t)training->data.valid_count));
    json_object_set_new(object, "valid_split", json_real(given->valid_split));
    json_object_set_new(object, "share", json_real(given->share));
    json_object_set_new(object, "fold", ht_report_json_text(given->fold.fold));
    json_object_set_new(object, "fold_by", ht_report_json_text(given->fold.by));
    json_object_set_new(object, "regroup", ht_report_json_text(given->fold.regroup));
    json_object_set_new(object, "seed", json_integer((json_int_t)given->seed));
    json_object_set_new(object, "tokens", ht_report_json_text(given->tokens));
    json_object_set_new(object, "constrained", json_boolean(!given->unconstrained));
    json_object_set_new(object, "members", json_integer((json_int_t)given->members));
    json_object_set_new(object, "distil", json_boolean(given->distil || given->distil_from));
    json_object_set_new(
        object, "distil_from",
        ht_report_json_text(given->distil_from ? ht_path_name(given->distil_from) : NULL));
    json_object_set_new(
        object, "networks_from",
        ht_report_json_text(given->networks_from ? ht_path_name(given->networks_from) : NULL));
    json_object_set_new(
        object, "start_from",
        ht_report_json_text(given->start_from ? ht_path_name(given->start_from) : NULL));
    json_object_set_new(object, "settings", ht_recipe_json(&training->recipe));
}

json_t *ht_training_note(const ht_training *training) {
    json_t *note = json_pack("{s:s}", "hiptemper", HT_VERSION);
    common_members(note, training, training->basis.schema->kernel);
    json_object_set_new(note, "networks", networks_json(training, false));
    if (training->given->networks_from) /* how they were trained */
        json_object_set_new(note, "networks_note",
                            json_loads(ht_predictor_note(training->models.teacher), 0, NULL));
    json_object_set(note, "seen", training->data.seen);
    json_object_set_new(note, "interrupted", json_boolean(ht_interrupted != 0));
    return note;
}

int ht_training_report(const ht_training *training, const ht_predictor *predictor, double seconds) {
    const ht_train_options *given = training->given;
    FILE *out = training->out;
    const ht_chain *chain = ht_predictor_chain(predictor);
    fprintf(out, "  %-10s %s (%zu network%s, %u tree%s a parameter), in %.1f s\n", "model",
            given->out, ht_predictor_network_count(predictor),
            ht_predictor_network_count(predictor) == 1 ? "" : "s",
            chain ? ht_chain_trees(chain) : 0, chain && ht_chain_trees(chain) == 1 ? "" : "s",
            seconds);
    if (training->losses.path)
        fprintf(out, "  %-10s %s\n", "losses", training->losses.path);
    if (ht_interrupted)
        fprintf(out, "\nInterrupted: the model has the best weights so far.\n");
    ht_blas_info blas;
    ht_blas_describe(&blas);
    json_t *document = ht_report_json_new("hiptemper-train", 1);
    json_object_set_new(document, "model", ht_report_json_text(given->out));
    json_object_set_new(document, "losses", ht_report_json_text(training->losses.path));
    common_members(document, training, ht_predictor_schema(predictor)->kernel);
    json_object_set_new(document, "networks", networks_json(training, true));
    json_object_set_new(document, "blas", ht_report_json_text(blas.text));
    json_object_set_new(document, "seconds", json_real(seconds));
    json_object_set_new(document, "interrupted", json_boolean(ht_interrupted != 0));
    int code = ht_report_json(given->json, document);
    json_decref(document);
    return ht_interrupted ? HT_EXIT_INTERRUPTED : code;
}
