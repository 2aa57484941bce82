#include "cli/reports/database/night_kernels.h"

#include "base/memory.h"
#include "base/text.h"
#include "cli/reports/database/night_history.h"
#include "pipeline/nightly/night_diff.h"
#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>

typedef struct gathering {
    ht_archive *archive;
    json_t *nights; /* as the report has them; with "kernels" and "errors" while it is made */
    ht_night_past past;
    json_t *rows;
    double least; /* of the night at hand */
} gathering;

static const char *text_at(const json_t *object, const char *key) {
    return ht_report_text_of(object, key);
}

static bool same_at(const json_t *a, const json_t *b, const char *key) {
    return strcmp(text_at(a, key), text_at(b, key)) == 0;
}

/* ---- nights */

static void night_add(void *context, const ht_archive_night *night) {
    static const char *const members[] = {"host",    "hiptemper",   "commit",       "budget",
                                          "seconds", "exit",        "least_effect", "verdicts",
                                          "tag",     "baseline",    "shard",        "devices",
                                          "kernels", "interrupted", "errors",       NULL};
    gathering *in = context;
    json_t *document = json_loads(night->document, 0, NULL);
    json_t *row =
        json_pack("{s:I, s:o, s:o, s:o}", "night", (json_int_t)night->number, "job",
                  ht_report_json_text(night->job), "began", ht_report_json_text(night->began),
                  "ended", ht_report_json_text(*night->ended ? night->ended : NULL));
    ht_report_json_copy(row, document, members);
    json_array_append_new(in->nights, row);
    json_decref(document);
}

/* Returns a night of this number, or NULL. */
static json_t *night_find(const gathering *in, int64_t number) {
    size_t index;
    json_t *night;
    json_array_foreach(in->nights, index, night) if (json_integer_value(json_object_get(
                                                         night, "night")) == number) return night;
    return NULL;
}

/* Returns true if a night ended, and its rows are known. */
static bool is_told(const json_t *night) {
    return json_is_array(json_object_get(night, "kernels"));
}

/* Returns true if a night took a device, or it is not known which ones it took. */
static bool takes_device(const json_t *night, const char *device) {
    const json_t *devices = json_object_get(night, "devices");
    size_t index;
    json_t *name;
    if (json_array_size(devices) == 0)
        return true;
    json_array_foreach(devices, index,
                       name) if (strcmp(json_string_value(name), device) == 0) return true;
    return false;
}

/* Returns true if a night had all sources of the job, or those that an earlier one had. */
static bool takes_sources(const json_t *night, const json_t *earlier) {
    return same_at(night, earlier, "shard") || (is_told(night) && !*text_at(night, "shard"));
}

/* Returns true if nothing of a night is the latest, since a later one had all that it had. */
static bool is_superseded(const json_t *night, const json_t *later) {
    size_t index;
    json_t *name;
    if (!same_at(night, later, "job") || !takes_sources(later, night))
        return false;
    json_array_foreach(json_object_get(night, "devices"), index,
                       name) if (!takes_device(later, json_string_value(name))) return false;
    return true;
}

/* Sets "latest" of each night. */
static void latest_set(const gathering *in) {
    size_t count = json_array_size(in->nights);
    for (size_t i = 0; i < count; ++i) {
        json_t *night = json_array_get(in->nights, i);
        bool latest = true;
        for (size_t j = i + 1; j < count && latest; ++j)
            latest = !is_superseded(night, json_array_get(in->nights, j));
        json_object_set_new(night, "latest", json_boolean(latest));
    }
}

/* Returns true if a night speaks of a kernel: of itself, of all of its file, or of an error in
 * that. */
static bool is_mentioned(const json_t *night, const ht_history_kernel *kernel) {
    const json_t *lists[] = {json_object_get(night, "kernels"), json_object_get(night, "errors")};
    for (size_t i = 0; i < 2; ++i) {
        size_t index;
        json_t *said;
        json_array_foreach(lists[i], index, said) {
            bool whole = !*text_at(said, "kernel");
            bool same = strcmp(text_at(said, "kernel"), kernel->kernel) == 0 &&
                        strcmp(text_at(said, "problem"), kernel->problem) == 0;
            if ((whole || same) && strcmp(text_at(said, "file"), kernel->file) == 0 &&
                (i == 1 || strcmp(text_at(said, "device"), kernel->device) == 0))
                return true;
        }
    }
    return false;
}

