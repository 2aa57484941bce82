/* The way from a problem to an input sequence. */
#include "predictor/tokens_internal.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value has an identifier of its own when at least this many records have it; the answer of
 * another slot when one has it. */
enum { VALUE_COUNT_MIN = 8 };

/* The values of one field or feature in all records. */
typedef struct column {
    int64_t *values;
    size_t count;
} column;

static int by_number(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Returns all columns: fields, then features. free() the values of the first. */
static column *columns_of(const ht_dataset *dataset) {
    const ht_schema *schema = dataset->schema;
    size_t fields = schema->field_count, features = schema->feature_count, count = dataset->count;
    column *columns = ht_alloc(fields + features, sizeof *columns);
    int64_t *all = ht_alloc((fields + features) * count + 1, sizeof *all);
    for (size_t c = 0; c < fields + features; ++c)
        columns[c] = (column){all + c * count, count};
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; ++i) {
        const int64_t *record = dataset->fields + i * fields;
        int64_t derived[HT_SCHEMA_RULES_MAX];
        ht_schema_features(schema, record, derived);
        for (size_t c = 0; c < fields; ++c)
            columns[c].values[i] = record[c];
        for (size_t c = 0; c < features; ++c)
            columns[fields + c].values[i] = derived[c];
    }
    return columns;
}

static bool constant(const column *of) {
    for (size_t i = 1; i < of->count; ++i)
        if (of->values[i] != of->values[0])
            return false;
    return true;
}

/* The different values of a column, ascending, with how often each occurs. */
typedef struct distinct {
    int64_t *values;
    size_t *times;
    size_t count;
} distinct;

static distinct distinct_of(const column *of) {
    distinct all = {.values = ht_alloc(of->count, sizeof *all.values),
                    .times = ht_alloc(of->count, sizeof *all.times)};
    memcpy(all.values, of->values, of->count * sizeof *all.values);
    qsort(all.values, of->count, sizeof *all.values, by_number);
    for (size_t i = 0; i < of->count; ++i) {
        if (!all.count || all.values[all.count - 1] != all.values[i])
            all.values[all.count++] = all.values[i];
        ++all.times[all.count - 1];
    }
    return all;
}

/* Finds what a slot distinguishes at this place; false when that is nothing. */
static bool make_slot(const distinct *of, size_t slot, bool enumeration, ht_tokens_slot *out_slot) {
    size_t least = slot == 0 && !enumeration ? VALUE_COUNT_MIN : 1, count = 0, kept = 0;
    bool silent = false; /* has nothing to say about some values */
    int64_t *codes = ht_alloc(of->count, sizeof *codes);
    for (size_t i = 0; i < of->count; ++i) {
        codes[count] = ht_tokens_code(slot, of->values[i]);
        silent |= codes[count] == HT_TOKENS_NO_CODE;
        count += codes[count] != HT_TOKENS_NO_CODE && of->times[i] >= least;
    }
    qsort(codes, count, sizeof *codes, by_number);
    for (size_t i = 0; i < count; ++i)
        if (!kept || codes[kept - 1] != codes[i])
            codes[kept++] = codes[i];
    *out_slot =
        (ht_tokens_slot){.slot = (uint32_t)slot, .codes = codes, .count = kept, .rare = slot == 0};
    if (kept + silent > 1 || (kept && kept < of->count && slot == 0))
        return true;
    free(codes);
    return false;
}

static void measure(const column *of, ht_tokens_place *place) {
    double sum = 0, squares = 0, count = (double)of->count;
    for (size_t i = 0; i < of->count; ++i)
        sum += ht_tokens_log(of->values[i]);
    place->mean = sum / count;
    for (size_t i = 0; i < of->count; ++i) {
        double off = ht_tokens_log(of->values[i]) - place->mean;
        squares += off * off;
    }
    place->deviation = sqrt(squares / count);
    if (!(place->deviation > 1e-6))
        place->deviation = 1;
}

static void add_place(ht_tokenizer *tokenizer, const column *of, bool feature, size_t index) {
    HT_GROW(tokenizer->places, tokenizer->place_count);
    ht_tokens_place *place = &tokenizer->places[tokenizer->place_count++];
    *place = (ht_tokens_place){.feature = feature, .index = index};
    bool enumeration = !feature && tokenizer->schema->fields[index].names;
    distinct values = distinct_of(of);
    for (size_t slot = 0; slot < HT_TOKENS_SLOTS; ++slot) {
        ht_tokens_slot made;
        bool wanted = enumeration ? slot == 0 : ht_tokens_slot_kind(slot) & tokenizer->kinds;
        if (!wanted || !make_slot(&values, slot, enumeration, &made))
            continue;
        HT_GROW(place->slots, place->slot_count);
        place->slots[place->slot_count++] = made;
    }
    free(values.values);
    free(values.times);
    if (!enumeration)
        measure(of, place);
}

/* Drops a field that is always one value, or always that of an earlier place. Features likewise,
 * but nothing need be remembered of them. */
