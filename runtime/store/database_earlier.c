#include "runtime/store/database_earlier.h"

#include "base/memory.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/database_schema.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESSES_LEAST = 3 };
static const double OTHER_DEVICE = 1; /* as far as a problem of twice the size */

/* When the key's own job began; no row: it has not. A search that is done again, as after an
 * interruption, expects what it expected the first time, and so asks for the same. */
static const char own_query[] = "SELECT created FROM jobs WHERE " HT_DATABASE_JOB_WHERE;
static const char no_limit[] = "9999";

static const char jobs_query[] =
    "SELECT jobs.id, jobs.device, jobs.problem, count(*)"
    " FROM jobs JOIN evaluations ON evaluations.job_id = jobs.id"
    " WHERE jobs.template_name = ?1 AND jobs.template_hash = ?2"
    " AND (jobs.device <> ?3 OR jobs.problem <> ?4)"
    " AND evaluations.status = 'ok' AND evaluations.config <> 'original'"
    " AND evaluations.created <= ?5 GROUP BY jobs.id";

/* A configuration that was not tried to its end, as by an interruption, says nothing. */
static const char rows_query[] =
    "SELECT evaluations.config, evaluations.status = 'ok', evaluations.median_ms"
    " FROM jobs JOIN evaluations ON evaluations.job_id = jobs.id"
    " WHERE jobs.id = ?1 AND evaluations.config <> 'original' AND evaluations.created <= ?2"
    " AND evaluations.status IN ('ok', 'compile', 'launch', 'crash', 'timeout', 'mismatch', "
    "'unsupported')"
    " AND " HT_DATABASE_NOT_CONDEMNED " AND " HT_DATABASE_EVALUATION_GOOD
    " ORDER BY evaluations.config";

typedef struct job {
    sqlite3_int64 id, evaluations;
    double distance;
    char *device, *problem;
} job;

typedef struct reader {
    const char *path;
    sqlite3 *sqlite;
    job *jobs;
    size_t job_count;
    char *until; /* what was written later is not read; owned */
    ht_error *error;
} reader;

static ht_status fail(const reader *reader) {
    return ht_database_fail(reader->sqlite, reader->path, "cannot be read", reader->error);
}

static char *text_of(sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return ht_strdup(text ? text : "");
}

static int nearest_first(const void *a, const void *b) {
    const job *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    if (x->evaluations != y->evaluations)
        return x->evaluations > y->evaluations ? -1 : 1;
    int order = strcmp(x->problem, y->problem);
    if (order == 0)
        order = strcmp(x->device, y->device);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

static ht_status until_read(reader *reader, const ht_database_key *key) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(reader->sqlite, own_query, -1, &statement, NULL) != SQLITE_OK)
        return fail(reader);
    ht_database_bind_key(statement, key);
    int step = sqlite3_step(statement);
    reader->until = step == SQLITE_ROW ? text_of(statement, 0) : ht_strdup(no_limit);
    sqlite3_finalize(statement);
    return step == SQLITE_ROW || step == SQLITE_DONE ? HT_OK : fail(reader);
}

static ht_status jobs_read(reader *reader, const ht_database_key *key) {
    const char *const values[] = {key->template_name, key->template_hash, key->device,
                                  key->problem};
    sqlite3_stmt *statement = NULL;
    int step;
    if (sqlite3_prepare_v2(reader->sqlite, jobs_query, -1, &statement, NULL) != SQLITE_OK)
        return fail(reader);
    for (int i = 0; i < 4; ++i)
        sqlite3_bind_text(statement, i + 1, values[i], -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 5, reader->until, -1, SQLITE_STATIC);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        job found = {.id = sqlite3_column_int64(statement, 0),
                     .device = text_of(statement, 1),
                     .problem = text_of(statement, 2),
                     .evaluations = sqlite3_column_int64(statement, 3)};
        found.distance = ht_problem_distance(key->problem, found.problem) +
                         (strcmp(found.device, key->device) != 0 ? OTHER_DEVICE : 0);
        HT_GROW(reader->jobs, reader->job_count);
        reader->jobs[reader->job_count++] = found;
    }
    ht_status status = step == SQLITE_DONE ? HT_OK : fail(reader);
    sqlite3_finalize(statement);
    if (reader->job_count)
        qsort(reader->jobs, reader->job_count, sizeof *reader->jobs, nearest_first);
    return status;
}

