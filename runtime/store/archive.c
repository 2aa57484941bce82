#include "runtime/store/archive.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/database_schema.h"
#include "runtime/store/nights_schema.h"

#include <jansson.h>
#include <stdlib.h>

struct ht_archive {
    sqlite3 *sqlite;
    char *path;
    ht_database_damage damage;
    bool has_nights;
};

static ht_status fail(ht_archive *archive, ht_error *error) {
    return ht_database_fail(archive->sqlite, archive->path, "cannot be read", error);
}

ht_status ht_archive_open(const char *path, ht_archive **out_archive, ht_error *error) {
    *out_archive = NULL;
    if (!ht_file_exists(path))
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                               "there is no such file; name a tuning database");
    ht_archive *archive = ht_alloc(1, sizeof *archive);
    archive->path = ht_strdup(path);
    archive->damage.path = archive->path;
    ht_status status = ht_database_file_read(&archive->damage, &archive->sqlite, error);
    /* all that is read is of one moment, also while a night writes */
    if (status == HT_OK && sqlite3_exec(archive->sqlite, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        status = fail(archive, error);
    status = ht_database_fail_input(status, error);
    if (status != HT_OK) {
        ht_archive_close(archive);
        return status;
    }
    archive->has_nights = sqlite3_table_column_metadata(archive->sqlite, NULL, "results", "night",
                                                        NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
    *out_archive = archive;
    return HT_OK;
}

void ht_archive_close(ht_archive *archive) {
    if (!archive)
        return;
    sqlite3_close(archive->sqlite);
    ht_database_damage_free(&archive->damage);
    free(archive->path);
    free(archive);
}

/* ---- statements */

static ht_status prepare(ht_archive *archive, const char *sql, sqlite3_stmt **out,
                         ht_error *error) {
    *out = NULL;
    if (sqlite3_prepare_v2(archive->sqlite, sql, -1, out, NULL) == SQLITE_OK)
        return HT_OK;
    return fail(archive, error);
}

/* Ends a statement whose last step gave `step`. */
static ht_status finish(ht_archive *archive, sqlite3_stmt *statement, int step, ht_error *error) {
    ht_status status = step == SQLITE_DONE ? HT_OK : fail(archive, error);
    sqlite3_finalize(statement);
    return status;
}

static const char *text_of(sqlite3_stmt *row, int column) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

ht_status ht_archive_nights(ht_archive *archive,
                            void (*each)(void *context, const ht_archive_night *night),
                            void *context, ht_error *error) {
    sqlite3_stmt *rows;
    if (!archive->has_nights)
        return HT_OK;
    ht_status status = prepare(
        archive, "SELECT id, job, began, ended, document FROM nights ORDER BY id", &rows, error);
    if (status != HT_OK)
        return status;
    int step;
    while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
        const ht_archive_night night = {.number = sqlite3_column_int64(rows, 0),
                                        .job = text_of(rows, 1),
                                        .began = text_of(rows, 2),
                                        .ended = text_of(rows, 3),
                                        .document = text_of(rows, 4)};
        each(context, &night);
    }
    return finish(archive, rows, step, error);
}

ht_status ht_archive_results(ht_archive *archive,
                             void (*each)(void *context, const ht_night_result *result),
                             void *context, ht_error *error) {
    sqlite3_stmt *rows;
    if (!archive->has_nights)
        return HT_OK;
    ht_status status = prepare(archive,
                               "SELECT " HT_NIGHTS_COLUMNS " FROM results"
                               " WHERE " HT_NIGHTS_GOOD " ORDER BY id",
                               &rows, error);
    if (status != HT_OK)
        return status;
    int step;
    while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
        const ht_night_result result = {.night = sqlite3_column_int64(rows, 0),
                                        .job = (char *)text_of(rows, 1),
                                        .kernel = (char *)text_of(rows, 2),
                                        .problem = (char *)text_of(rows, 3),
                                        .device = (char *)text_of(rows, 4),
                                        .file = (char *)text_of(rows, 5),
                                        .number = sqlite3_column_int64(rows, 6),
                                        .source_key = (char *)text_of(rows, 7),
                                        .kernel_key = (char *)text_of(rows, 8),
                                        .document = (char *)text_of(rows, 9),
                                        .when = sqlite3_column_double(rows, 10)};
        each(context, &result);
    }
    return finish(archive, rows, step, error);
}

ht_status ht_archive_files(ht_archive *archive, const char *source_key,
                           void (*each)(void *context, const char *name, const char *content),
                           void *context, ht_error *error) {
    sqlite3_stmt *rows;
    if (!archive->has_nights)
        return HT_OK;
    ht_status status = prepare(archive,
                               "SELECT name, content FROM written WHERE source_key = ?1"
                               " AND " HT_NIGHTS_FILE_GOOD " ORDER BY name",
                               &rows, error);
    if (status != HT_OK)
        return status;
    sqlite3_bind_text(rows, 1, source_key, -1, SQLITE_STATIC);
    int step;
    while ((step = sqlite3_step(rows)) == SQLITE_ROW)
        each(context, text_of(rows, 0), text_of(rows, 1));
    return finish(archive, rows, step, error);
}

