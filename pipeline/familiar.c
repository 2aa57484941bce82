#include "pipeline/familiar.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

char *ht_problem_given(const char *problem, const char *name) {
    size_t length = strlen(name);
    for (const char *at = problem; (at = strstr(at, name)) != NULL; at += length) {
        bool starts = at == problem || strchr(" ,\t\n", at[-1]);
        const char *value = at + length + strspn(at + length, " \t");
        if (!starts || *value != '=')
            continue;
        ++value;
        value += strspn(value, " \t");
        return ht_strndup(value, strcspn(value, " ,\t\n\r"));
    }
    return NULL;
}

/* Prints the names that have records: a schema knows some that have none. */
static void names_print(const ht_schema_field *field, const json_t *seen, ht_text *text) {
    bool any = false;
    for (size_t i = 0; i < field->name_count; ++i)
        if (is_seen(seen, (int64_t)i)) {
            ht_text_printf(text, "%s %s", any ? "," : "", field->names[i]);
            any = true;
        }
}

/* Warns of a value without a record, such as the name of a newer GPU. */
static void outside_warn(json_t *warnings, const ht_schema_field *field, int64_t value,
                         const json_t *seen, const char *problem) {
    if (is_seen(seen, value))
        return;
    ht_text text = {0};
    char *given = ht_problem_given(problem, field->name);
    const char *name = ht_schema_field_name(field, value);
    if (field->names)
        ht_text_printf(&text, "%s=%.60s", field->name, name ? name : given ? given : "?");
    else
        ht_text_printf(&text, "%s=%" PRId64, field->name, value);
    ht_text_printf(&text, "%s does not occur in the training data, which has",
                   given ? "" : ", which was not given,");
    int64_t least = json_integer_value(json_object_get(seen, "least"));
    int64_t most = json_integer_value(json_object_get(seen, "most"));
    if (field->names)
        names_print(field, seen, &text);
    else if (least == most)
        ht_text_printf(&text, " only %" PRId64, least);
    else
        ht_text_printf(&text, " %" PRId64 " to %" PRId64, least, most);
    json_array_append_new(warnings, json_string(text.data));
    ht_text_free(&text);
    free(given);
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

json_t *ht_familiar_warnings(const ht_predictor *predictor, const int64_t *fields,
                             const char *problem) {
    const ht_schema *schema = ht_predictor_schema(predictor);
    json_t *warnings = json_array();
    json_t *note = json_loads(ht_predictor_note(predictor), 0, NULL);
    const json_t *seen = json_object_get(note, "seen");
    for (size_t i = 0; i < schema->field_count; ++i)
        outside_warn(warnings, &schema->fields[i], fields[i],
                     json_object_get(seen, schema->fields[i].name), problem);
    json_decref(note);
    apart_warn(warnings, predictor, fields);
    return warnings;
}

ht_familiarity ht_familiar_look(const ht_predictor *predictor, const int64_t *fields) {
    const ht_schema *schema = ht_predictor_schema(predictor);
    json_t *note = json_loads(ht_predictor_note(predictor), 0, NULL);
    const json_t *seen = json_object_get(note, "seen");
    ht_familiarity found = {0};
    for (size_t i = 0; i < schema->field_count; ++i) {
        const ht_schema_field *field = &schema->fields[i];
        if (field->device && field->names && !found.gpu)
            found.gpu = ht_schema_field_name(field, fields[i]);
        if (is_seen(json_object_get(seen, field->name), fields[i]))
            continue;
        found.device_new |= field->device;
        found.size_new |= !field->device;
    }
    json_decref(note);
    return found;
}
