/* Weights of the records, so that the GPUs and precisions with many do not drown those with few. */
#include "pipeline/training.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns true for a field whose values are counted apart: the architecture, and the precision. */
static bool is_counted(const ht_schema_field *field) {
    return field->names && (field->device || !strcmp(field->name, "precision"));
}

/* Returns which of the groups a record is in, below `most`. */
static size_t group_of(const ht_schema *schema, const int64_t *fields, size_t most) {
    size_t group = 0;
    for (size_t f = 0; f < schema->field_count; ++f)
        if (is_counted(&schema->fields[f])) /* unknown names are -1 */
            group = group * (schema->fields[f].name_count + 1) + (size_t)(fields[f] + 1);
    return group % most;
}

static size_t group_count(const ht_schema *schema) {
    size_t count = 1, most = 4096;
    for (size_t f = 0; f < schema->field_count && count < most; ++f)
        if (is_counted(&schema->fields[f]))
            count *= schema->fields[f].name_count + 1;
    return count < most ? count : most;
}

void ht_training_balance(ht_dataset *records, float balance) {
    const ht_schema *schema = records->schema;
    size_t groups = group_count(schema);
    if (groups < 2 || balance <= 0 || !records->count)
        return;
    size_t *counts = ht_alloc(groups, sizeof *counts);
    double sum = 0;
    if (!records->weights) {
        records->weights = ht_alloc(records->capacity, sizeof *records->weights);
        for (size_t i = 0; i < records->count; ++i)
            records->weights[i] = 1;
    }
    for (size_t i = 0; i < records->count; ++i)
        ++counts[group_of(schema, records->fields + i * schema->field_count, groups)];
    for (size_t i = 0; i < records->count; ++i) {
        size_t group = group_of(schema, records->fields + i * schema->field_count, groups);
        records->weights[i] *= powf((float)counts[group], -balance);
        sum += (double)records->weights[i];
    }
    for (size_t i = 0; i < records->count; ++i) /* their mean stays 1: the rate means the same */
        records->weights[i] *= (float)((double)records->count / sum);
    free(counts);
}