ht_status ht_archive_jobs(ht_archive *archive,
                          void (*each)(void *context, const ht_archive_job *job), void *context,
                          ht_error *error) {
    sqlite3_stmt *rows;
    ht_status status = prepare(archive,
                               "SELECT id, template_name, template_hash, problem, device, compiler,"
                               " method, settings, checking FROM jobs WHERE " HT_DATABASE_JOB_GOOD
                               " AND EXISTS (SELECT 1 FROM evaluations WHERE job_id = jobs.id)"
                               " ORDER BY id",
                               &rows, error);
    if (status != HT_OK)
        return status;
    int step;
    while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
        const ht_archive_job job = {.id = sqlite3_column_int64(rows, 0),
                                    .kernel = text_of(rows, 1),
                                    .code = text_of(rows, 2),
                                    .problem = text_of(rows, 3),
                                    .device = text_of(rows, 4),
                                    .compiler = text_of(rows, 5),
                                    .method = text_of(rows, 6),
                                    .settings = text_of(rows, 7),
                                    .checking = text_of(rows, 8)};
        each(context, &job);
    }
    return finish(archive, rows, step, error);
}

#define CONDEMNED "deaths.count > 1 AND " HT_DATABASE_DEATH_GOOD

/* Measured configurations, then those that died before anything was kept of them. CROSS JOIN: in
 * the order of the file, which is read once from its begin to its end. */
static const char evaluations_query[] =
    "SELECT jobs.id, evaluations.config, coalesce(deaths.status, evaluations.status),"
    " coalesce(deaths.evidence, evaluations.reason), evaluations.median_ms,"
    " unixepoch(evaluations.created)"
    " FROM evaluations CROSS JOIN jobs ON jobs.id = evaluations.job_id LEFT JOIN deaths ON"
    " deaths.job_id = jobs.id AND deaths.config = evaluations.config AND " CONDEMNED
    " WHERE " HT_DATABASE_EVALUATION_GOOD
    " UNION ALL SELECT jobs.id, deaths.config, deaths.status, deaths.evidence, NULL, 0"
    " FROM jobs JOIN deaths ON deaths.job_id = jobs.id WHERE " CONDEMNED
    " AND NOT EXISTS (SELECT 1 FROM evaluations WHERE evaluations.job_id = jobs.id"
    " AND evaluations.config = deaths.config)";

ht_status ht_archive_evaluations(ht_archive *archive,
                                 void (*each)(void *context, const ht_archive_evaluation *of),
                                 void *context, ht_error *error) {
    sqlite3_stmt *rows;
    ht_status status = prepare(archive, evaluations_query, &rows, error);
    if (status != HT_OK)
        return status;
    int step;
    while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
        const ht_archive_evaluation of = {.job = sqlite3_column_int64(rows, 0),
                                          .config = text_of(rows, 1),
                                          .status = text_of(rows, 2),
                                          .reason = text_of(rows, 3),
                                          .ms = sqlite3_column_double(rows, 4),
                                          .when = sqlite3_column_int64(rows, 5)};
        each(context, &of);
    }
    return finish(archive, rows, step, error);
}

ht_status ht_archive_samples(ht_archive *archive, int64_t job, const char *config,
                             double **out_samples, size_t *out_count, ht_error *error) {
    sqlite3_stmt *row;
    *out_samples = NULL;
    *out_count = 0;
    ht_status status = prepare(archive,
                               "SELECT samples FROM evaluations JOIN jobs ON jobs.id = job_id"
                               " WHERE job_id = ?1 AND config = ?2 AND status = 'ok'"
                               " AND " HT_DATABASE_EVALUATION_GOOD,
                               &row, error);
    if (status != HT_OK)
        return status;
    sqlite3_bind_int64(row, 1, job);
    sqlite3_bind_text(row, 2, config, -1, SQLITE_STATIC);
    int step = sqlite3_step(row);
    json_t *samples = step == SQLITE_ROW ? json_loads(text_of(row, 0), 0, NULL) : NULL;
    size_t count = json_array_size(samples);
    *out_samples = ht_alloc(count + 1, sizeof **out_samples);
    for (size_t i = 0; i < count; ++i)
        (*out_samples)[i] = json_number_value(json_array_get(samples, i));
    *out_count = count;
    json_decref(samples);
    return finish(archive, row, step == SQLITE_ROW ? SQLITE_DONE : step, error);
}
