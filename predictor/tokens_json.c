/* The tokenizer as JSON text, for the model file. */
#include "predictor/tokens_internal.h"

#include "base/memory.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, REAL_DIGITS = 17 };

static const char *place_name(const ht_tokenizer *tokenizer, const ht_tokens_place *place) {
    return place->feature ? tokenizer->schema->features[place->index].name
                          : tokenizer->schema->fields[place->index].name;
}

static json_t *print_slot(const ht_tokens_slot *slot) {
    json_t *object = json_object(), *codes = json_array();
    char *name = ht_tokens_slot_name(slot->slot);
    json_object_set_new(object, "slot", json_string(name));
    free(name);
    for (size_t i = 0; i < slot->count; ++i)
        json_array_append_new(codes, json_integer(slot->codes[i]));
    json_object_set_new(object, "codes", codes);
    json_object_set_new(object, "rare", json_boolean(slot->rare != 0));
    return object;
}

static json_t *print_place(const ht_tokenizer *tokenizer, const ht_tokens_place *place) {
    json_t *object = json_object(), *slots = json_array();
    json_object_set_new(object, place->feature ? "feature" : "field",
                        json_string(place_name(tokenizer, place)));
    if (place->deviation > 0) {
        json_object_set_new(object, "mean", json_real(place->mean));
        json_object_set_new(object, "deviation", json_real(place->deviation));
    }
    for (size_t s = 0; s < place->slot_count; ++s)
        json_array_append_new(slots, print_slot(&place->slots[s]));
    json_object_set_new(object, "slots", slots);
    return object;
}

static json_t *print_dropped(const ht_tokenizer *tokenizer, const ht_unseen *dropped) {
    const ht_schema_field *fields = tokenizer->schema->fields;
    json_t *object = json_object();
    json_object_set_new(object, "field", json_string(fields[dropped->field].name));
    if (dropped->constant)
        json_object_set_new(object, "value", json_integer(dropped->value));
    else
        json_object_set_new(object, "same", json_string(fields[dropped->same_as].name));
    return object;
}

void ht_tokenizer_print(const ht_tokenizer *tokenizer, ht_text *out) {
    json_t *root = json_object(), *places = json_array(), *dropped = json_array();
    ht_text kinds = {0};
    ht_tokens_kinds_print(tokenizer->kinds, &kinds);
    json_object_set_new(root, "tokens", json_integer(VERSION));
    json_object_set_new(root, "kinds", json_string(kinds.data));
    for (size_t p = 0; p < tokenizer->place_count; ++p)
        json_array_append_new(places, print_place(tokenizer, &tokenizer->places[p]));
    for (size_t d = 0; d < tokenizer->dropped_count; ++d)
        json_array_append_new(dropped, print_dropped(tokenizer, &tokenizer->dropped[d]));
    json_object_set_new(root, "places", places);
    json_object_set_new(root, "dropped", dropped);
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));
    ht_text_append(out, text);
    free(text);
    ht_text_free(&kinds);
    json_decref(root);
}

static ht_status fail(ht_error *error, const char *what) {
    return ht_error_set(error, HT_ERROR_INPUT,
                        "the tokenizer's description is malformed: %s; train the model again",
                        what);
}

static int feature_index(const ht_schema *schema, const char *name) {
    for (size_t i = 0; i < schema->feature_count; ++i)
        if (!strcmp(schema->features[i].name, name))
            return (int)i;
    return -1;
}

/* Returns the field or feature that object[key] names; -1 when there is none. */
static int named(const ht_schema *schema, const json_t *object, const char *key) {
    const char *name = json_string_value(json_object_get(object, key));
    if (!name)
        return -1;
    return strcmp(key, "feature") != 0 ? ht_schema_field_index(schema, name)
                                       : feature_index(schema, name);
}

static ht_status parse_slot(const json_t *object, ht_tokens_slot *out_slot, ht_error *error) {
    const char *name = json_string_value(json_object_get(object, "slot"));
    const json_t *codes = json_object_get(object, "codes"), *rare = json_object_get(object, "rare");
    size_t slot = 0;
    bool found = false;
    for (; name && slot < HT_TOKENS_SLOTS && !found; ++slot) {
        char *known = ht_tokens_slot_name(slot);
        found = !strcmp(known, name);
        free(known);
    }
    if (!found || !json_is_array(codes) || !json_is_boolean(rare))
        return fail(error, "a slot");
    *out_slot = (ht_tokens_slot){.slot = (uint32_t)slot - 1, .rare = json_is_true(rare)};
    size_t count = json_array_size(codes);
    out_slot->codes = ht_alloc(count + 1, sizeof *out_slot->codes);
    out_slot->count = count;
    for (size_t i = 0; i < count; ++i) {
        const json_t *code = json_array_get(codes, i);
        out_slot->codes[i] = json_integer_value(code);
        if (!json_is_integer(code) || (i && out_slot->codes[i] <= out_slot->codes[i - 1])) {
            free(out_slot->codes);
            return fail(error, "a slot's codes");
        }
    }
    return HT_OK;
}