/* Returns the latest night that had a kernel's source and device to look at: its own, or a later
 * one that ended. NULL: its own is not in the database. */
static json_t *night_latest(const gathering *in, const ht_history_kernel *kernel) {
    const json_t *own = night_find(in, kernel->night);
    for (size_t i = json_array_size(in->nights); i-- > 0;) {
        json_t *night = json_array_get(in->nights, i);
        if (night == own)
            return night;
        if (is_told(night) && strcmp(text_at(night, "job"), kernel->job) == 0 &&
            (is_mentioned(night, kernel) ||
             (takes_sources(night, own) && takes_device(night, kernel->device))))
            return night;
    }
    return NULL;
}

/* ---- verdicts */

/* Returns what a night said of a kernel, or of all of its file; NULL: nothing. */
static const json_t *said_find(const json_t *night, const json_t *row) {
    const json_t *found = NULL;
    size_t index;
    json_t *said;
    json_array_foreach(json_object_get(night, "kernels"), index, said) {
        bool whole = !*text_at(said, "kernel");
        bool named = same_at(said, row, "kernel") && same_at(said, row, "problem");
        if ((!whole && !named) || !same_at(said, row, "device") || !same_at(said, row, "file"))
            continue;
        if (same_at(said, row, "kernel_key"))
            return said;
        found = *text_at(said, "kernel_key") && found ? found : said;
    }
    return found;
}

static json_t *compared_row(const json_t *row, const char *text, const char *key) {
    static const char *const names[] = {"kernel", "problem", "device", "file", NULL};
    static const char *const times[] = {"watch", "history", NULL};
    json_t *document = json_loads(text, 0, NULL), *out = json_object();
    ht_report_json_copy(out, row, names);
    ht_report_json_copy(out, document, times);
    json_object_set_new(out, "kernel_key", ht_report_json_text(key));
    json_decref(document);
    return out;
}

/* Sets what a kernel's latest result is, compared to the one before. */
static void verdict_compare(const gathering *in, const ht_history_kernel *kernel, json_t *row) {
    static const char *const members[] = {"verdict", "change", "original", "machine", NULL};
    json_t *now = json_array(), *then = json_array();
    json_array_append_new(now, compared_row(row, kernel->document, kernel->kernel_key));
    if (kernel->before)
        json_array_append_new(then, compared_row(row, kernel->before, kernel->before_key));
    json_t *rows = ht_night_diff(then, now, in->least);
    const json_t *made = json_array_get(rows, 0);
    ht_report_json_copy(row, made, members);
    if (!json_is_object(json_object_get(json_array_get(now, 0), "watch")))
        json_object_set_new(row, "verdict", json_null());
    json_decref(rows);
    json_decref(now);
    json_decref(then);
}

/* Sets the verdict of the latest night of a kernel's job. */
static void verdict_set(gathering *in, const ht_history_kernel *kernel, json_t *row) {
    static const char *const members[] = {"verdict", "change", "original", "machine", NULL};
    const json_t *latest = night_latest(in, kernel), *own = night_find(in, kernel->night);
    const json_t *said = said_find(latest, row);
    bool kept = json_is_true(json_object_get(said, "kept"));
    json_object_set_new(row, "kept", json_boolean(kept));
    in->least = json_number_value(json_object_get(own, "least_effect"));
    in->least = in->least > 0 ? in->least : 0.02;
    if (said && strcmp(text_at(said, "status"), "not-run") == 0) {
        json_object_set_new(row, "verdict", json_string("not-run"));
        json_object_set(row, "reason", json_object_get(said, "reason"));
    } else if (kept) {
        bool timed = json_is_number(json_object_get(row, "timed"));
        json_object_set_new(row, "verdict", timed ? json_string("same") : json_null());
    } else if (said || (said = said_find(own, row)) != NULL)
        ht_report_json_copy(row, said, members);
    else
        verdict_compare(in, kernel, row);
}

/* ---- renamed files */

/* Returns true if a later night looked at where a kernel was, and it is not there. */
static bool is_unknown(const gathering *in, const ht_history_kernel *kernel) {
    const json_t *latest = night_latest(in, kernel);
    return latest && latest != night_find(in, kernel->night) && !is_mentioned(latest, kernel);
}

/* Gives each kernel that is known no more its successor, one of its key in another file, which gets
 * its history. */
