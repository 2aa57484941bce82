#include "pipeline/confidence.h"

#include "base/file.h"
#include "base/memory.h"
#include "pipeline/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char format[] = "hiptemper-reliability";

bool ht_calibration_hide(ht_dataset *dataset) {
    const ht_schema *schema = dataset->schema;
    bool any = false;
    for (size_t f = 0; f < schema->field_count; ++f) {
        if (!schema->fields[f].device || !schema->fields[f].names)
            continue;
        any = true;
        for (size_t i = 0; i < dataset->count; ++i)
            dataset->fields[i * schema->field_count + f] = -1; /* a name that it does not know */
    }
    return any;
}

/* The GPU that all records are of, or NULL. */
static const char *gpu_of(const ht_dataset *dataset) {
    const ht_schema *schema = dataset->schema;
    size_t f = 0;
    while (f < schema->field_count && !(schema->fields[f].device && schema->fields[f].names))
        ++f;
    if (f == schema->field_count || dataset->count == 0)
        return NULL;
    int64_t value = dataset->fields[f];
    for (size_t i = 0; i < dataset->count; ++i)
        if (dataset->fields[i * schema->field_count + f] != value)
            return NULL;
    return ht_schema_field_name(&schema->fields[f], value);
}

/* Finds or makes a GPU's place; -1: its name is too long, or there are too many. */
static int gpu_place(ht_calibration *calibration, const char *name) {
    for (size_t i = 0; i < calibration->gpu_count; ++i)
        if (strcmp(calibration->gpus[i].name, name) == 0)
            return (int)i;
    if (calibration->gpu_count == HT_CALIBRATION_GPUS || strlen(name) >= HT_CALIBRATION_NAME)
        return -1;
    memcpy(calibration->gpus[calibration->gpu_count].name, name, strlen(name) + 1);
    return (int)calibration->gpu_count++;
}

void ht_calibration_add(ht_calibration *calibration, const ht_dataset *dataset,
                        const ht_reliability *known) {
    const char *gpu = gpu_of(dataset);
    int place = gpu ? gpu_place(calibration, gpu) : -1;
    ht_reliability_add(&calibration->known, known);
    if (place >= 0)
        ht_reliability_add(&calibration->gpus[place].of, known);
}

static char *path_of(const ht_predictor *predictor) {
    return ht_format("%s.reliability.json", ht_predictor_path(predictor));
}

json_t *ht_reliability_json(const ht_reliability *reliability) {
    json_t *bins = json_array();
    for (size_t b = 0; b < HT_RELIABILITY_BINS; ++b) {
        const ht_reliability_bin *bin = &reliability->bins[b];
        json_array_append_new(
            bins, json_pack("{s:f, s:f, s:I, s:I, s:I, s:f}", "least", ht_reliability_edges[b],
                            "most", ht_reliability_edges[b + 1], "records",
                            (json_int_t)bin->records, "right", (json_int_t)bin->right, "among_ten",
                            (json_int_t)bin->among, "probabilities", bin->probabilities));
    }
    return bins;
}

ht_status ht_calibration_write(const ht_predictor *predictor, const ht_calibration *calibration,
                               const json_t *data, ht_error *error) {
    char checksum[20];
    snprintf(checksum, sizeof checksum, "%016" PRIx64, ht_predictor_checksum(predictor));
    json_t *document = ht_report_json_new(format, 1);
    json_object_set_new(document, "kernel",
                        ht_report_json_text(ht_predictor_schema(predictor)->kernel));
    json_object_set_new(document, "model", json_string(checksum));
    json_object_set_new(document, "data", json_deep_copy(data));
    json_object_set_new(document, "known", ht_reliability_json(&calibration->known));
    json_object_set_new(document, "hidden", ht_reliability_json(&calibration->hidden));
    json_t *gpus = json_object();
    for (size_t i = 0; i < calibration->gpu_count; ++i)
        json_object_set_new(gpus, calibration->gpus[i].name,
                            ht_reliability_json(&calibration->gpus[i].of));
    json_object_set_new(document, "gpus", gpus);
    char *text = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    char *path = path_of(predictor), *line = ht_format("%s\n", text);
    ht_status status = ht_file_write(path, line, strlen(line), error);
    free(line);
    free(path);
    free(text);
    json_decref(document);
    return status;
}

static bool count_take(const json_t *object, const char *name, size_t most, size_t *out_count) {
    const json_t *member = json_object_get(object, name);
    json_int_t value = json_integer_value(member);
    if (!json_is_integer(member) || value < 0 || (uint64_t)value > most)
        return false;
    *out_count = (size_t)value;
    return true;
}

static bool bins_take(const json_t *list, ht_reliability *out) {
    for (size_t b = 0; b < HT_RELIABILITY_BINS; ++b) {
        const json_t *object = json_array_get(list, b);
        ht_reliability_bin *bin = &out->bins[b];
        const json_t *least = json_object_get(object, "least");
        if (!json_is_number(least) || json_number_value(least) != ht_reliability_edges[b] ||
            !count_take(object, "records", INT32_MAX, &bin->records) ||
            !count_take(object, "right", bin->records, &bin->right) ||
            !count_take(object, "among_ten", bin->records, &bin->among))
            return false;
        bin->probabilities = json_number_value(json_object_get(object, "probabilities"));
    }
    return json_array_size(list) == HT_RELIABILITY_BINS;
}

