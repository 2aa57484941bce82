#include "runtime/store/database_results.h"

#include "base/memory.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/database_schema.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The rows of a job follow each other, the best one first. */
static const char query[] =
    "SELECT jobs.id, jobs.template_name, jobs.template_hash, jobs.problem, jobs.device,"
    " jobs.compiler, evaluations.config, evaluations.median_ms,"
    " evaluations.status = 'ok' AND evaluations.reduced = 0 AND " HT_DATABASE_NOT_CONDEMNED
    " FROM jobs JOIN evaluations ON evaluations.job_id = jobs.id"
    " WHERE (?1 IS NULL OR jobs.template_name = ?1)"
    " AND (?2 IS NULL OR substr(jobs.device, 1, length(?2) + 2) = ?2 || ': ')"
    " AND " HT_DATABASE_JOB_GOOD " AND " HT_DATABASE_EVALUATION_GOOD
    " ORDER BY jobs.template_name, jobs.problem, jobs.device, jobs.template_hash, jobs.id,"
    " evaluations.median_ms, evaluations.config";

typedef struct reader {
    const char *path;
    sqlite3 *sqlite;
    ht_database_results *results;
    ht_error *error;
} reader;

static char *text_of(sqlite3_stmt *row, int column) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    return ht_strdup(text ? text : "");
}

static void result_free(ht_database_result *result) {
    free(result->kernel);
    free(result->template_hash);
    free(result->problem);
    free(result->device);
    free(result->compiler);
    free(result->config);
}

static bool is_same(const ht_database_result *a, const ht_database_result *b) {
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->problem, b->problem) == 0 &&
           strcmp(a->device, b->device) == 0 && strcmp(a->template_hash, b->template_hash) == 0;
}

/* Leaves out a job that has only its original, and an earlier one of the same. */
static void last_settle(ht_database_results *results) {
    ht_database_result *last = &results->items[results->count - 1];
    if (!last->evaluations) {
        result_free(last);
        --results->count;
    } else if (results->count > 1 && is_same(last - 1, last)) {
        result_free(last - 1);
        last[-1] = *last;
        --results->count;
    }
}

static void job_begin(ht_database_results *results, sqlite3_stmt *row) {
    HT_GROW(results->items, results->count);
    results->items[results->count++] =
        (ht_database_result){.job = (uint64_t)sqlite3_column_int64(row, 0),
                             .kernel = text_of(row, 1),
                             .template_hash = text_of(row, 2),
                             .problem = text_of(row, 3),
                             .device = text_of(row, 4),
                             .compiler = text_of(row, 5)};
}

static void evaluation_take(ht_database_result *result, sqlite3_stmt *row) {
    const char *config = (const char *)sqlite3_column_text(row, 6);
    double median = sqlite3_column_double(row, 7);
    bool good = sqlite3_column_int(row, 8) && median > 0;
    if (strcmp(config, "original") == 0) {
        result->original_ms = good ? median : 0;
        return;
    }
    ++result->evaluations;
    if (good && !result->config) {
        result->config = ht_strdup(config);
        result->tuned_ms = median;
    }
}

static ht_status rows_read(const reader *reader, sqlite3_stmt *row) {
    ht_database_results *results = reader->results;
    uint64_t job = 0;
    bool any = false;
    int step;
    while ((step = sqlite3_step(row)) == SQLITE_ROW) {
        uint64_t id = (uint64_t)sqlite3_column_int64(row, 0);
        if (any && id != job)
            last_settle(results);
        if (!any || id != job)
            job_begin(results, row);
        any = true;
        job = id;
        evaluation_take(&results->items[results->count - 1], row);
    }
    if (any)
        last_settle(results);
    return step == SQLITE_DONE
               ? HT_OK
               : ht_database_fail(reader->sqlite, reader->path, "cannot be read", reader->error);
}

ht_status ht_database_results_read(const char *path, const ht_database_results_choice *choice,
                                   ht_database_results *out_results, ht_error *error) {
    *out_results = (ht_database_results){0};
    reader reader = {.path = path, .results = out_results, .error = error};
    ht_database_damage damage = {.path = path};
    sqlite3_stmt *row = NULL;
    ht_status status = ht_database_file_read(&damage, &reader.sqlite, error);
    if (status == HT_OK && sqlite3_prepare_v2(reader.sqlite, query, -1, &row, NULL) != SQLITE_OK)
        status = ht_database_fail(reader.sqlite, path, "cannot be read", error);
    if (status == HT_OK) {
        sqlite3_bind_text(row, 1, choice->kernel, -1, SQLITE_STATIC);
        sqlite3_bind_text(row, 2, choice->device, -1, SQLITE_STATIC);
        status = rows_read(&reader, row);
    }
    sqlite3_finalize(row);
    sqlite3_close(reader.sqlite);
    ht_database_damage_free(&damage);
    status = ht_database_fail_input(status, error);
    if (status != HT_OK)
        ht_database_results_free(out_results);
    return status;
}

void ht_database_results_free(ht_database_results *results) {
    for (size_t i = 0; i < results->count; ++i)
        result_free(&results->items[i]);
    free(results->items);
    *results = (ht_database_results){0};
}
