#include "predictor/data/dataset.h"

#include "base/memory.h"

#include <stdlib.h>

ht_illegal ht_dataset_illegal(const ht_dataset *dataset, const ht_rules *rules, size_t *broken) {
    const ht_schema *schema = dataset->schema;
    size_t *counts = ht_alloc(schema->require_count + 1, sizeof *counts);
    ht_completion *completion = ht_completion_new(rules);
    ht_illegal refused = {.by = -1};
    for (size_t i = 0; i < dataset->count; ++i) {
        const uint16_t *target = dataset->targets + i * schema->param_count;
        ht_completion_start(completion, dataset->fields + i * schema->field_count);
        if (ht_completion_legal(completion, target))
            continue;
        ++refused.records;
        int by = ht_completion_broken(completion, target);
        if (by >= 0)
            ++counts[by];
    }
    for (size_t r = 0; r < schema->require_count; ++r) {
        if (counts[r] > refused.by_records) {
            refused.by = (int)r;
            refused.by_records = counts[r];
        }
        if (broken)
            broken[r] += counts[r];
    }
    ht_completion_free(completion);
    free(counts);
    return refused;
}

char *ht_illegal_text(const ht_illegal *refused, const ht_schema *schema) {
    ht_text text = {0};
    if (refused->by < 0)
        return NULL;
    ht_text_printf(&text, "%zu break ", refused->by_records);
    ht_expr_print(schema->requires[refused->by].expr, &text);
    return ht_text_take(&text);
}
