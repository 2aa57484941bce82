#include "predictor/data/dataset.h"
#include "predictor/data/tsv.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "templates/expr/span.h"

#include <stdlib.h>
#include <string.h>

char *ht_dataset_kernel(const char *path) {
    const char *name = ht_path_name(path);
    return ht_strndup(name, strcspn(name, "."));
}

/* The meaning of a file's column. */
typedef struct column {
    int field, param; /* -1: it is not; both: ignored */
} column;

static ht_status unknown_column(const ht_schema *schema, const char *path, const char *name,
                                ht_error *error) {
    return ht_error_set_at(error, HT_ERROR_INPUT, path, 1, 0,
                           "column %.80s is no field or parameter of kernel %s; add it to the "
                           "schema, or ignore(%.80s)",
                           name, schema->kernel, name);
}

static ht_status find_columns(const ht_schema *schema, const ht_tsv *tsv, const char *path,
                              column *columns, bool *given, ht_error *error) {
    bool found[HT_PARAM_MAX] = {false};
    memset(given, 0, schema->field_count * sizeof *given);
    for (size_t i = 0; i < ht_tsv_column_count(tsv); ++i) {
        const char *name = ht_tsv_column(tsv, i);
        columns[i] =
            (column){ht_schema_field_index(schema, name), ht_schema_param_index(schema, name)};
        if (columns[i].field >= 0)
            given[columns[i].field] = true;
        if (columns[i].param >= 0)
            found[columns[i].param] = true;
        bool known = columns[i].field >= 0 || columns[i].param >= 0;
        for (size_t k = 0; !known && k < schema->ignored_count; ++k)
            known = !strcmp(schema->ignored[k], name);
        if (!known)
            return unknown_column(schema, path, name, error);
    }
    for (size_t i = 0; i < schema->field_count; ++i)
        if (!given[i] && !schema->fields[i].fallback)
            return ht_error_set_at(error, HT_ERROR_INPUT, path, 1, 0,
                                   "the header has no column %s, a field of kernel %s",
                                   schema->fields[i].name, schema->kernel);
    for (size_t i = 0; i < schema->param_count; ++i)
        if (!found[i])
            return ht_error_set_at(error, HT_ERROR_INPUT, path, 1, 0,
                                   "the header has no column %s, a parameter of kernel %s",
                                   schema->params[i].name, schema->kernel);
    return HT_OK;
}

bool ht_param_value_find(const ht_param *param, const char *text, uint16_t *out_index) {
    int64_t number = 0;
    bool whole = (param->kind == HT_PARAM_INTEGER || param->kind == HT_PARAM_BOOLEAN) &&
                 ht_span_integer(ht_span_of(text, (ht_place){0}), &number, NULL) == HT_OK;
    for (size_t v = 0; v < param->value_count; ++v)
        if (whole ? param->values[v].number == number : !strcmp(param->values[v].text, text)) {
            *out_index = (uint16_t)v;
            return true;
        }
    return false;
}

/* Reads one record into `fields` and `choice`; *out_known: all its parameters have values of the
 * schema. */
static ht_status read_record(const ht_schema *schema, const ht_tsv *tsv, const column *columns,
                             const char *const *cells, int64_t *fields, uint16_t *choice,
                             bool *out_known, ht_error *error) {
    *out_known = true;
    for (size_t i = 0; i < ht_tsv_column_count(tsv); ++i) {
        ht_error why;
        if (columns[i].field >= 0) {
            size_t f = (size_t)columns[i].field;
            if (ht_schema_field_value(schema, f, cells[i], &fields[f], &why) != HT_OK)
                return ht_tsv_fail(tsv, i, error, "%s", why.message);
        } else if (columns[i].param >= 0) {
            size_t p = (size_t)columns[i].param;
            *out_known &= ht_param_value_find(&schema->params[p], cells[i], &choice[p]);
        }
    }
    return HT_OK;
}

/* Reads the records after the header. */
static ht_status read_records(ht_dataset *dataset, ht_tsv *tsv, const column *columns,
                              const bool *given, ht_error *error) {
    const ht_schema *schema = dataset->schema;
    int64_t fields[HT_SCHEMA_FIELDS_MAX];
    uint16_t choice[HT_PARAM_MAX];
    const char *const *cells;
    for (;;) {
        bool known;
        ht_status status = ht_tsv_next(tsv, &cells, error);
        if (status != HT_OK || !cells)
            return status;
        status = read_record(schema, tsv, columns, cells, fields, choice, &known, error);
        if (status == HT_OK) {
            ht_error why;
            if (ht_schema_complete(schema, fields, given, &why) != HT_OK)
                status = ht_tsv_fail(tsv, 0, error, "%s", why.message);
        }
        if (status != HT_OK)
            return status;
        if (known)
            ht_dataset_append(dataset, fields, choice, 1);
        else
            ++dataset->skipped;
    }
}

