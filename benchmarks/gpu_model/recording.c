#include "benchmarks/gpu_model/recording.h"

#include "base/memory.h"
#include "base/text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static ht_status read_text(const char *path, ht_text *out, ht_error *error) {
    char buffer[65536];
    int got;
    gzFile file = gzopen(path, "rb");
    if (!file)
        return ht_error_set(error, HT_ERROR_IO, "%s: cannot be read", path);
    while ((got = gzread(file, buffer, sizeof buffer)) > 0)
        ht_text_append_n(out, buffer, (size_t)got);
    gzclose(file);
    return got < 0 ? ht_error_set(error, HT_ERROR_IO, "%s: is damaged", path) : HT_OK;
}

static void read_row(ht_recording *recording, const json_t *object) {
    ht_recorded row = {0};
    for (size_t i = 0; i < recording->param_count; ++i)
        row.values[i] = (long)json_integer_value(json_object_get(object, recording->names[i]));
    row.ms = json_number_value(json_object_get(object, "time")); /* 0 for a failure's text */
    HT_GROW(recording->rows, recording->count);
    recording->rows[recording->count++] = row;
}

static ht_status read_document(ht_recording *recording, json_t *document, const char *path,
                               ht_error *error) {
    const json_t *keys = json_object_get(document, "tune_params_keys");
    json_t *cache = json_object_get(document, "cache");
    const char *name;
    json_t *value;
    if (!json_is_object(cache) || json_array_size(keys) == 0 ||
        json_array_size(keys) > HT_RECORDED_PARAMS)
        return ht_error_set(error, HT_ERROR_INPUT, "%s: is not a recorded tuning run", path);
    for (size_t i = 0; i < json_array_size(keys); ++i) {
        const char *key = json_string_value(json_array_get(keys, i));
        recording->names[recording->param_count++] = ht_strdup(key ? key : "");
    }
    json_object_foreach(cache, name, value) read_row(recording, value);
    return HT_OK;
}

ht_status ht_recording_read(const char *path, ht_recording *out_recording, ht_error *error) {
    ht_text text = {0};
    json_error_t fault;
    *out_recording = (ht_recording){0};
    ht_status status = read_text(path, &text, error);
    json_t *document = NULL;
    if (!status && !(document = json_loadb(text.data, text.length, 0, &fault)))
        status = ht_error_set(error, HT_ERROR_INPUT, "%s:%d: %s", path, fault.line, fault.text);
    if (!status)
        status = read_document(out_recording, document, path, error);
    json_decref(document);
    ht_text_free(&text);
    return status;
}

long ht_recorded_value(const ht_recording *recording, const ht_recorded *row, const char *name,
                       long otherwise) {
    for (size_t i = 0; i < recording->param_count; ++i)
        if (strcmp(recording->names[i], name) == 0)
            return row->values[i];
    return otherwise;
}

void ht_recording_free(ht_recording *recording) {
    for (size_t i = 0; i < recording->param_count; ++i)
        free(recording->names[i]);
    free(recording->rows);
    *recording = (ht_recording){0};
}
