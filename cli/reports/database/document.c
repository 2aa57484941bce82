#include "cli/reports/database/document.h"

#include "base/clock.h"
#include "base/host_name.h"
#include "base/memory.h"
#include "cli/reports/database/night_kernels.h"
#include "cli/reports/database/search_summary.h"
#include "pipeline/report.h"
#include "runtime/measure/stats.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- searches */

/* The searches of a database while their evaluations are read. */
typedef struct search_list {
    json_t *rows;             /* owned by the document */
    int64_t *ids;             /* one a row; rising */
    ht_search_trials *trials; /* one a row */
    size_t count, last;       /* last: the row that was found last */
} search_list;

static void search_add(void *context, const ht_archive_job *job) {
    search_list *list = context;
    const struct {
        const char *name, *text;
    } parts[] = {{"kernel", job->kernel},     {"code", job->code},
                 {"problem", job->problem},   {"device", job->device},
                 {"compiler", job->compiler}, {"method", job->method},
                 {"settings", job->settings}, {"checking", job->checking}};
    json_t *row = json_pack("{s:I}", "id", (json_int_t)job->id);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        json_object_set_new(row, parts[i].name, ht_report_json_text(parts[i].text));
    json_array_append_new(list->rows, row);
    HT_GROW(list->ids, list->count);
    list->ids[list->count++] = job->id;
}

static int by_id(const void *a, const void *b) {
    int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
    return first < second ? -1 : first > second;
}

static void trial_add(void *context, const ht_archive_evaluation *of) {
    search_list *list = context;
    if (list->count == 0)
        return;
    if (list->ids[list->last] != of->job) {
        const int64_t *found = bsearch(&of->job, list->ids, list->count, sizeof *list->ids, by_id);
        if (!found)
            return; /* the row of its job is damaged */
        list->last = (size_t)(found - list->ids);
    }
    ht_search_trials_add(&list->trials[list->last], of);
}

static void list_free(search_list *list) {
    for (size_t i = 0; i < list->count && list->trials; ++i)
        ht_search_trials_free(&list->trials[i]);
    free(list->trials);
    free(list->ids);
}

/* Returns the parts of a search that a result's key has too, as one text; free(). */
static char *identity_of(const json_t *parts) {
    return ht_format("%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s", ht_report_text_of(parts, "kernel"),
                     ht_report_text_of(parts, "code"), ht_report_text_of(parts, "problem"),
                     ht_report_text_of(parts, "device"), ht_report_text_of(parts, "compiler"),
                     ht_report_text_of(parts, "method"), ht_report_text_of(parts, "settings"),
                     ht_report_text_of(parts, "checking"));
}

/* Sets "search" of each kernel whose search is there: its number; and marks that search. */
static void searches_link(const json_t *searches, const json_t *kernels) {
    json_t *index = json_object(), *row;
    size_t number;
    json_array_foreach(searches, number, row) {
        char *identity = identity_of(row);
        json_object_set_new(index, identity, json_integer((json_int_t)number));
        free(identity);
    }
    json_array_foreach(kernels, number, row) {
        const json_t *parts = json_object_get(row, "parts");
        char *identity = identity_of(parts);
        json_t *found = json_is_object(parts) ? json_object_get(index, identity) : NULL;
        json_object_set(row, "search", found ? found : json_null());
        if (found)
            json_object_set_new(json_array_get(searches, (size_t)json_integer_value(found)),
                                "linked", json_true());
        json_object_set(row, "compiler", json_object_get(parts, "compiler"));
        json_object_del(row, "parts");
        free(identity);
    }
    json_decref(index);
}

/* Sets the speedup of the fastest configuration over the original, from the samples of the search,
 * whose intervals' ends are divided: it is wider than one from samples taken in turn. */
