#include "pipeline/nightly/night_internal.h"

#include "base/file.h"
#include "pipeline/entry_kept.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys of kernels */

static void part_set(void *context, const char *name, const char *text) {
    json_object_set_new(context, name, ht_report_json_text(text));
}

json_t *ht_night_entry_key(const ht_night *night, const ht_entry *entry,
                           char out_key[HT_HASH_SIZE]) {
    const ht_night_device *device = night->turn->device;
    out_key[0] = 0;
    if (!entry->template)
        return NULL;
    json_t *parts = json_object();
    ht_status status = ht_tuning_identify(&device->session, entry->template, entry->instance,
                                          part_set, parts, NULL);
    json_object_set(parts, "choices", json_object_get(device->common, "choices"));
    char *text = status == HT_OK ? json_dumps(parts, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (!text) {
        json_decref(parts);
        return NULL;
    }
    ht_hash_bytes(text, strlen(text), out_key);
    free(text);
    return parts;
}

int64_t ht_night_number_of(const ht_entries *entries, size_t index) {
    int64_t number = 0;
    for (size_t i = 0; i < index; ++i)
        number += strcmp(entries->items[i].name, entries->items[index].name) == 0 &&
                  strcmp(entries->items[i].problem ? entries->items[i].problem : "",
                         entries->items[index].problem ? entries->items[index].problem : "") == 0;
    return number;
}

/* Returns the latest document of a kernel with this key; new reference; NULL: there is none. */
static json_t *known_document(const ht_night *night, const char *key) {
    ht_night_result like = {.kernel_key = (char *)key};
    ht_night_results results;
    json_t *document = NULL;
    if (ht_nights_find(night->nights, &like, &results, NULL) == HT_OK && results.count > 0)
        document = json_loads(results.items[results.count - 1].document, 0, NULL);
    ht_night_results_free(&results);
    return document;
}

/* Takes an earlier result over, if its configuration is still one of the template's. */
static bool entry_settle(ht_entry *entry, const json_t *document) {
    const json_t *row = json_object_get(document, "entry");
    const char *config = ht_report_text_of(document, "config");
    ht_config parsed;
    bool has = *config && ht_config_parse(entry->template, config, &parsed, NULL) == HT_OK;
    if (!json_is_object(row) || (*config && !has))
        return false;
    ht_entry_take(row, entry);
    entry->result.has_config = has;
    if (has)
        entry->result.config = parsed;
    entry->settled = true;
    return true;
}

void ht_night_settle_known(ht_night *night) {
    ht_entries *entries = &night->survey->entries;
    for (size_t i = 0; i < entries->count; ++i) {
        ht_entry *entry = &entries->items[i];
        char key[HT_HASH_SIZE];
        json_t *parts = entry->settled ? NULL : ht_night_entry_key(night, entry, key);
        json_t *document = parts ? known_document(night, key) : NULL;
        if (document && ht_night_is_complete(night, document) &&
            !ht_night_is_due(night, document) && entry_settle(entry, document))
            night->documents[i] = json_incref(document);
        json_decref(document);
        json_decref(parts);
    }
}

/* ---- the same kernel in an earlier night */

/* Returns the last document that fits, if it is not that the kernel is gone; new reference. */
static json_t *last_document(ht_nights *nights, const ht_night_result *like, int64_t number) {
    ht_night_results results;
    json_t *document = NULL;
    if (ht_nights_find(nights, like, &results, NULL) != HT_OK)
        return NULL;
    for (size_t i = 0; i < results.count; ++i)
        if (number < 0 || results.items[i].number == number) {
            json_decref(document);
            document = json_loads(results.items[i].document, 0, NULL);
        }
    ht_night_results_free(&results);
    if (json_is_true(json_object_get(document, "gone"))) {
        json_decref(document);
        document = NULL;
    }
    return document;
}

/* First under its name, else what has its key: the file may have been renamed. */
static json_t *document_find(ht_nights *nights, const ht_night_result *like) {
    const ht_night_result keyed = {.night = like->night, .kernel_key = like->kernel_key};
    ht_night_result named = *like;
    named.kernel_key = NULL;
    json_t *document = last_document(nights, &named, like->number);
    if (!document && *like->kernel_key)
        document = last_document(nights, &keyed, -1);
    return document;
}

json_t *ht_night_earlier(const ht_night *night, const ht_entry *entry, int64_t number,
                         const char *key) {
    const ht_night_result like = {.night = night->number,
                                  .number = number,
                                  .kernel = entry->name,
                                  .problem = entry->problem ? entry->problem : "",
                                  .device = (char *)night->turn->device->session.device.name,
                                  .file = night->sources.items[entry->source].path,
                                  .kernel_key = (char *)key};
    return document_find(night->nights, &like);
}

/* ---- the same kernel in what verdicts are against */

ht_status ht_night_baseline_open(ht_night *night, ht_error *error) {
    const char *name = night->options->baseline;
    if (!name || !night->nights)
        return HT_OK;
    if (ht_file_exists(name))
        return ht_error_named(ht_nights_read(name, &night->baseline, error), error);
    night->tagged = ht_nights_tagged(night->nights, name);
    if (night->tagged > 0)
        return HT_OK;
    return ht_error_set(
        error, HT_ERROR_INPUT,
        "option --baseline: there is no file '%s', and no night of the database has "
        "this tag; `hiptemper run --tag %s` gives one a tag",
        name, name);
}

bool ht_night_has_baseline(const ht_night *night) {
    return night->baseline || night->tagged > 0;
}

json_t *ht_night_baseline(const ht_night *night, const ht_night_result *result) {
    ht_night_result like = *result;
    like.job = NULL;
    like.source_key = NULL;
    like.night = night->baseline ? 0 : night->tagged + 1;
    return document_find(night->baseline ? night->baseline : night->nights, &like);
}
