#include "benchmarks/predictor/table.h"

#include "base/hash.h"
#include "base/memory.h"
#include "predictor/data/split.h"

#include <stdlib.h>
#include <string.h>

static ht_status schema_get(const char *kernel, const char *const *paths, size_t count,
                            ht_schema **out_schema, ht_error *error) {
    const char *text = ht_schema_builtin_text(kernel);
    if (text)
        return ht_schema_parse(text, kernel, out_schema, error);
    return ht_schema_from_tsv(paths, count, NULL, out_schema, error);
}

static ht_status files_read(ht_table *table, const char *const *paths, size_t count, size_t extra,
                            const char *regroup, ht_error *error) {
    table->files = ht_alloc(count, sizeof *table->files);
    for (size_t i = 0; i < count; ++i) {
        ht_table_file *file = &table->files[table->file_count++];
        *file =
            (ht_table_file){.path = paths[i], .start = table->rows, .extra = i + extra >= count};
        ht_status status = ht_dataset_read(table->schema, &paths[i], 1, &file->data, error);
        if (status == HT_OK && regroup)
            status = ht_dataset_regroup(&file->data, regroup, error);
        if (status != HT_OK)
            return status;
        table->rows += file->data.count;
    }
    return HT_OK;
}

static void rows_join(ht_table *table) {
    size_t steps = table->output.steps;
    table->targets = ht_alloc(table->rows * steps, sizeof *table->targets);
    table->groups = ht_alloc(table->rows, sizeof *table->groups);
    table->fields = ht_alloc(table->rows, sizeof *table->fields);
    for (size_t f = 0; f < table->file_count; ++f) {
        const ht_table_file *file = &table->files[f];
        for (size_t i = 0; i < file->data.count; ++i) {
            size_t row = file->start + i;
            table->fields[row] = file->data.fields + i * table->schema->field_count;
            table->groups[row] = file->data.groups[i];
            memcpy(table->targets + row * steps, file->data.targets + i * steps,
                   steps * sizeof *table->targets);
        }
    }
}

void ht_table_ungroup(ht_table *table) {
    for (size_t f = 0; f < table->file_count; ++f) {
        ht_table_file *file = &table->files[f];
        ht_dataset_ungroup(&file->data);
        memcpy(table->groups + file->start, file->data.groups,
               file->data.count * sizeof *table->groups);
    }
}

/* Numbers the different parameter vectors; open addressing over at least twice as many places. */
static void vectors_number(ht_table *table) {
    size_t width = table->output.steps * sizeof *table->targets, places = 16;
    while (places < 2 * table->rows)
        places *= 2;
    uint32_t *place = ht_alloc(places, sizeof *place); /* 1 + vector */
    table->vectors = ht_alloc(table->rows, sizeof *table->vectors);
    table->example = ht_alloc(table->rows, sizeof *table->example);
    for (size_t row = 0; row < table->rows; ++row) {
        const uint16_t *target = table->targets + row * table->output.steps;
        size_t at = ht_hash_short(target, width) & (places - 1);
        while (place[at] &&
               memcmp(table->targets + (size_t)table->example[place[at] - 1] * table->output.steps,
                      target, width) != 0)
            at = (at + 1) & (places - 1);
        if (!place[at]) {
            table->example[table->vector_count++] = (uint32_t)row;
            place[at] = (uint32_t)table->vector_count;
        }
        table->vectors[row] = (uint16_t)(place[at] - 1);
    }
    free(place);
}

ht_status ht_table_read(const char *const *paths, size_t count, size_t extra, const char *regroup,
                        ht_table **out_table, ht_error *error) {
    ht_table *table = ht_alloc(1, sizeof *table);
    table->kernel = ht_dataset_kernel(paths[0]);
    ht_status status = schema_get(table->kernel, paths, count, &table->schema, error);
    if (status == HT_OK)
        status = files_read(table, paths, count, extra, regroup, error);
    if (status == HT_OK)
        status = ht_rules_compile(table->schema, NULL, 0, &table->rules, error);
    if (status == HT_OK && (table->rows == 0 || table->rows > UINT16_MAX))
        status = ht_error_set(error, HT_ERROR_INPUT, "%s: %zu records; 1 to %d can be compared",
                              table->kernel, table->rows, UINT16_MAX);
    if (status != HT_OK) {
        ht_table_free(table);
        return status;
    }
    ht_schema_output(table->schema, &table->output);
    rows_join(table);
    vectors_number(table);
    ht_table_features(table);
    *out_table = table;
    return HT_OK;
}

void ht_table_free(ht_table *table) {
    if (!table)
        return;
    for (size_t i = 0; i < table->file_count; ++i)
        ht_dataset_free(&table->files[i].data);
    for (size_t i = 0; i < table->features; ++i)
        free(table->columns[i]);
    ht_rules_free(table->rules);
    ht_schema_free(table->schema);
    free(table->kernel);
    free(table->files);
    free(table->columns);
    free(table->targets);
    free(table->vectors);
    free(table->example);
    free(table->groups);
    free(table->fields);
    free(table);
}

void ht_table_row(const ht_table *table, size_t row, float *out_features) {
    for (size_t i = 0; i < table->features; ++i)
        out_features[i] = table->columns[i][row];
}

float ht_table_value(const ht_table *table, size_t step, uint16_t value) {
    return (float)table->schema->params[step].values[value].number;
}