static ht_status speedup_set(ht_archive *archive, int64_t job, json_t *row, const char *best,
                             ht_error *error) {
    double *original = NULL, *tuned = NULL;
    size_t original_count = 0, tuned_count = 0;
    ht_status status =
        ht_archive_samples(archive, job, "original", &original, &original_count, error);
    if (status == HT_OK)
        status = ht_archive_samples(archive, job, best, &tuned, &tuned_count, error);
    if (status == HT_OK && original_count > 0 && tuned_count > 0) {
        ht_interval by = ht_stats_median_interval(original, original_count);
        ht_interval of = ht_stats_median_interval(tuned, tuned_count);
        if (of.lo > 0) {
            json_object_set_new(row, "speedup", json_real(by.median / of.median));
            json_object_set_new(row, "speedup_ci",
                                json_pack("[f, f]", by.lo / of.hi, by.hi / of.lo));
        }
    }
    free(original);
    free(tuned);
    return status;
}

static ht_status search_fill(ht_archive *archive, ht_search_trials *trials, json_t *row, bool whole,
                             ht_error *error) {
    static const char *const details[] = {"best_so_far", "effects", "rejected"};
    int64_t job = json_integer_value(json_object_get(row, "id"));
    json_t *summary = ht_search_summary(trials);
    json_object_update(row, summary);
    json_decref(summary);
    for (size_t i = 0; i < sizeof details / sizeof *details && !whole; ++i)
        json_object_del(row, details[i]);
    json_object_set_new(row, "details", json_boolean(whole));
    json_object_del(row, "linked");
    return trials->best ? speedup_set(archive, job, row, trials->best, error) : HT_OK;
}

static ht_status searches_add(ht_archive *archive, json_t *document, ht_error *error) {
    search_list list = {.rows = json_array()};
    const json_t *kernels = json_object_get(document, "kernels");
    json_object_set_new(document, "searches", list.rows);
    ht_status status = ht_archive_jobs(archive, search_add, &list, error);
    list.trials = ht_alloc(list.count + 1, sizeof *list.trials);
    searches_link(list.rows, kernels);
    if (status == HT_OK)
        status = ht_archive_evaluations(archive, trial_add, &list, error);
    bool alone = json_array_size(kernels) == 0;
    for (size_t i = 0; i < list.count && status == HT_OK; ++i) {
        json_t *row = json_array_get(list.rows, i);
        bool whole = json_is_true(json_object_get(row, "linked")) ||
                     (alone && i + HT_DOCUMENT_SEARCHES >= list.count);
        status = search_fill(archive, &list.trials[i], row, whole, error);
        ht_search_trials_free(&list.trials[i]);
    }
    list_free(&list);
    return status;
}

/* ---- all */

/* Sets "verdicts": how many kernels have each. */
static void verdicts_count(json_t *document) {
    json_t *counts = json_object(), *row;
    size_t index;
    json_array_foreach(json_object_get(document, "kernels"), index, row) {
        const char *verdict = ht_report_text_of(row, "verdict");
        const char *name = *verdict ? verdict : "-";
        json_int_t count = json_integer_value(json_object_get(counts, name));
        json_object_set_new(counts, name, json_integer(count + 1));
    }
    json_object_set_new(document, "verdicts", counts);
}

static void made_set(json_t *document, const char *path) {
    char host[HT_HOST_NAME_SIZE], made[HT_CLOCK_UTC_SIZE];
    ht_host_name(host);
    ht_clock_utc(time(NULL), made);
    json_object_set_new(document, "database", ht_report_json_text(path));
    json_object_set_new(document, "made", json_string(made));
    json_object_set_new(document, "host", ht_report_json_text(host));
}

bool ht_report_original_slower(const json_t *row) {
    const json_t *original = json_object_get(row, "original");
    return strcmp(ht_report_text_of(original, "verdict"), "slower") == 0;
}

ht_status ht_database_document(const char *path, json_t **out_document, ht_error *error) {
    ht_archive *archive;
    *out_document = NULL;
    ht_status status = ht_archive_open(path, &archive, error);
    if (status != HT_OK)
        return status;
    json_t *document = ht_report_json_new("hiptemper-report", 1);
    made_set(document, path);
    status = ht_night_kernels_add(archive, document, error);
    if (status == HT_OK)
        status = searches_add(archive, document, error);
    verdicts_count(document);
    ht_archive_close(archive);
    if (status == HT_OK)
        *out_document = document;
    else
        json_decref(document);
    return status;
}