static bool drop(ht_tokenizer *tokenizer, const column *columns, size_t c) {
    size_t fields = tokenizer->schema->field_count, same = c;
    bool always = constant(&columns[c]);
    for (size_t p = 0; !always && same == c && p < tokenizer->place_count; ++p) {
        const ht_tokens_place *place = &tokenizer->places[p];
        size_t other = place->index + (place->feature ? fields : 0);
        if (!memcmp(columns[other].values, columns[c].values,
                    columns[c].count * sizeof *columns[c].values))
            same = other;
    }
    if (!always && same == c)
        return false;
    if (c < fields) {
        HT_GROW(tokenizer->dropped, tokenizer->dropped_count);
        tokenizer->dropped[tokenizer->dropped_count++] = (ht_unseen){
            .field = c, .constant = always, .value = columns[c].values[0], .same_as = same};
    }
    return true;
}

void ht_tokenizer_finish(ht_tokenizer *tokenizer) {
    ht_input_shape *shape = &tokenizer->shape;
    *shape = (ht_input_shape){.positions = (uint32_t)tokenizer->place_count, .vocabulary = 1};
    for (size_t p = 0; p < tokenizer->place_count; ++p) {
        ht_tokens_place *place = &tokenizer->places[p];
        place->identity = shape->vocabulary++;
        for (size_t s = 0; s < place->slot_count; ++s) {
            ht_tokens_slot *slot = &place->slots[s];
            slot->first = shape->vocabulary;
            shape->vocabulary += (uint32_t)slot->count;
            if (slot->rare)
                slot->rare = shape->vocabulary++;
        }
        if (shape->ids < place->slot_count + 1)
            shape->ids = (uint32_t)place->slot_count + 1;
    }
    shape->features = (uint32_t)ht_tokens_feature_count(tokenizer->kinds);
}

ht_status ht_tokenizer_make(const ht_dataset *dataset, const char *kinds,
                            ht_tokenizer **out_tokenizer, ht_error *error) {
    unsigned bits;
    ht_status status = ht_tokens_kinds_parse(kinds, &bits, error);
    if (status == HT_OK && !dataset->count)
        status = ht_error_set(error, HT_ERROR_INPUT, "there are no records to learn tokens from");
    if (status != HT_OK)
        return status;
    size_t fields = dataset->schema->field_count;
    ht_tokenizer *tokenizer = ht_alloc(1, sizeof *tokenizer);
    *tokenizer = (ht_tokenizer){.schema = dataset->schema, .kinds = bits};
    column *columns = columns_of(dataset);
    for (size_t c = 0; c < fields + dataset->schema->feature_count; ++c)
        if (!drop(tokenizer, columns, c))
            add_place(tokenizer, &columns[c], c >= fields, c < fields ? c : c - fields);
    if (!tokenizer->place_count) /* one problem only: something must stand there */
        add_place(tokenizer, &columns[0], false, 0);
    ht_tokenizer_finish(tokenizer);
    free(columns[0].values);
    free(columns);
    *out_tokenizer = tokenizer;
    return HT_OK;
}

void ht_tokenizer_free(ht_tokenizer *tokenizer) {
    if (!tokenizer)
        return;
    for (size_t p = 0; p < tokenizer->place_count; ++p) {
        for (size_t s = 0; s < tokenizer->places[p].slot_count; ++s)
            free(tokenizer->places[p].slots[s].codes);
        free(tokenizer->places[p].slots);
    }
    free(tokenizer->places);
    free(tokenizer->dropped);
    free(tokenizer);
}

const ht_input_shape *ht_tokenizer_shape(const ht_tokenizer *tokenizer) {
    return &tokenizer->shape;
}

static uint32_t identifier(const ht_tokens_slot *slot, int64_t value) {
    int64_t code = ht_tokens_code(slot->slot, value);
    if (code == HT_TOKENS_NO_CODE && slot->slot)
        return 0;
    const int64_t *found = bsearch(&code, slot->codes, slot->count, sizeof code, by_number);
    return found ? slot->first + (uint32_t)(found - slot->codes) : slot->rare;
}

void ht_tokenizer_encode(const ht_tokenizer *tokenizer, const int64_t *fields, uint32_t *out_ids,
                         float *out_features) {
    const ht_input_shape *shape = &tokenizer->shape;
    int64_t derived[HT_SCHEMA_RULES_MAX];
    ht_schema_features(tokenizer->schema, fields, derived);
    memset(out_ids, 0, (size_t)shape->positions * shape->ids * sizeof *out_ids);
    if (shape->features)
        memset(out_features, 0, (size_t)shape->positions * shape->features * sizeof *out_features);
    for (size_t p = 0; p < tokenizer->place_count; ++p) {
        const ht_tokens_place *place = &tokenizer->places[p];
        int64_t value = place->feature ? derived[place->index] : fields[place->index];
        uint32_t *ids = out_ids + p * shape->ids;
        ids[0] = place->identity;
        for (size_t s = 0; s < place->slot_count; ++s)
            ids[s + 1] = identifier(&place->slots[s], value);
        if (shape->features && place->deviation > 0)
            ht_tokens_features(tokenizer->kinds, value, place->mean, place->deviation,
                               out_features + p * shape->features);
    }
}

size_t ht_tokenizer_unseen(const ht_tokenizer *tokenizer, const int64_t *fields,
                           ht_unseen *out_unseen) {
    size_t count = 0;
    for (size_t i = 0; i < tokenizer->dropped_count; ++i) {
        const ht_unseen *dropped = &tokenizer->dropped[i];
        int64_t expected = dropped->constant ? dropped->value : fields[dropped->same_as];
        if (fields[dropped->field] != expected)
            out_unseen[count++] = *dropped;
    }
    return count;
}