/* Files of before have no GPUs by themselves. */
static bool gpus_take(const json_t *gpus, ht_calibration *out) {
    const char *name;
    json_t *list;
    json_object_foreach((json_t *)(uintptr_t)gpus, name, list) {
        int place = gpu_place(out, name);
        if (place < 0 || !bins_take(list, &out->gpus[place].of))
            return false;
    }
    return true;
}

/* Returns why a file is not the model's; NULL: it is. */
static const char *document_take(const ht_predictor *predictor, const json_t *document,
                                 ht_calibration *out) {
    const char *name = json_string_value(json_object_get(document, "format"));
    const char *model = json_string_value(json_object_get(document, "model"));
    char checksum[20];
    snprintf(checksum, sizeof checksum, "%016" PRIx64, ht_predictor_checksum(predictor));
    if (!name || strcmp(name, format) != 0 ||
        json_integer_value(json_object_get(document, "version")) != 1)
        return "it is not a file of 'hiptemper evaluate --calibrate' of this version";
    if (!model || strcmp(model, checksum) != 0)
        return "it was made for another model, that was at this place before";
    if (!bins_take(json_object_get(document, "known"), &out->known) ||
        !bins_take(json_object_get(document, "hidden"), &out->hidden) ||
        !gpus_take(json_object_get(document, "gpus"), out))
        return "its counts are not as they should be";
    return NULL;
}

ht_status ht_calibration_read(const ht_predictor *predictor, bool *out_found,
                              ht_calibration *out_calibration, ht_error *error) {
    *out_found = false;
    if (!ht_predictor_path(predictor))
        return HT_OK;
    char *path = path_of(predictor), *text = NULL;
    ht_status status = HT_OK;
    *out_found = ht_file_exists(path);
    if (*out_found)
        status = ht_file_read(path, 0, &text, NULL, error);
    json_t *document = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const char *refused = text ? document_take(predictor, document, out_calibration) : NULL;
    if (refused)
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "not used: %s; 'hiptemper evaluate --calibrate' makes a new one",
                                 refused);
    json_decref(document);
    free(text);
    free(path);
    return status;
}

/* The records that a confidence is counted from. */
typedef struct basis {
    const ht_reliability *of;
    const char *gpu; /* whose records alone; NULL: those of all */
} basis;

/* Takes the problem's GPU by itself where there are enough records: a model of several may be surer
 * than it should be on one and less sure on another. */
static basis basis_of(const ht_calibration *calibration, ht_familiarity familiarity) {
    enum { ENOUGH = 100 };
    if (familiarity.device_new)
        return (basis){&calibration->hidden, NULL};
    for (size_t i = 0; i < calibration->gpu_count && familiarity.gpu; ++i)
        if (strcmp(calibration->gpus[i].name, familiarity.gpu) == 0 &&
            ht_reliability_records(&calibration->gpus[i].of) >= ENOUGH)
            return (basis){&calibration->gpus[i].of, calibration->gpus[i].name};
    return (basis){&calibration->known, NULL};
}

char *ht_confidence_words(const ht_calibration *calibration, ht_familiarity familiarity,
                          double probability) {
    basis from = basis_of(calibration, familiarity);
    ht_confidence of = ht_reliability_look(from.of, probability);
    if (of.records == 0)
        return ht_strdup("confidence: not known: it was not measured for a GPU like this");
    ht_text text = {0};
    ht_text_printf(
        &text,
        "confidence: of %zu held-out records%s%s%s whose first proposal had a probability of "
        "%g to %g, it was right in %.0f %% (95 %% interval %.0f to %.0f), one of the "
        "first ten in %.0f %% (%.0f to %.0f)",
        of.records, from.gpu ? " of " : "", from.gpu ? from.gpu : "",
        familiarity.device_new ? ", the GPU's name withheld," : "", of.least, of.most,
        100 * of.right.share, 100 * of.right.lo, 100 * of.right.hi, 100 * of.among.share,
        100 * of.among.lo, 100 * of.among.hi);
    if (familiarity.device_new)
        ht_text_append(&text,
                       "; on a GPU that the model never saw expect less, from a fifth to two "
                       "thirds of that where it was measured");
    if (familiarity.size_new)
        ht_text_append(&text, "; none of them lies outside of the training data as this problem "
                              "does, for which it may be less");
    return ht_text_take(&text);
}

json_t *ht_confidence_json(const ht_calibration *calibration, ht_familiarity familiarity,
                           double probability) {
    basis from = basis_of(calibration, familiarity);
    ht_confidence of = ht_reliability_look(from.of, probability);
    if (of.records == 0)
        return json_null();
    return json_pack("{s:s, s:[f, f], s:I, s:f, s:[f, f], s:f, s:[f, f], s:b, s:s?}", "gpu",
                     familiarity.device_new ? "withheld" : "known", "probability", of.least,
                     of.most, "records", (json_int_t)of.records, "right", of.right.share,
                     "interval", of.right.lo, of.right.hi, "among_ten", of.among.share,
                     "among_ten_interval", of.among.lo, of.among.hi, "outside",
                     (int)familiarity.size_new, "of_gpu", from.gpu);
}