static ht_status parse_slots(const json_t *slots, ht_tokens_place *place, ht_error *error) {
    if (!json_is_array(slots) || json_array_size(slots) > HT_TOKENS_SLOTS)
        return fail(error, "a place's slots");
    for (size_t s = 0; s < json_array_size(slots); ++s) {
        ht_tokens_slot slot;
        ht_status status = parse_slot(json_array_get(slots, s), &slot, error);
        if (status != HT_OK)
            return status;
        HT_GROW(place->slots, place->slot_count);
        place->slots[place->slot_count++] = slot;
    }
    return HT_OK;
}

static ht_status parse_place(const json_t *object, ht_tokenizer *tokenizer, ht_error *error) {
    bool feature = json_object_get(object, "feature") != NULL;
    int index = named(tokenizer->schema, object, feature ? "feature" : "field");
    const json_t *deviation = json_object_get(object, "deviation");
    if (index < 0)
        return fail(error, "a place that the schema does not have");
    HT_GROW(tokenizer->places, tokenizer->place_count);
    ht_tokens_place *place = &tokenizer->places[tokenizer->place_count++];
    *place = (ht_tokens_place){.feature = feature, .index = (size_t)index};
    if (deviation) {
        place->deviation = json_number_value(deviation);
        place->mean = json_number_value(json_object_get(object, "mean"));
        if (!(place->deviation > 0) || !isfinite(place->deviation) || !isfinite(place->mean))
            return fail(error, "a place's deviation");
    }
    return parse_slots(json_object_get(object, "slots"), place, error);
}

static ht_status parse_dropped(const json_t *object, ht_tokenizer *tokenizer, ht_error *error) {
    int field = named(tokenizer->schema, object, "field");
    int same = named(tokenizer->schema, object, "same");
    const json_t *value = json_object_get(object, "value");
    if (field < 0 || (same < 0) == !json_is_integer(value))
        return fail(error, "a field that was left out");
    HT_GROW(tokenizer->dropped, tokenizer->dropped_count);
    tokenizer->dropped[tokenizer->dropped_count++] =
        (ht_unseen){.field = (size_t)field,
                    .constant = same < 0,
                    .value = json_integer_value(value),
                    .same_as = same < 0 ? 0 : (size_t)same};
    return HT_OK;
}

static ht_status parse_root(const json_t *root, ht_tokenizer *tokenizer, ht_error *error) {
    const json_t *places = json_object_get(root, "places");
    const json_t *dropped = json_object_get(root, "dropped");
    const char *kinds = json_string_value(json_object_get(root, "kinds"));
    const ht_schema *schema = tokenizer->schema;
    if (json_integer_value(json_object_get(root, "tokens")) != VERSION)
        return fail(error, "its version is not 1");
    if (!kinds || ht_tokens_kinds_parse(kinds, &tokenizer->kinds, error) != HT_OK)
        return fail(error, "its kinds");
    size_t most = schema->field_count + schema->feature_count;
    if (!json_array_size(places) || json_array_size(places) > most)
        return fail(error, "its places");
    ht_status status = HT_OK;
    for (size_t p = 0; status == HT_OK && p < json_array_size(places); ++p)
        status = parse_place(json_array_get(places, p), tokenizer, error);
    if (status == HT_OK && json_array_size(dropped) > schema->field_count)
        status = fail(error, "its fields that were left out");
    for (size_t d = 0; status == HT_OK && d < json_array_size(dropped); ++d)
        status = parse_dropped(json_array_get(dropped, d), tokenizer, error);
    return status;
}

ht_status ht_tokenizer_parse(const ht_schema *schema, const char *text,
                             ht_tokenizer **out_tokenizer, ht_error *error) {
    json_error_t why;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!root)
        return fail(error, why.text);
    ht_tokenizer *tokenizer = ht_alloc(1, sizeof *tokenizer);
    tokenizer->schema = schema;
    ht_status status = parse_root(root, tokenizer, error);
    json_decref(root);
    if (status == HT_OK) {
        ht_tokenizer_finish(tokenizer);
        *out_tokenizer = tokenizer;
    } else {
        ht_tokenizer_free(tokenizer);
    }
    return status;
}
