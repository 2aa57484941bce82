#include "pipeline/nightly/night_join.h"

#include "base/memory.h"
#include "pipeline/nightly/night_brief.h"
#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>

int ht_night_graver(int a, int b) {
    /* the gravest first */
    static const int order[] = {HT_EXIT_INTERRUPTED, HT_EXIT_DEVICE, HT_EXIT_MISSING, HT_EXIT_INPUT,
                                HT_EXIT_FAILED};
    for (size_t i = 0; i < sizeof order / sizeof *order; ++i)
        if (a == order[i] || b == order[i])
            return order[i];
    return a ? a : b;
}

static size_t count_of(const json_t *rows, const char *verdict) {
    size_t index, count = 0;
    json_t *row;
    json_array_foreach(rows, index, row) count +=
        strcmp(ht_report_text_of(row, "verdict"), verdict) == 0;
    return count;
}

bool ht_night_has_not_run(const json_t *rows) {
    return count_of(rows, "not-run") > 0;
}

json_t *ht_night_verdict_counts(const json_t *rows) {
    static const char *const verdicts[] = {"faster", "same", "slower", "unclear",
                                           "new",    "gone", "not-run"};
    json_t *counts = json_object();
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; ++i)
        json_object_set_new(counts, verdicts[i],
                            json_integer((json_int_t)count_of(rows, verdicts[i])));
    return counts;
}

/* ---- rows */

static bool same_at(const json_t *a, const json_t *b, const char *key) {
    return strcmp(ht_report_text_of(a, key), ht_report_text_of(b, key)) == 0;
}

static bool is_gone(const json_t *row) {
    return strcmp(ht_report_text_of(row, "verdict"), "gone") == 0;
}

/* Returns true if the rows so far have this kernel: under its key in another file, say. */
static bool is_known(const json_t *rows, const json_t *gone) {
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row) {
        if (!same_at(row, gone, "device"))
            continue;
        bool key = *ht_report_text_of(gone, "kernel_key") && same_at(row, gone, "kernel_key");
        bool name = same_at(row, gone, "kernel") && same_at(row, gone, "problem") &&
                    same_at(row, gone, "file");
        if (key || name)
            return true;
    }
    return false;
}

/* Adds the rows that are there, or else those that are gone. */
static void rows_add(json_t *rows, const json_t *report, bool gone) {
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(report, "kernels"), index, row) {
        if (is_gone(row) == gone && !(gone && is_known(rows, row)))
            json_array_append(rows, row);
    }
}

/* Adds the elements that are not there yet. */
static void elements_add(json_t *to, const json_t *from) {
    size_t index, other;
    json_t *item, *there;
    json_array_foreach(from, index, item) {
        bool known = false;
        json_array_foreach(to, other, there) known = known || json_equal(there, item);
        if (!known)
            json_array_append(to, item);
    }
}

static double greatest(json_t *const *reports, size_t count, const char *key) {
    double most = 0;
    for (size_t i = 0; i < count; ++i) {
        double value = json_number_value(json_object_get(reports[i], key));
        most = value > most ? value : most;
    }
    return most;
}

json_t *ht_night_join(json_t *const *reports, size_t count) {
    json_t *document = json_copy(reports[0]);
    json_t *rows = json_array(), *errors = json_array(), *devices = json_array();
    bool interrupted = false;
    int code = 0;
    for (size_t i = 0; i < count; ++i) {
        rows_add(rows, reports[i], false);
        elements_add(errors, json_object_get(reports[i], "errors"));
        elements_add(devices, json_object_get(reports[i], "devices"));
        interrupted = interrupted || json_is_true(json_object_get(reports[i], "interrupted"));
        code = ht_night_graver(code, (int)json_integer_value(json_object_get(reports[i], "exit")));
    }
    for (size_t i = 0; i < count; ++i)
        rows_add(rows, reports[i], true);
    json_object_del(document, "shard");
    json_object_set_new(document, "devices", devices);
    json_object_set_new(document, "seconds", json_real(greatest(reports, count, "seconds")));
    json_object_set_new(document, "interrupted", json_boolean(interrupted));
    json_object_set_new(document, "exit", json_integer(code));
    json_object_set_new(document, "verdicts", ht_night_verdict_counts(rows));
    json_object_set_new(document, "kernels", rows);
    json_object_set_new(document, "errors", errors);
    return document;
}

void ht_night_join_failure(json_t *document, const char *what, const char *message, int code) {
    json_t *errors = json_object_get(document, "errors");
    json_array_append_new(errors, json_pack("{s:o, s:i, s:i, s:o}", "file",
                                            ht_report_json_text(what), "line", 0, "column", 0,
                                            "message", ht_report_json_text(message)));
    int before = (int)json_integer_value(json_object_get(document, "exit"));
    json_object_set_new(document, "exit", json_integer(ht_night_graver(before, code)));
}

json_t *ht_night_join_files(char *const *paths, size_t count) {
    json_t **reports = ht_alloc(count + 1, sizeof *reports);
    size_t read = 0;
    for (size_t i = 0; i < count; ++i) {
        json_t *report = json_load_file(paths[i], 0, NULL);
        if (report)
            reports[read++] = report;
    }
    json_t *document = read > 0 ? ht_night_join(reports, read) : NULL;
    for (size_t i = 0; i < read; ++i)
        json_decref(reports[i]);
    free(reports);
    return document;
}

ht_status ht_night_join_keep(const char *database, const char *job, const ht_night_name *name,
                             json_t *document, ht_error *error) {
    ht_nights *nights;
    ht_status status = ht_nights_open(database, &nights, error);
    if (status != HT_OK)
        return status;
    int64_t number = ht_nights_named(nights, job, name);
    size_t index;
    json_t *row;
    json_object_set_new(document, "night", json_integer((json_int_t)number));
    json_array_foreach(json_object_get(document, "kernels"), index, row) {
        if (!json_is_true(json_object_get(row, "kept")) && json_object_get(row, "night"))
            json_object_set_new(row, "night", json_integer((json_int_t)number));
    }
    json_t *brief = ht_night_brief(document);
    char *text = json_dumps(brief, JSON_COMPACT);
    if (number > 0)
        status = ht_nights_end(nights, number, text, error);
    free(text);
    json_decref(brief);
    ht_nights_close(nights);
    return status;
}
