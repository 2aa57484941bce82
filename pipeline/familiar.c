#include "pipeline/familiar.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

enum { VALUES_MAX = 64 };

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

json_t *ht_familiar_json(const ht_dataset *dataset) {
    json_t *object = json_object();
    size_t fields = dataset->schema->field_count, count = dataset->count;
    int64_t *values = ht_alloc(count + 1, sizeof *values);
    for (size_t f = 0; f < fields && count; ++f) {
        for (size_t i = 0; i < count; ++i)
            values[i] = dataset->fields[i * fields + f];
        qsort(values, count, sizeof *values, compare);
        json_t *field = json_pack("{s:I, s:I}", "least", (json_int_t)values[0], "most",
                                  (json_int_t)values[count - 1]);
        json_t *list = json_array();
        for (size_t i = 0; i < count && json_array_size(list) <= VALUES_MAX; ++i) {
            if (i == 0 || values[i] != values[i - 1])
                json_array_append_new(list, json_integer(values[i]));
        }
        if (json_array_size(list) <= VALUES_MAX)
            json_object_set(field, "values", list);
        json_decref(list);
        json_object_set_new(object, dataset->schema->fields[f].name, field);
    }
    free(values);
    return object;
}

/* Warns of a name that the model has never heard, such as that of a newer GPU. */
static void unknown_warn(json_t *warnings, const ht_schema_field *field) {
    ht_text text = {0};
    ht_text_printf(&text, "this %s does not occur in the training data, which has", field->name);
    for (size_t i = 0; i < field->name_count; ++i)
        ht_text_printf(&text, "%s %s", i ? "," : "", field->names[i]);
    json_array_append_new(warnings, json_string(text.data));
    ht_text_free(&text);
}

/* Returns true if the training data has the value, as far as is known. */
static bool is_seen(const json_t *seen, int64_t value) {
    int64_t least = json_integer_value(json_object_get(seen, "least"));
    int64_t most = json_integer_value(json_object_get(seen, "most"));
    const json_t *values = json_object_get(seen, "values");
    bool found = !values;
    for (size_t i = 0; i < json_array_size(values); ++i)
        found |= json_integer_value(json_array_get(values, i)) == value;
    return !seen || (value >= least && value <= most && found);
}

static void outside_warn(json_t *warnings, const ht_schema_field *field, int64_t value,
                         const json_t *seen) {
    int64_t least = json_integer_value(json_object_get(seen, "least"));
    int64_t most = json_integer_value(json_object_get(seen, "most"));
    if (is_seen(seen, value))
        return;
    bool named = field->names && value >= 0 && (size_t)value < field->name_count;
    if (field->names && !named) {
        unknown_warn(warnings, field);
        return;
    }
    char *text = named ? ht_format("%s=%s does not occur in the training data", field->name,
                                   field->names[value])
                       : ht_format("%s=%" PRId64 " does not occur in the training data, which "
                                   "has %" PRId64 " to %" PRId64,
                                   field->name, value, least, most);
    json_array_append_new(warnings, json_string(text));
    free(text);
}

/* Warns of fields that differ from the one whose value they have in all training data. */
static void apart_warn(json_t *warnings, const ht_predictor *predictor, const int64_t *fields) {
    const ht_schema *schema = ht_predictor_schema(predictor);
    ht_unseen unseen[HT_SCHEMA_FIELDS_MAX];
    size_t count = ht_tokenizer_unseen(ht_predictor_tokenizer(predictor), fields, unseen);
    for (size_t i = 0; i < count; ++i) {
        if (unseen[i].constant)
            continue;
        char *text =
            ht_format("%s differs from %s, which it never does in the training data",
                      schema->fields[unseen[i].field].name, schema->fields[unseen[i].same_as].name);
        json_array_append_new(warnings, json_string(text));
        free(text);
    }
}

json_t *ht_familiar_warnings(const ht_predictor *predictor, const int64_t *fields) {
    const ht_schema *schema = ht_predictor_schema(predictor);
    json_t *warnings = json_array();
    json_t *note = json_loads(ht_predictor_note(predictor), 0, NULL);
    const json_t *seen = json_object_get(note, "seen");
    for (size_t i = 0; i < schema->field_count; ++i)
        outside_warn(warnings, &schema->fields[i], fields[i],
                     json_object_get(seen, schema->fields[i].name));
    json_decref(note);
    apart_warn(warnings, predictor, fields);
    return warnings;
}

ht_familiarity ht_familiar_look(const ht_predictor *predictor, const int64_t *fields) {
    const ht_schema *schema = ht_predictor_schema(predictor);
    json_t *note = json_loads(ht_predictor_note(predictor), 0, NULL);
    const json_t *seen = json_object_get(note, "seen");
    ht_familiarity found = {false, false};
    for (size_t i = 0; i < schema->field_count; ++i) {
        const ht_schema_field *field = &schema->fields[i];
        if (is_seen(json_object_get(seen, field->name), fields[i]))
            continue;
        found.device_new |= field->device;
        found.size_new |= !field->device;
    }
    json_decref(note);
    return found;
}