static void renamed_find(gathering *in) {
    for (size_t i = 0; i < in->past.count; ++i) {
        ht_history_kernel *kernel = &in->past.kernels[i];
        if (kernel->gone || !is_unknown(in, kernel))
            continue;
        kernel->former = true;
        for (size_t j = 0; j < in->past.count; ++j) {
            ht_history_kernel *other = &in->past.kernels[j];
            if (i != j && other->night > kernel->night && !other->gone && *kernel->kernel_key &&
                strcmp(other->kernel_key, kernel->kernel_key) == 0 &&
                strcmp(other->job, kernel->job) == 0 && strcmp(other->device, kernel->device) == 0)
                ht_history_inherit(other, kernel);
        }
    }
}

/* ---- rows */

static json_t *number_json(double value) {
    return value > 0 ? json_real(value) : json_null();
}

static json_t *history_json(const ht_history_kernel *kernel) {
    json_t *points = json_array();
    size_t skip =
        kernel->point_count > HT_KERNEL_HISTORY ? kernel->point_count - HT_KERNEL_HISTORY : 0;
    for (size_t i = skip; i < kernel->point_count; ++i) {
        const ht_history_point *point = &kernel->points[i];
        json_array_append_new(
            points,
            json_pack(
                "{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "night", (json_int_t)point->night,
                "when", (json_int_t)point->when, "tuned", number_json(point->incumbent), "original",
                number_json(point->original), "speedup", number_json(point->speedup), "speedup_ci",
                point->hi > 0 ? json_pack("[f, f]", point->lo, point->hi) : json_null(), "tuned_ms",
                number_json(point->tuned_ms), "original_ms", number_json(point->original_ms)));
    }
    return points;
}

/* A patch among a source's files. */
typedef struct patch_search {
    const char *path; /* as the result has it */
    char *content;    /* owned */
} patch_search;

static void patch_take(void *context, const char *name, const char *content) {
    patch_search *search = context;
    size_t length = strlen(search->path), part = strlen(name);
    bool same = part <= length && strcmp(search->path + length - part, name) == 0 &&
                (part == length || search->path[length - part - 1] == '/');
    if (same && !search->content)
        search->content = ht_strdup(content);
}

/* Returns the patch that the latest result wrote; null: it wrote none. */
static json_t *diff_json(const gathering *in, const ht_history_kernel *kernel, const json_t *row) {
    patch_search search = {.path = text_at(row, "patch_file")};
    if (*search.path)
        ht_archive_files(in->archive, kernel->source_key, patch_take, &search, NULL);
    json_t *diff = ht_report_json_text(search.content);
    free(search.content);
    return diff;
}

static void kernel_add(gathering *in, const ht_history_kernel *kernel) {
    static const char *const of_entry[] = {
        "status",          "line",        "reason",         "speedup",    "speedup_ci", "tuned_ms",
        "tuned_ci",        "original_ms", "original_ci",    "tuned_file", "patch_file", "verified",
        "transformations", "emulated",    "problem_fields", NULL};
    static const char *const of_document[] = {"config", "evaluations", "timed", "parts", NULL};
    const json_t *latest = night_latest(in, kernel);
    bool now = json_integer_value(json_object_get(latest, "night")) == kernel->night;
    if ((kernel->gone && !now) || kernel->former)
        return; /* said before, or there under another name */
    json_t *document = kernel->document ? json_loads(kernel->document, 0, NULL) : NULL;
    json_t *row = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "job", ht_report_json_text(kernel->job), "kernel",
        ht_report_json_text(kernel->kernel), "problem", ht_report_json_text(kernel->problem),
        "device", ht_report_json_text(kernel->device), "file", ht_report_json_text(kernel->file),
        "kernel_key", ht_report_json_text(kernel->kernel_key ? kernel->kernel_key : ""), "night",
        (json_int_t)kernel->night);
    ht_report_json_copy(row, json_object_get(document, "entry"), of_entry);
    ht_report_json_copy(row, document, of_document);
    if (kernel->gone) {
        json_object_set_new(row, "status", json_string("gone"));
        json_object_set_new(row, "verdict", json_string("gone"));
    } else
        verdict_set(in, kernel, row);
    json_object_set_new(row, "history", history_json(kernel));
    json_object_set_new(row, "diff", kernel->gone ? json_null() : diff_json(in, kernel, row));
    json_array_append_new(in->rows, row);
    json_decref(document);
}

