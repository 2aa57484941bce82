#include "runtime/database_best.h"

#include "base/memory.h"
#include "runtime/database_schema.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Sorted by the text of the problem, so that the rows' order does not depend on when they were
 * made.
 */
static const char query[] =
    "SELECT jobs.id, jobs.problem, evaluations.config, evaluations.median_ms,"
    " count(*) OVER (PARTITION BY jobs.id)"
    " FROM jobs JOIN evaluations ON evaluations.job_id = jobs.id"
    " WHERE jobs.template_name = ?1"
    " AND substr(jobs.device, 1, length(?2) + 1) = ?2 || ':'"
    " AND evaluations.status = 'ok' AND evaluations.config <> 'original'"
    " AND NOT EXISTS (SELECT 1 FROM deaths WHERE deaths.job_id = jobs.id"
    " AND deaths.config = evaluations.config AND count > 1)"
    " ORDER BY jobs.problem, jobs.id, evaluations.reduced, evaluations.median_ms,"
    " evaluations.config";

typedef struct reader {
    const char *path;
    sqlite3 *sqlite;
    const ht_database_best_choice *choice;
    ht_database_best *best;
    ht_error *error;
} reader;

static ht_status fail(const reader *reader, const char *doing) {
    return ht_error_set_at(reader->error, HT_ERROR_INPUT, reader->path, 0, 0,
                           "tuning database: %s: %s", doing, sqlite3_errmsg(reader->sqlite));
}

static ht_status version_check(const reader *reader) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(reader->sqlite,
                           "SELECT * FROM pragma_application_id, pragma_user_version", -1,
                           &statement, NULL) != SQLITE_OK)
        return fail(reader, "cannot be read");
    bool ours = sqlite3_step(statement) == SQLITE_ROW &&
                sqlite3_column_int(statement, 0) == HT_DATABASE_APPLICATION_ID &&
                sqlite3_column_int(statement, 1) == HT_DATABASE_VERSION;
    sqlite3_finalize(statement);
    if (ours)
        return HT_OK;
    return ht_error_set_at(reader->error, HT_ERROR_INPUT, reader->path, 0, 0,
                           "is no tuning database of schema %d ('hiptemper tune --db' makes one, "
                           "and brings an older one up to date)",
                           HT_DATABASE_VERSION);
}

static void row_add(ht_database_best *best, sqlite3_stmt *statement, double over) {
    HT_GROW(best->rows, best->count);
    best->rows[best->count++] = (ht_database_best_row){
        .problem = ht_strdup((const char *)sqlite3_column_text(statement, 1)),
        .config = ht_strdup((const char *)sqlite3_column_text(statement, 2)),
        .over = over,
    };
}

static ht_status rows_read(const reader *reader, sqlite3_stmt *statement) {
    const ht_database_best_choice *choice = reader->choice;
    sqlite3_int64 job = -1;
    double least = 0;
    size_t taken = 0;
    int step;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        bool enough = (size_t)sqlite3_column_int64(statement, 4) >= choice->least;
        double cost = sqlite3_column_double(statement, 3);
        if (sqlite3_column_int64(statement, 0) != job) {
            job = sqlite3_column_int64(statement, 0);
            least = cost;
            taken = 0;
            ++*(enough ? &reader->best->jobs : &reader->best->jobs_left_out);
        }
        if (enough && least > 0 && cost >= least && cost <= least * choice->within &&
            taken++ < choice->most)
            row_add(reader->best, statement, cost / least);
    }
    return step == SQLITE_DONE ? HT_OK : fail(reader, "cannot be read");
}

ht_status ht_database_read_best(const char *path, const ht_database_best_choice *choice,
                                ht_database_best *out_best, ht_error *error) {
    *out_best = (ht_database_best){0};
    reader reader = {.path = path, .choice = choice, .best = out_best, .error = error};
    sqlite3_stmt *statement = NULL;
    ht_status status = HT_OK;
    if (sqlite3_open_v2(path, &reader.sqlite, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        status = fail(&reader, "cannot be opened");
    if (status == HT_OK) {
        sqlite3_busy_timeout(reader.sqlite, HT_DATABASE_BUSY_MS);
        status = version_check(&reader);
    }
    if (status == HT_OK &&
        sqlite3_prepare_v2(reader.sqlite, query, -1, &statement, NULL) != SQLITE_OK)
        status = fail(&reader, "cannot be read");
    if (status == HT_OK) {
        sqlite3_bind_text(statement, 1, choice->kernel, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, choice->device, -1, SQLITE_STATIC);
        status = rows_read(&reader, statement);
    }
    sqlite3_finalize(statement);
    sqlite3_close(reader.sqlite);
    if (status != HT_OK)
        ht_database_best_free(out_best);
    return status;
}

void ht_database_best_free(ht_database_best *best) {
    for (size_t i = 0; i < best->count; ++i) {
        free(best->rows[i].problem);
        free(best->rows[i].config);
    }
    free(best->rows);
    *best = (ht_database_best){0};
}
