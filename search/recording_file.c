/* Recordings in files: the format, packed or not. */
#include "search/recording_format.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "search/recording_gzip.h"

#include <stdlib.h>
#include <string.h>

/* The largest public runs are a few tens of megabytes unpacked. */
static const size_t packed_limit = (size_t)256 << 20, unpacked_limit = (size_t)1 << 30;

static ht_status parse_document(ht_recording_reader *reader, const json_t *root,
                                ht_recording_format format) {
    if (!json_is_object(root))
        return ht_recording_fail(reader, "expected an object {...}");
    if (format == HT_RECORDING_GUESS && json_object_get(root, "cache"))
        format = HT_RECORDING_CACHE;
    if (format == HT_RECORDING_GUESS && json_object_get(root, "results"))
        format = HT_RECORDING_T4;
    if (format == HT_RECORDING_GUESS)
        return ht_recording_fail(reader, "is no recorded run: a Kernel Tuner cache file has "
                                         "\"cache\", a T4 file has \"results\"");
    reader->recording->format = format;
    ht_status status = format == HT_RECORDING_CACHE ? ht_recording_read_cache(reader, root)
                                                    : ht_recording_read_t4(reader, root);
    if (status != HT_OK)
        return status;
    if (!reader->recording->record_count)
        return ht_recording_fail(reader, "the run has no configurations");
    size_t doubled = ht_recording_double(reader->recording);
    if (doubled == SIZE_MAX)
        return HT_OK;
    reader->key = NULL;
    reader->entry = SIZE_MAX;
    char *config = ht_recording_config(reader->recording, doubled);
    status = ht_recording_fail(reader, "configuration %.600s is there twice", config);
    free(config);
    return status;
}

ht_status ht_recording_parse(const char *text, size_t length, const char *path,
                             ht_recording_format format, ht_recording **out_recording,
                             ht_error *error) {
    json_error_t json_error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &json_error);
    if (!root) {
        bool early = json_error_code(&json_error) == json_error_premature_end_of_input;
        return ht_error_set_at(
            error, HT_ERROR_INPUT, path, json_error.line > 0 ? json_error.line : 0,
            json_error.column > 0 ? json_error.column : 0, "malformed JSON: %s%s", json_error.text,
            early ? "; the file ends too early: copy it again (Kernel Tuner closes a cache file "
                    "only at the end of a run: put }} in place of its last comma)"
                  : "");
    }
    ht_recording_reader reader = {
        .recording = ht_recording_new(path), .error = error, .entry = SIZE_MAX, .unit = 1};
    ht_status status = parse_document(&reader, root, format);
    json_decref(root);
    if (status == HT_OK)
        *out_recording = reader.recording;
    else
        ht_recording_free(reader.recording);
    return status;
}

ht_status ht_recording_read(const char *path, ht_recording_format format,
                            ht_recording **out_recording, ht_error *error) {
    char *data;
    size_t length;
    ht_status status = ht_file_read(path, packed_limit, &data, &length, error);
    if (status != HT_OK)
        return status;
    if (ht_gzip_is(data, length)) {
        char *packed = data;
        status = ht_gzip_unpack(packed, length, unpacked_limit, path, &data, &length, error);
        free(packed);
        if (status != HT_OK)
            return status;
    }
    status = ht_recording_parse(data, length, path, format, out_recording, error);
    free(data);
    return status;
}

void ht_recording_print(const ht_recording *recording, ht_recording_format format, ht_text *out) {
    if (format == HT_RECORDING_T4)
        ht_recording_print_t4(recording, out);
    else
        ht_recording_print_cache(recording, out);
}

ht_status ht_recording_write(const ht_recording *recording, ht_recording_format format,
                             const char *path, ht_error *error) {
    ht_text text = {0};
    size_t length = strlen(path);
    ht_recording_print(recording, format, &text);
    if (length > 3 && !strcmp(path + length - 3, ".gz")) {
        size_t packed_length;
        void *packed = ht_gzip_pack(text.data, text.length, &packed_length);
        ht_text_free(&text);
        text = (ht_text){.data = packed, .length = packed_length};
    }
    ht_status status = ht_result_write(path, text.data, text.length, error);
    ht_text_free(&text);
    return status;
}