static ht_status read_open(ht_dataset *dataset, ht_tsv *tsv, const char *path, ht_error *error) {
    column *columns = ht_alloc(ht_tsv_column_count(tsv), sizeof *columns);
    bool given[HT_SCHEMA_FIELDS_MAX];
    ht_status status = find_columns(dataset->schema, tsv, path, columns, given, error);
    if (status == HT_OK)
        status = read_records(dataset, tsv, columns, given, error);
    free(columns);
    return status;
}

ht_status ht_dataset_read(const ht_schema *schema, const char *const *paths, size_t path_count,
                          ht_dataset *out_dataset, ht_error *error) {
    ht_dataset dataset = {.schema = schema};
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < path_count; ++i) {
        ht_tsv *tsv;
        status = ht_tsv_open(paths[i], &tsv, error);
        if (status != HT_OK)
            break;
        status = read_open(&dataset, tsv, paths[i], error);
        ht_tsv_close(tsv);
    }
    if (status == HT_OK)
        *out_dataset = dataset;
    else
        ht_dataset_free(&dataset);
    return status;
}

ht_status ht_dataset_parse(const ht_schema *schema, const void *data, size_t length,
                           const char *name, ht_dataset *out_dataset, ht_error *error) {
    ht_dataset dataset = {.schema = schema};
    ht_tsv *tsv;
    ht_status status = ht_tsv_memory(data, length, name, &tsv, error);
    if (status != HT_OK)
        return status;
    status = read_open(&dataset, tsv, name, error);
    ht_tsv_close(tsv);
    if (status == HT_OK)
        *out_dataset = dataset;
    else
        ht_dataset_free(&dataset);
    return status;
}

void ht_dataset_free(ht_dataset *dataset) {
    free(dataset->fields);
    free(dataset->targets);
    free(dataset->weights);
    free(dataset->groups);
    *dataset = (ht_dataset){0};
}

/* Returns the hash of a problem: of the fields that are grouped and not left out (`without`, may be
 * NULL). */
static uint64_t group_of(const ht_schema *schema, const int64_t *fields, const bool *without) {
    int64_t key[HT_SCHEMA_FIELDS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < schema->field_count; ++i)
        if (schema->fields[i].grouped && !(without && without[i]))
            key[count++] = fields[i];
    return ht_hash_short(key, count * sizeof *key);
}

/* Makes room for one more record. */
static void reserve(ht_dataset *dataset) {
    size_t width = dataset->schema->field_count, steps = dataset->schema->param_count;
    if (dataset->count < dataset->capacity)
        return;
    dataset->capacity = dataset->capacity ? 2 * dataset->capacity : 64;
    size_t room = dataset->capacity;
    dataset->fields = ht_realloc(dataset->fields, room * width + 1, sizeof *dataset->fields);
    dataset->targets = ht_realloc(dataset->targets, room * steps + 1, sizeof *dataset->targets);
    dataset->groups = ht_realloc(dataset->groups, room, sizeof *dataset->groups);
    if (dataset->weights)
        dataset->weights = ht_realloc(dataset->weights, room, sizeof *dataset->weights);
}

void ht_dataset_append(ht_dataset *dataset, const int64_t *fields, const uint16_t *targets,
                       float weight) {
    const ht_schema *schema = dataset->schema;
    reserve(dataset);
    if (weight != 1 && !dataset->weights) {
        dataset->weights = ht_alloc(dataset->capacity, sizeof *dataset->weights);
        for (size_t i = 0; i < dataset->count; ++i)
            dataset->weights[i] = 1;
    }
    size_t at = dataset->count++;
    memcpy(dataset->fields + at * schema->field_count, fields,
           schema->field_count * sizeof *fields);
    memcpy(dataset->targets + at * schema->param_count, targets,
           schema->param_count * sizeof *targets);
    dataset->groups[at] = group_of(schema, fields, NULL);
    if (dataset->weights)
        dataset->weights[at] = weight;
}

ht_status ht_dataset_regroup(ht_dataset *dataset, const char *without, ht_error *error) {
    const ht_schema *schema = dataset->schema;
    bool left_out[HT_SCHEMA_FIELDS_MAX] = {false};
    ht_span rest = ht_span_of(without, (ht_place){0}), piece;
    while (ht_span_trim(rest).length && ht_span_split(&rest, ',', false, &piece)) {
        char *name = ht_span_string(piece);
        int field = ht_schema_field_index(schema, name);
        free(name);
        if (field < 0)
            return ht_error_set(error, HT_ERROR_INPUT, "kernel %s has no field '%.*s' to leave out",
                                schema->kernel, (int)(piece.length > 60 ? 60 : piece.length),
                                piece.text);
        left_out[field] = true;
    }
    for (size_t i = 0; i < dataset->count; ++i)
        dataset->groups[i] = group_of(schema, dataset->fields + i * schema->field_count, left_out);
    return HT_OK;
}

uint32_t ht_group_fold(uint64_t group, uint32_t folds, uint64_t seed) {
    const uint64_t key[2] = {group, seed};
    return folds ? (uint32_t)(ht_hash_short(key, sizeof key) % folds) : 0;
}
