/* Tuning databases counted, checked row by row, and shortened. */
#include "runtime/store/merge.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/loops_schema.h"
#include "runtime/store/nights_schema.h"
#include "runtime/store/races_schema.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct upkeep {
    const char *path;
    sqlite3 *sqlite;
    ht_database_damage damage;
    ht_error *error;
} upkeep;

static ht_status fail(const upkeep *in) {
    return ht_database_fail(in->sqlite, in->path, "cannot be looked through", in->error);
}

static bool has_table(const upkeep *in, const char *table) {
    return sqlite3_table_column_metadata(in->sqlite, NULL, table, NULL, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

static ht_status number(const upkeep *in, const char *sql, int64_t *out) {
    sqlite3_stmt *statement = NULL;
    ht_status status = HT_OK;
    if (sqlite3_prepare_v2(in->sqlite, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        *out = sqlite3_column_int64(statement, 0);
    else
        status = fail(in);
    sqlite3_finalize(statement);
    return status;
}

static ht_status all_count(const upkeep *in, ht_database_counts *out) {
    const struct {
        const char *sql;
        int64_t *number;
        const char *table; /* that not every file has */
    } counts[] = {
        {"SELECT count(*) FROM jobs", &out->jobs, NULL},
        {"SELECT count(*) FROM evaluations", &out->evaluations, NULL},
        {"SELECT count(*) FROM evaluations WHERE status = 'ok'", &out->successes, NULL},
        {"SELECT count(*) FROM deaths", &out->deaths, NULL},
        {"SELECT count(*) FROM races", &out->races, NULL},
        {"SELECT count(DISTINCT template_name) FROM jobs", &out->kernels, NULL},
        {"SELECT count(DISTINCT device) FROM jobs", &out->devices, NULL},
        {"SELECT count(*) FROM nights", &out->nights, "results"},
        {"SELECT count(*) FROM results", &out->results, "results"},
        {"SELECT count(*) FROM written", &out->files, "results"},
        {"SELECT count(*) FROM loops", &out->loops, "steps"},
        {"SELECT count(*) FROM steps", &out->revisions, "steps"},
    };
    ht_status status = HT_OK;
    for (size_t i = 0; i < sizeof counts / sizeof *counts && status == HT_OK; ++i) {
        *counts[i].number = -1;
        if (!counts[i].table || has_table(in, counts[i].table))
            status = number(in, counts[i].sql, counts[i].number);
    }
    return status;
}

/* Has every row compared to its checksum. */
static ht_status damaged_count(const upkeep *in, int64_t *out) {
    static const struct {
        const char *rows, *good, *table;
    } checks[] = {
        {"jobs", HT_DATABASE_JOB_GOOD, "jobs"},
        {"evaluations JOIN jobs ON jobs.id = job_id", HT_DATABASE_EVALUATION_GOOD, "evaluations"},
        {"deaths JOIN jobs ON jobs.id = job_id", HT_DATABASE_DEATH_GOOD, "deaths"},
        {"races JOIN jobs ON jobs.id = job_id", HT_RACES_GOOD, "races"},
        {"results", HT_NIGHTS_GOOD, "results"},
        {"written", HT_NIGHTS_FILE_GOOD, "written"},
        {"loops", HT_LOOPS_GOOD, "loops"},
        {"steps", HT_STEPS_GOOD, "steps"}};
    ht_status status = HT_OK;
    *out = 0;
    for (size_t i = 0; i < sizeof checks / sizeof *checks && status == HT_OK; ++i) {
        int64_t found = 0;
        if (!has_table(in, checks[i].table))
            continue;
        char *sql =
            ht_format("SELECT count(*) FROM %s WHERE NOT %s", checks[i].rows, checks[i].good);
        status = number(in, sql, &found);
        free(sql);
        *out += status == HT_OK ? found : 0;
    }
    return status;
}

static void upkeep_close(upkeep *in) {
    sqlite3_close(in->sqlite);
    ht_database_damage_free(&in->damage);
}

static ht_status missing(const char *path, ht_error *error) {
    return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0, "there is no such file");
}

ht_status ht_database_count(const char *path, ht_database_counts *out, ht_error *error) {
    upkeep in = {.path = path, .damage = {.path = path}, .error = error};
    *out = (ht_database_counts){0};
    if (!ht_file_exists(path))
        return missing(path, error);
    ht_status status = ht_database_file_read(&in.damage, &in.sqlite, error);
    if (status == HT_OK)
        status = all_count(&in, out);
    if (status == HT_OK)
        status = damaged_count(&in, &out->damaged);
    upkeep_close(&in);
    return status;
}

static ht_status run(const upkeep *in, const char *sql) {
    return sqlite3_exec(in->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK ? HT_OK : fail(in);
}

/* Jobs of which nothing was measured since; evaluations are dated in words, results in seconds. */
static const char old_find[] =
    "CREATE TEMP TABLE old AS SELECT jobs.id FROM jobs LEFT JOIN evaluations ON job_id = jobs.id"
    " GROUP BY jobs.id HAVING ifnull(max(evaluations.created), '') <"
    " (SELECT strftime('%Y-%m-%dT%H:%M:%SZ', at, 'unixepoch') FROM temp.before);";

/* Those of the latest result of a kernel are asked for again when that is timed again. */
static const char used_keep[] =
    "DELETE FROM temp.old WHERE id IN (SELECT jobs.id FROM jobs JOIN results"
    " ON jobs.template_hash = json_extract(results.document, '$.parts.code')"
    " WHERE results.id IN (SELECT max(id) FROM results"
    "  GROUP BY job, kernel, problem, device, file, number));";

static const char evaluations_prune[] =
    "DELETE FROM evaluations WHERE job_id IN (SELECT id FROM temp.old)"
    " OR id IN (SELECT evaluations.id FROM evaluations"
    " JOIN jobs ON jobs.id = job_id WHERE NOT " HT_DATABASE_EVALUATION_GOOD ");"
    "DELETE FROM deaths WHERE job_id IN (SELECT id FROM temp.old);"
    "DELETE FROM races WHERE job_id IN (SELECT id FROM temp.old)"
    " OR id IN (SELECT races.id FROM races"
    " JOIN jobs ON jobs.id = job_id WHERE NOT " HT_RACES_GOOD ");"
    "DELETE FROM jobs WHERE id IN (SELECT id FROM temp.old);";

static const char nights_prune[] =
    "DELETE FROM results WHERE NOT " HT_NIGHTS_GOOD
    " OR (created < (SELECT at FROM temp.before) AND id NOT IN (SELECT max(id) FROM results"
    " GROUP BY job, kernel, problem, device, file, number));"
    "DELETE FROM nights WHERE NOT EXISTS (SELECT 1 FROM results WHERE night = nights.id)"
    " AND id < (SELECT max(id) FROM nights);"
    "DELETE FROM written WHERE NOT " HT_NIGHTS_FILE_GOOD
    " OR source_key NOT IN (SELECT source_key FROM results);";

/* Steps go before the loops that they are of. */
static const char loops_prune[] =
    "CREATE TEMP TABLE gone AS SELECT id FROM loops WHERE NOT " HT_LOOPS_GOOD ";"
    "INSERT INTO temp.gone SELECT id FROM loops WHERE created < (SELECT at FROM temp.before)"
    " AND id NOT IN (SELECT max(id) FROM loops WHERE id NOT IN (SELECT id FROM temp.gone)"
    " GROUP BY file, kernel);"
    "DELETE FROM steps WHERE NOT " HT_STEPS_GOOD " OR loop IN (SELECT id FROM temp.gone);"
    "DELETE FROM loops WHERE id IN (SELECT id FROM temp.gone);";

static ht_status prune(const upkeep *in, double days) {
    char *before =
        ht_format("CREATE TEMP TABLE before AS SELECT unixepoch() - %.0f AS at", days * 86400);
    ht_status status = run(in, before);
    free(before);
    if (status == HT_OK)
        status = run(in, "BEGIN IMMEDIATE");
    if (status == HT_OK)
        status = run(in, old_find);
    if (status == HT_OK && has_table(in, "results"))
        status = run(in, used_keep);
    if (status == HT_OK)
        status = run(in, evaluations_prune);
    if (status == HT_OK && has_table(in, "results"))
        status = run(in, nights_prune);
    if (status == HT_OK && has_table(in, "steps"))
        status = run(in, loops_prune);
    if (status == HT_OK && has_table(in, "claims"))
        status = run(in, "DELETE FROM claims");
    if (status == HT_OK)
        status = run(in, "COMMIT");
    if (status != HT_OK)
        sqlite3_exec(in->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return status == HT_OK ? run(in, "VACUUM") : status;
}

ht_status ht_database_prune(const char *path, double days, ht_error *error) {
    upkeep in = {.path = path, .damage = {.path = path}, .error = error};
    if (!ht_file_exists(path))
        return missing(path, error);
    ht_status status = ht_database_file_open(&in.damage, &in.sqlite, error);
    if (status == HT_OK)
        status = prune(&in, days);
    upkeep_close(&in);
    return status;
}
