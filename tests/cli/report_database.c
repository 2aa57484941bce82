#include "report_database.h"

#include "base/file.h"
#include "base/memory.h"
#include "program.h"
#include "runtime/store/database.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const char job[] = "/jobs/nightly.json";

ht_nights *fake_open(const char *name) {
    ht_nights *nights;
    ht_error error = {0};
    char *path = ht_path_join(workplace(), name);
    cr_assert_eq(ht_nights_open(path, &nights, &error), HT_OK, "%s", error.message);
    free(path);
    return nights;
}

int64_t fake_begin(ht_nights *nights) {
    int64_t night;
    cr_assert_eq(ht_nights_begin(nights, job, &(ht_night_name){0}, &night, NULL), HT_OK);
    return night;
}

/* Returns 24 rounds that scatter by 1 % about a time. */
static json_t *times_of(double ms) {
    json_t *times = json_array();
    for (int i = 0; i < 24; ++i)
        json_array_append_new(times, json_real(ms * (1 + 0.01 * ((i * 7) % 5 - 2) / 2)));
    return times;
}

static json_t *parts_of(const fake_result *result) {
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "kernel", result->kernel, "code",
                     result->key, "problem", "N=16", "device", "host: host emulation", "compiler",
                     "clang 19", "method", "m", "settings", "s", "checking", "outputs");
}

static json_t *document_of(int64_t night, const fake_result *result) {
    bool timed = result->tuned > 0;
    json_t *entry =
        json_pack("{s:s, s:b, s:i}", "status", result->status ? result->status : "improved",
                  "emulated", 1, "line", 7);
    json_t *document =
        json_pack("{s:o, s:I, s:s, s:i, s:o}", "entry", entry, "night", (json_int_t)night, "config",
                  "BLOCK=32", "evaluations", 40, "parts", parts_of(result));
    if (result->diff)
        json_object_set_new(entry, "patch_file", json_string("out/tuned.patch"));
    if (!timed)
        return document;
    double speedup = result->original / result->tuned;
    json_object_set_new(entry, "speedup", json_real(speedup));
    json_object_set_new(entry, "speedup_ci", json_pack("[f, f]", speedup * 0.98, speedup * 1.02));
    json_object_set_new(entry, "tuned_ms", json_real(result->tuned / 10));
    json_object_set_new(entry, "original_ms", json_real(result->original / 10));
    json_object_set_new(document, "timed", json_integer(1790000000));
    json_object_set_new(document, "watch",
                        json_pack("{s:i, s:o, s:o, s:o}", "rounds", 24, "calibration",
                                  times_of(0.1), "original", times_of(result->original / 10),
                                  "incumbent", times_of(result->tuned / 10)));
    return document;
}

void fake_put(ht_nights *nights, int64_t night, const fake_result *result) {
    json_t *document = document_of(night, result);
    char *text = json_dumps(document, JSON_COMPACT);
    const ht_night_result row = {.night = night,
                                 .job = (char *)job,
                                 .kernel = (char *)result->kernel,
                                 .problem = (char *)result->problem,
                                 .device = "host",
                                 .file = (char *)result->file,
                                 .source_key = (char *)result->key,
                                 .kernel_key = (char *)result->key,
                                 .document = text};
    cr_assert_eq(ht_nights_put(nights, &row, NULL), HT_OK);
    if (result->diff)
        cr_assert_eq(ht_nights_put_file(nights, result->key, "tuned.patch", result->diff, NULL),
                     HT_OK);
    free(text);
    json_decref(document);
}

void fake_end(ht_nights *nights, int64_t night, json_t *rows) {
    fake_end_of(nights, night, rows, NULL, NULL);
}

void fake_end_of(ht_nights *nights, int64_t night, json_t *rows, const char *shard,
                 const char *device) {
    json_t *document =
        json_pack("{s:s, s:s, s:s, s:f, s:f, s:i, s:f}", "host", "night.example", "hiptemper",
                  "0.1.0", "commit", "0123456789abcdef0123456789abcdef01234567", "budget", 60.0,
                  "seconds", 59.0, "exit", 0, "least_effect", 0.02);
    if (rows)
        json_object_set_new(document, "kernels", rows);
    if (shard)
        json_object_set_new(document, "shard", json_string(shard));
    if (device)
        json_object_set_new(document, "devices", json_pack("[s]", device));
    char *text = json_dumps(document, JSON_COMPACT);
    cr_assert_eq(ht_nights_end(nights, night, text, NULL), HT_OK);
    free(text);
    json_decref(document);
}

void fake_search(const char *name, const char *kernel, const char *key, int count) {
    ht_database *database;
    ht_error error = {0};
    char *path = ht_path_join(workplace(), name);
    cr_assert_eq(ht_database_open(path, &database, &error), HT_OK, "%s", error.message);
    const ht_database_key whole = {.source_hash = key,
                                   .template_name = kernel,
                                   .template_hash = key,
                                   .problem = "N=16",
                                   .device = "host: host emulation",
                                   .compiler = "clang 19",
                                   .method = "m",
                                   .settings = "s",
                                   .checking = "outputs"};
    for (int i = -1; i < count; ++i) {
        bool ok = i < 0 || i % 5 != 4;
        double ms = i < 0 ? 2 : 0.5 + 1.5 * (double)(count - i - 1) / count;
        double samples[] = {ms * 0.99, ms, ms * 1.01, ms, ms, ms, ms};
        char *config = i < 0 ? ht_strdup("original")
                             : ht_format("BLOCK=%d TILED=%s TYPE=\"long long\"", 16 << (i % 3),
                                         i / 3 % 2 ? "true" : "false");
        if (i >= 6) { /* every configuration is another one */
            free(config);
            config = ht_format("BLOCK=%d TILED=true TYPE=%d", 16 << (i % 3), i);
        }
        char *reason = ht_format("mismatch: 'out'[%d] is 0.5, expected 0.25", i);
        const ht_evaluation evaluation = {.config = config,
                                          .status = ok ? HT_OK : HT_ERROR_MISMATCH,
                                          .reason = ok ? NULL : reason,
                                          .cost = ok ? ms : 0,
                                          .samples = samples,
                                          .sample_count = ok ? 7 : 0};
        cr_assert_eq(ht_database_put(database, &whole, &evaluation, &error), HT_OK, "%s",
                     error.message);
        free(config);
        free(reason);
    }
    ht_database_close(database);
    free(path);
}
