#include "predictor/data/split.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t fold_seed = 1; /* folds are the same in every run */
static const uint32_t share_folds = 1000000;

/* Picks rows of `width` bytes; NULL stays NULL. */
static void *rows_pick(const void *all, size_t width, const uint32_t *rows, size_t count) {
    if (!all)
        return NULL;
    char *copy = ht_alloc(count + 1, width);
    for (size_t i = 0; i < count; ++i)
        memcpy(copy + i * width, (const char *)all + rows[i] * width, width);
    return copy;
}

void ht_dataset_pick(const ht_dataset *dataset, const uint32_t *rows, size_t count,
                     ht_dataset *out_dataset) {
    const ht_schema *schema = dataset->schema;
    *out_dataset = (ht_dataset){
        .schema = schema,
        .count = count,
        .capacity = count,
        .fields = rows_pick(dataset->fields, schema->field_count * sizeof(int64_t), rows, count),
        .targets = rows_pick(dataset->targets, schema->param_count * sizeof(uint16_t), rows, count),
        .weights = rows_pick(dataset->weights, sizeof(float), rows, count),
        .groups = rows_pick(dataset->groups, sizeof(uint64_t), rows, count),
        .skipped = dataset->skipped,
    };
}

ht_status ht_fold_parse(const char *text, ht_fold *out_fold, ht_error *error) {
    char *end;
    unsigned long index = strtoul(text, &end, 10), count = 0;
    bool good = text[0] >= '0' && text[0] <= '9' && *end == '/' && end[1] >= '0' && end[1] <= '9';
    if (good) {
        count = strtoul(end + 1, &end, 10);
        good = *end == 0 && count >= 2 && count <= 1000 && index >= 1 && index <= count;
    }
    if (!good)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "'%.40s' is no fold; one is I/K, such as 1/5 to 5/5", text);
    *out_fold = (ht_fold){.index = (uint32_t)index - 1, .count = (uint32_t)count};
    return HT_OK;
}

void ht_dataset_ungroup(ht_dataset *dataset) {
    size_t fields = dataset->schema->field_count, params = dataset->schema->param_count;
    for (size_t i = 0; i < dataset->count; ++i) {
        uint64_t parts[2] = {
            ht_hash_short(dataset->fields + i * fields, fields * sizeof *dataset->fields),
            ht_hash_short(dataset->targets + i * params, params * sizeof *dataset->targets)};
        dataset->groups[i] = ht_hash_short(parts, sizeof parts);
    }
}

/* Splits by whether a record's part out of `folds` is from `first` on and below `end`. */
static void split(const ht_dataset *dataset, uint32_t folds, uint64_t seed, uint32_t first,
                  uint32_t end, ht_dataset *out_inside, ht_dataset *out_outside) {
    uint32_t *inside = ht_alloc(dataset->count + 1, sizeof *inside);
    uint32_t *outside = ht_alloc(dataset->count + 1, sizeof *outside);
    size_t inside_count = 0, outside_count = 0;
    for (size_t i = 0; i < dataset->count; ++i) {
        uint32_t fold = ht_group_fold(dataset->groups[i], folds, seed);
        if (fold >= first && fold < end)
            inside[inside_count++] = (uint32_t)i;
        else
            outside[outside_count++] = (uint32_t)i;
    }
    ht_dataset_pick(dataset, inside, inside_count, out_inside);
    ht_dataset_pick(dataset, outside, outside_count, out_outside);
    free(inside);
    free(outside);
}

void ht_dataset_split_fold(const ht_dataset *dataset, const ht_fold *fold, ht_dataset *out_inside,
                           ht_dataset *out_outside) {
    split(dataset, fold->count, fold_seed, fold->index, fold->index + 1, out_inside, out_outside);
}

void ht_dataset_split_share(const ht_dataset *dataset, double share, uint64_t seed,
                            ht_dataset *out_inside, ht_dataset *out_outside) {
    /* Another stream than the folds', so that a share is taken evenly out of each. */
    split(dataset, share_folds, seed + 0x5eed, 0, (uint32_t)(share * share_folds + 0.5), out_inside,
          out_outside);
}
