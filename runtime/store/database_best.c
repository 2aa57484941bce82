#include "runtime/store/database_best.h"

#include "base/memory.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/database_schema.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Sorted by the text of the problem, so that the rows' order does not depend on when they were
 * made. A device is the one of its name or, of "amd", any "amd:1"; "host:wave32" is another than
 * "host". */
static const char query[] =
    "SELECT jobs.id, jobs.problem, evaluations.config, evaluations.median_ms,"
    " count(*) OVER (PARTITION BY jobs.id)"
    " FROM jobs JOIN evaluations ON evaluations.job_id = jobs.id"
    " WHERE jobs.template_name = ?1"
    " AND (substr(jobs.device, 1, length(?2) + 2) = ?2 || ': '"
    "  OR (substr(jobs.device, 1, length(?2) + 1) = ?2 || ':'"
    "   AND substr(jobs.device, length(?2) + 2, 1) BETWEEN '0' AND '9'))"
    " AND evaluations.status = 'ok' AND evaluations.config <> 'original'"
    " AND " HT_DATABASE_NOT_CONDEMNED " AND " HT_DATABASE_EVALUATION_GOOD
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
    return ht_database_fail(reader->sqlite, reader->path, doing, reader->error);
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
    ht_database_damage damage = {.path = path};
    sqlite3_stmt *statement = NULL;
    ht_status status = ht_database_file_read(&damage, &reader.sqlite, error);
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
    ht_database_damage_free(&damage);
    status = ht_database_fail_input(status, error);
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
