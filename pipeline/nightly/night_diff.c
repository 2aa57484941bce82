#include "pipeline/nightly/night_diff.h"

#include "base/file.h"
#include "base/memory.h"
#include "pipeline/nightly/night_verdict.h"
#include "pipeline/report.h"
#include "runtime/store/nights.h"

#include <stdlib.h>
#include <string.h>

/* ---- loading */

static json_t *row_of(const ht_night_result *result, const json_t *document) {
    static const char *const of_entry[] = {"status", "speedup", "speedup_ci", NULL};
    static const char *const of_document[] = {"watch", "history", "config", "evaluations", NULL};
    json_t *row =
        json_pack("{s:o, s:o, s:o, s:o, s:s, s:I}", "kernel", ht_report_json_text(result->kernel),
                  "problem", ht_report_json_text(result->problem), "device",
                  ht_report_json_text(result->device), "file", ht_report_json_text(result->file),
                  "kernel_key", result->kernel_key, "night", (json_int_t)result->night);
    ht_report_json_copy(row, json_object_get(document, "entry"), of_entry);
    ht_report_json_copy(row, document, of_document);
    return row;
}

static ht_status database_load(const char *path, json_t *rows, ht_error *error) {
    ht_nights *nights;
    ht_night_results results;
    ht_status status = ht_nights_read(path, &nights, error);
    if (status != HT_OK)
        return ht_error_named(status, error);
    status = ht_nights_find(nights, &(ht_night_result){0}, &results, error);
    for (size_t i = 0; i < results.count; ++i) {
        json_t *document = json_loads(results.items[i].document, 0, NULL);
        if (*results.items[i].kernel && !json_is_true(json_object_get(document, "gone")))
            json_array_append_new(rows, row_of(&results.items[i], document));
        json_decref(document);
    }
    ht_night_results_free(&results);
    ht_nights_close(nights);
    return status;
}

static ht_status report_load(const char *path, const char *text, json_t *rows, ht_error *error) {
    json_error_t at;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &at);
    if (!document)
        return ht_error_set_at(error, HT_ERROR_INPUT, path, at.line > 0 ? at.line : 1, 0,
                               "malformed JSON: %s", at.text);
    ht_status status = HT_OK;
    size_t index;
    json_t *row;
    if (strcmp(ht_report_text_of(document, "format"), "hiptemper-run") != 0)
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 1, 0,
                                 "this is no report of `hiptemper run --json`; name one, or a "
                                 "database of it");
    json_array_foreach(json_object_get(document, "kernels"), index, row) {
        const char *verdict = ht_report_text_of(row, "verdict");
        if (status == HT_OK && *ht_report_text_of(row, "kernel") && strcmp(verdict, "gone") != 0)
            json_array_append(rows, row);
    }
    json_decref(document);
    return status;
}

ht_status ht_night_rows_load(const char *path, json_t **out_rows, ht_error *error) {
    char *text = NULL;
    size_t length = 0;
    *out_rows = NULL;
    ht_status status = ht_file_read(path, 256 << 20, &text, &length, error);
    if (status != HT_OK)
        return ht_error_named(status, error);
    json_t *rows = json_array();
    bool database = length >= 15 && memcmp(text, "SQLite format 3", 15) == 0;
    status = database ? database_load(path, rows, error) : report_load(path, text, rows, error);
    free(text);
    if (status == HT_OK)
        *out_rows = rows;
    else
        json_decref(rows);
    return status;
}

/* ---- comparing */

static bool same_at(const json_t *a, const json_t *b, const char *key) {
    return strcmp(ht_report_text_of(a, key), ht_report_text_of(b, key)) == 0;
}

static bool same_name(const json_t *a, const json_t *b) {
    return same_at(a, b, "kernel") && same_at(a, b, "problem") && same_at(a, b, "device");
}

/* Returns the row's number among those before it of its name and file. */
static size_t number_of(const json_t *rows, size_t index) {
    const json_t *row = json_array_get(rows, index);
    size_t number = 0;
    for (size_t i = 0; i < index; ++i)
        number += same_name(json_array_get(rows, i), row) &&
                  same_at(json_array_get(rows, i), row, "file");
    return number;
}

static size_t earlier_find(const json_t *then, const bool *taken, const json_t *now, size_t index) {
    const json_t *row = json_array_get(now, index);
    size_t count = json_array_size(then), number = number_of(now, index), alike = count, many = 0;
    for (size_t i = 0; i < count; ++i) {
        const json_t *other = json_array_get(then, i);
        if (!taken[i] && same_name(other, row) && same_at(other, row, "file") &&
            number_of(then, i) == number)
            return i;
    }
    for (size_t i = 0; i < count; ++i)
        if (!taken[i] && *ht_report_text_of(row, "kernel_key") &&
            same_at(json_array_get(then, i), row, "kernel_key"))
            return i;
    for (size_t i = 0; i < count; ++i)
        if (!taken[i] && same_name(json_array_get(then, i), row)) {
            alike = i;
            ++many;
        }
    return many == 1 ? alike : count;
}

static void row_judge(json_t *row, const json_t *before, double least) {
    const json_t *now = json_object_get(row, "watch"), *then = json_object_get(before, "watch");
    bool not_run = strcmp(ht_report_text_of(row, "status"), "not-run") == 0;
    if (!json_is_object(now) || !json_is_object(then)) {
        const char *word = !before ? "new" : not_run ? "not-run" : NULL;
        json_object_set_new(row, "verdict", word ? json_string(word) : json_null());
        return;
    }
    bool unchanged = same_at(row, before, "kernel_key");
    const ht_night_verdicts made =
        ht_night_judge(now, then, json_object_get(before, "history"), unchanged, least);
    ht_night_verdicts_put(&made, row);
}

static json_t *row_copy(const json_t *row) {
    json_t *copy = json_deep_copy(row);
    json_object_set_new(copy, "kept", json_false());
    return copy;
}

json_t *ht_night_diff(const json_t *then, const json_t *now, double least) {
    json_t *rows = json_array();
    size_t old_count = json_array_size(then);
    bool *taken = ht_alloc(old_count + 1, sizeof *taken);
    for (size_t i = 0; i < json_array_size(now); ++i) {
        json_t *row = row_copy(json_array_get(now, i));
        size_t found = earlier_find(then, taken, now, i);
        if (found < old_count)
            taken[found] = true;
        row_judge(row, found < old_count ? json_array_get(then, found) : NULL, least);
        json_array_append_new(rows, row);
    }
    for (size_t i = 0; i < old_count; ++i) {
        if (taken[i])
            continue;
        json_t *row = row_copy(json_array_get(then, i));
        json_object_set_new(row, "verdict", json_string("gone"));
        json_object_set_new(row, "status", json_string("gone"));
        json_array_append_new(rows, row);
    }
    free(taken);
    return rows;
}