static void run_free(ht_database_earlier_run *run) {
    for (size_t i = 0; i < run->count; ++i)
        free(run->rows[i].config);
    free(run->rows);
    free(run->device);
    free(run->problem);
}

/* Reads a job's rows; leaves the run out when too few succeeded. */
static ht_status run_read(const reader *reader, const job *from, ht_database_earlier *earlier) {
    sqlite3_stmt *statement = NULL;
    ht_database_earlier_run run = {0};
    size_t successes = 0;
    int step;
    if (sqlite3_prepare_v2(reader->sqlite, rows_query, -1, &statement, NULL) != SQLITE_OK)
        return fail(reader);
    sqlite3_bind_int64(statement, 1, from->id);
    sqlite3_bind_text(statement, 2, reader->until, -1, SQLITE_STATIC);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        double cost = sqlite3_column_double(statement, 2);
        bool succeeded = sqlite3_column_int(statement, 1) && cost > 0;
        HT_GROW(run.rows, run.count);
        run.rows[run.count++] =
            (ht_database_earlier_row){text_of(statement, 0), succeeded ? cost : INFINITY};
        successes += succeeded;
    }
    ht_status status = step == SQLITE_DONE ? HT_OK : fail(reader);
    sqlite3_finalize(statement);
    if (status != HT_OK || successes < SUCCESSES_LEAST) {
        run_free(&run);
        return status;
    }
    run.device = ht_strdup(from->device);
    run.problem = ht_strdup(from->problem);
    HT_GROW(earlier->runs, earlier->count);
    earlier->runs[earlier->count++] = run;
    return HT_OK;
}

static bool is_there(const ht_database_earlier *earlier, const job *job) {
    for (size_t i = 0; i < earlier->count; ++i)
        if (strcmp(earlier->runs[i].device, job->device) == 0 &&
            strcmp(earlier->runs[i].problem, job->problem) == 0)
            return true;
    return false;
}

ht_status ht_database_earlier_read(const char *path, const ht_database_key *key, size_t most,
                                   ht_database_earlier *out_earlier, ht_error *error) {
    *out_earlier = (ht_database_earlier){0};
    reader reader = {.path = path, .error = error};
    ht_database_damage damage = {.path = path};
    ht_status status = ht_database_file_read(&damage, &reader.sqlite, error);
    if (status == HT_OK)
        status = until_read(&reader, key);
    if (status == HT_OK)
        status = jobs_read(&reader, key);
    for (size_t i = 0; status == HT_OK && i < reader.job_count && out_earlier->count < most; ++i)
        if (!is_there(out_earlier, &reader.jobs[i]))
            status = run_read(&reader, &reader.jobs[i], out_earlier);
    for (size_t i = 0; i < reader.job_count; ++i) {
        free(reader.jobs[i].device);
        free(reader.jobs[i].problem);
    }
    free(reader.jobs);
    free(reader.until);
    sqlite3_close(reader.sqlite);
    ht_database_damage_free(&damage);
    status = ht_database_fail_input(status, error);
    if (status != HT_OK)
        ht_database_earlier_free(out_earlier);
    return status;
}

void ht_database_earlier_free(ht_database_earlier *earlier) {
    for (size_t i = 0; i < earlier->count; ++i)
        run_free(&earlier->runs[i]);
    free(earlier->runs);
    *earlier = (ht_database_earlier){0};
}