/* Adds what a latest night did not come to and nothing is known of. */
static void not_run_add(gathering *in, const json_t *night) {
    size_t index;
    json_t *said;
    json_array_foreach(json_object_get(night, "kernels"), index, said) {
        bool known = false;
        size_t other;
        json_t *row;
        if (strcmp(text_at(said, "status"), "not-run") != 0)
            continue;
        json_array_foreach(in->rows, other, row) {
            bool whole = !*text_at(said, "kernel");
            bool named = same_at(row, said, "kernel") && same_at(row, said, "problem");
            known = known || ((whole || named) && same_at(row, said, "device") &&
                              same_at(row, said, "file"));
        }
        if (known)
            continue;
        row = json_copy(said);
        json_object_set(row, "job", json_object_get(night, "job"));
        json_object_set(row, "night", json_object_get(night, "night"));
        json_object_set_new(row, "history", json_array());
        json_array_append_new(in->rows, row);
    }
}

/* ---- order */

/* Returns where a row stands: the gravest first. */
static int gravity(const json_t *row) {
    static const char *const verdicts[] = {"slower", "unclear", "faster",  "new",
                                           "gone",   "same",    "not-run", NULL};
    static const char *const failures[] = {"failed", "withheld", NULL};
    const char *original = text_at(json_object_get(row, "original"), "verdict");
    if (strcmp(original, "slower") == 0)
        return 0;
    if (ht_text_is_one(text_at(row, "status"), failures))
        return 1;
    for (int i = 0; verdicts[i]; ++i)
        if (strcmp(text_at(row, "verdict"), verdicts[i]) == 0)
            return i == 0 ? 0 : 1 + i;
    return 100;
}

static int gravest_first(const void *a, const void *b) {
    const json_t *first = *(json_t *const *)a, *second = *(json_t *const *)b;
    int order = gravity(first) - gravity(second);
    double m = json_number_value(json_object_get(first, "speedup"));
    double n = json_number_value(json_object_get(second, "speedup"));
    if (order == 0 && (m > n || m < n))
        order = m > n ? -1 : 1;
    order = order ? order : strcmp(text_at(first, "file"), text_at(second, "file"));
    order = order ? order : strcmp(text_at(first, "kernel"), text_at(second, "kernel"));
    return order ? order : strcmp(text_at(first, "problem"), text_at(second, "problem"));
}

static json_t *rows_sorted(json_t *rows) {
    size_t count = json_array_size(rows);
    json_t **items = ht_alloc(count + 1, sizeof *items), *sorted = json_array();
    for (size_t i = 0; i < count; ++i)
        items[i] = json_array_get(rows, i);
    if (count > 0)
        qsort(items, count, sizeof *items, gravest_first);
    for (size_t i = 0; i < count; ++i)
        json_array_append(sorted, items[i]);
    free(items);
    return sorted;
}

/* ---- all */

/* Moves errors of the latest nights out of them, and takes the rows that only this needed. */
static json_t *errors_take(const gathering *in) {
    json_t *errors = json_array();
    size_t index;
    json_t *night;
    json_array_foreach(in->nights, index, night) {
        bool latest = json_is_true(json_object_get(night, "latest"));
        if (latest && json_is_array(json_object_get(night, "errors")))
            json_array_extend(errors, json_object_get(night, "errors"));
        json_object_del(night, "errors");
        json_object_del(night, "kernels");
    }
    return errors;
}

ht_status ht_night_kernels_add(ht_archive *archive, json_t *document, ht_error *error) {
    gathering in = {.archive = archive, .nights = json_array(), .rows = json_array()};
    size_t index;
    json_t *night;
    ht_status status = ht_archive_nights(archive, night_add, &in, error);
    if (status == HT_OK)
        status = ht_archive_results(archive, ht_night_past_add, &in.past, error);
    latest_set(&in);
    renamed_find(&in);
    for (size_t i = 0; i < in.past.count && status == HT_OK; ++i)
        kernel_add(&in, &in.past.kernels[i]);
    json_array_foreach(in.nights, index, night) if (json_is_true(json_object_get(night, "latest")))
        not_run_add(&in, night);
    json_object_set_new(document, "errors", errors_take(&in));
    json_object_set_new(document, "nights", in.nights);
    json_object_set_new(document, "kernels", rows_sorted(in.rows));
    json_decref(in.rows);
    ht_night_past_free(&in.past);
    return status;
}
