/* Each table is a set of rows under keys; of two rows under one key the greater one stays, by an
 * order of their contents alone. So a merge is the union's greatest rows: in whatever order it is
 * made. */
#include "runtime/store/merge.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/loops_schema.h"
#include "runtime/store/nights_schema.h"
#include "runtime/store/races_schema.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETTINGS "PRAGMA cache_size = -524288; PRAGMA temp_store = MEMORY"

#define KEY_COLUMNS HT_DATABASE_KEY_VALUES("")
#define ROW_COLUMNS                                                                                \
    "status, reason, median_ms, samples, compile_seconds, " HT_DATABASE_RESOURCE_COLUMNS           \
    ", created, reduced, conditions, checksum"

/* Jobs, and in temp.job_of the number that an input's job has here. */
static const char jobs[] =
    "INSERT INTO main.jobs (" KEY_COLUMNS ", created, checksum)"
    " SELECT " KEY_COLUMNS ", created, checksum FROM input.jobs AS jobs"
    " WHERE " HT_DATABASE_JOB_GOOD " ON CONFLICT (" KEY_COLUMNS ") DO UPDATE SET"
    " created = excluded.created, checksum = excluded.checksum"
    " WHERE excluded.created < jobs.created;"
    "DELETE FROM temp.job_of;"
    "INSERT INTO temp.job_of SELECT theirs.id, ours.id FROM input.jobs AS theirs"
    " JOIN main.jobs AS ours USING (" KEY_COLUMNS ");";

/* A full measurement before a reduced one, then the younger one; of two of the same second the one
 * with the greater checksum, which is of the whole row. */
static const char evaluations[] =
    "INSERT INTO main.evaluations (job_id, config, " ROW_COLUMNS ")"
    " SELECT job_of.ours, config, status, reason, median_ms, samples, compile_seconds,"
    " " HT_DATABASE_RESOURCE_COLUMNS ", evaluations.created, reduced, conditions,"
    " evaluations.checksum FROM input.evaluations AS evaluations"
    " JOIN input.jobs AS jobs ON jobs.id = job_id JOIN temp.job_of ON job_of.theirs = job_id"
    " WHERE " HT_DATABASE_EVALUATION_GOOD
    " ON CONFLICT (job_id, config) DO UPDATE SET (" ROW_COLUMNS
    ") = (excluded.status, excluded.reason, excluded.median_ms,"
    " excluded.samples, excluded.compile_seconds, excluded.vgprs, excluded.agprs, excluded.sgprs,"
    " excluded.vgpr_spills, excluded.sgpr_spills, excluded.lds, excluded.scratch,"
    " excluded.max_block, excluded.wavefront, excluded.waves_per_simd, excluded.max_waves_per_simd,"
    " excluded.created, excluded.reduced, excluded.conditions, excluded.checksum)"
    " WHERE (-excluded.reduced, excluded.created, excluded.checksum) >"
    " (-evaluations.reduced, evaluations.created, evaluations.checksum);";

static const char deaths[] =
    "INSERT INTO main.deaths (job_id, config, count, status, evidence, checksum)"
    " SELECT job_of.ours, config, count, status, evidence, deaths.checksum"
    " FROM input.deaths AS deaths JOIN input.jobs AS jobs ON jobs.id = job_id"
    " JOIN temp.job_of ON job_of.theirs = job_id"
    " WHERE " HT_DATABASE_DEATH_GOOD " ON CONFLICT (job_id, config) DO UPDATE"
    " SET (count, status, evidence, checksum) ="
    " (excluded.count, excluded.status, excluded.evidence, excluded.checksum)"
    " WHERE (excluded.count, excluded.status, excluded.evidence) >"
    " (deaths.count, deaths.status, deaths.evidence);";

/* The younger one; of two of the same second the one with the greater checksum. */
static const char races[] =
    "INSERT INTO main.races (job_id, step, stage, seed, entrants, results, created, checksum)"
    " SELECT job_of.ours, step, stage, seed, entrants, results, races.created, races.checksum"
    " FROM input.races AS races JOIN input.jobs AS jobs ON jobs.id = job_id"
    " JOIN temp.job_of ON job_of.theirs = job_id WHERE " HT_RACES_GOOD
    " ON CONFLICT (job_id, step, stage, seed, entrants) DO UPDATE"
    " SET (results, created, checksum) = (excluded.results, excluded.created, excluded.checksum)"
    " WHERE (excluded.created, excluded.checksum) > (races.created, races.checksum);";

/* Rows of the output that are damaged would win by accident. */
static const char clean[] =
    "DELETE FROM evaluations WHERE id IN (SELECT evaluations.id FROM evaluations"
    " JOIN jobs ON jobs.id = job_id WHERE NOT " HT_DATABASE_EVALUATION_GOOD ");"
    "DELETE FROM deaths WHERE rowid IN (SELECT deaths.rowid FROM deaths"
    " JOIN jobs ON jobs.id = job_id WHERE NOT " HT_DATABASE_DEATH_GOOD ");"
    "DELETE FROM races WHERE id IN (SELECT races.id FROM races"
    " JOIN jobs ON jobs.id = job_id WHERE NOT " HT_RACES_GOOD ");";

/* Nights are distinguished by job, time and host, and get new numbers, by time; the longest of
 * their documents stays, that of all shards. Results are a set of rows; the latest has the greatest
 * number, so they are put in by time again. */
static const char nights[] = HT_NIGHTS_CREATE
    "CREATE TEMP TABLE night AS SELECT 0 AS input, id, job, began, ended, document,"
    " CASE WHEN json_valid(document) THEN ifnull(json_extract(document, '$.host'), '') ELSE '' END"
    " AS host FROM main.nights UNION ALL SELECT 1, id, job, began, ended, document,"
    " CASE WHEN json_valid(document) THEN ifnull(json_extract(document, '$.host'), '') ELSE '' END"
    " FROM input.nights;"
    "CREATE TEMP TABLE numbered AS SELECT row_number() OVER (ORDER BY began, job, host) AS id, job,"
    " began, host, max(ended) AS ended, substr(max(printf('%020d', length(document)) || document),"
    " 21) AS document FROM temp.night GROUP BY job, began, host;"
    "CREATE TEMP TABLE result AS SELECT DISTINCT numbered.id AS night, r.job, kernel, problem,"
    " device, file, number, source_key, kernel_key, r.document, created FROM"
    " (SELECT 0 AS input, " HT_NIGHTS_COLUMNS " FROM main.results WHERE " HT_NIGHTS_GOOD
    " UNION ALL SELECT 1, " HT_NIGHTS_COLUMNS " FROM input.results WHERE " HT_NIGHTS_GOOD ") AS r"
    " JOIN temp.night ON night.input = r.input AND night.id = r.night"
    " JOIN temp.numbered ON (numbered.job, numbered.began, numbered.host) ="
    " (night.job, night.began, night.host);";

/* The files of a source are those of the database with its latest result, all of them or none. */
static const char files[] =
    "CREATE TEMP TABLE source AS SELECT input, source_key, max(created) AS created FROM"
    " (SELECT 0 AS input, source_key, created FROM main.results WHERE " HT_NIGHTS_GOOD
    " UNION ALL SELECT 1, source_key, created FROM input.results WHERE " HT_NIGHTS_GOOD
    " UNION ALL SELECT 0, source_key, 0 FROM main.written"
    " UNION ALL SELECT 1, source_key, 0 FROM input.written)"
    " GROUP BY input, source_key;"
    "CREATE INDEX temp.source_by_key ON source (source_key);"
    "CREATE TEMP TABLE better AS SELECT theirs.source_key FROM source AS theirs"
    " LEFT JOIN source AS ours ON ours.source_key = theirs.source_key AND ours.input = 0"
    " WHERE theirs.input = 1 AND (ours.input IS NULL OR (theirs.created,"
    " ifnull((SELECT group_concat(checksum) FROM (SELECT checksum FROM input.written"
    "  WHERE source_key = theirs.source_key ORDER BY name)), '')) > (ours.created,"
    " ifnull((SELECT group_concat(checksum) FROM (SELECT checksum FROM main.written"
    "  WHERE source_key = theirs.source_key ORDER BY name)), '')));"
    "DELETE FROM main.written WHERE source_key IN (SELECT source_key FROM temp.better);"
    "INSERT INTO main.written (source_key, name, content, checksum)"
    " SELECT source_key, name, content, checksum FROM input.written"
    " WHERE source_key IN (SELECT source_key FROM temp.better) AND " HT_NIGHTS_FILE_GOOD ";"
    "DROP TABLE temp.source; DROP TABLE temp.better;";

static const char nights_put[] =
    "DELETE FROM main.results; DELETE FROM main.nights;"
    "INSERT INTO main.nights (id, job, began, ended, document)"
    " SELECT id, job, began, ended, document FROM temp.numbered ORDER BY id;"
    "INSERT INTO main.results (" HT_NIGHTS_COLUMNS ", checksum)"
    " SELECT " HT_NIGHTS_COLUMNS ", " HT_NIGHTS_SUM " FROM temp.result ORDER BY created, night,"
    " kernel, problem, device, file, number, source_key, kernel_key, document;"
    "DROP TABLE temp.night; DROP TABLE temp.numbered; DROP TABLE temp.result;";

/* Loops are distinguished by what they depend on and the time of their begin; the one with the most
 * revisions stays, of those that are read: up to the first that is damaged or missing. They get new
 * numbers, by time, since the latest has the greatest. */
static const char loops[] = HT_LOOPS_CREATE
    "CREATE TEMP TABLE loop AS SELECT 0 AS input, id, " HT_LOOPS_COLUMNS
    " FROM main.loops AS loops WHERE " HT_LOOPS_GOOD " UNION ALL SELECT 1, id, " HT_LOOPS_COLUMNS
    " FROM input.loops AS loops WHERE " HT_LOOPS_GOOD ";"
    "CREATE TEMP TABLE step AS SELECT input, loop, number, document FROM (SELECT *,"
    " row_number() OVER (PARTITION BY input, loop ORDER BY number) AS place FROM"
    " (SELECT 0 AS input, loop, number, document FROM main.steps WHERE " HT_STEPS_GOOD
    " UNION ALL SELECT 1, loop, number, document FROM input.steps WHERE " HT_STEPS_GOOD
    ")) WHERE number = place - 1;"
    "CREATE INDEX temp.step_by_loop ON step (input, loop, number);"
    "CREATE TEMP TABLE kept AS SELECT row_number() OVER (ORDER BY created, key, file, kernel)"
    " AS number, * FROM (SELECT *, row_number() OVER (PARTITION BY key, file, kernel, created"
    " ORDER BY steps DESC, length(document) DESC, document DESC, revisions DESC) AS place FROM"
    " (SELECT loop.*, (SELECT count(*) FROM temp.step WHERE step.input = loop.input"
    "  AND step.loop = loop.id) AS steps, (SELECT group_concat(document) FROM"
    "  (SELECT document FROM temp.step WHERE step.input = loop.input AND step.loop = loop.id"
    "   ORDER BY number)) AS revisions FROM temp.loop)) WHERE place = 1;"
    "DELETE FROM main.steps; DELETE FROM main.loops;"
    "WITH given (id, " HT_LOOPS_COLUMNS ") AS (SELECT number, " HT_LOOPS_COLUMNS
    " FROM temp.kept) INSERT INTO main.loops (id, " HT_LOOPS_COLUMNS
    ", checksum) SELECT id, " HT_LOOPS_COLUMNS ", " HT_LOOPS_SUM " FROM given;"
    "WITH given (loop, number, document) AS (SELECT kept.number, step.number, step.document"
    " FROM temp.kept JOIN temp.step ON step.input = kept.input AND step.loop = kept.id)"
    " INSERT INTO main.steps (loop, number, document, checksum)"
    " SELECT loop, number, document, " HT_STEPS_SUM " FROM given;"
    "DROP TABLE temp.loop; DROP TABLE temp.step; DROP TABLE temp.kept;";

/* ---- */

typedef struct merger {
    const char *path;
    sqlite3 *sqlite;
    ht_database_damage damage; /* of the one that is read */
    ht_error *error;
} merger;

static ht_status run(const merger *in, const char *sql) {
    if (sqlite3_exec(in->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK)
        return HT_OK;
    return ht_database_fail(in->sqlite, in->path, "cannot be read or written as a whole",
                            in->error);
}

static bool has_table(const merger *in, const char *schema, const char *table) {
    return sqlite3_table_column_metadata(in->sqlite, schema, table, NULL, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

/* Opens a file for reading and closes it: it is one of ours, of this schema, and whole. */
static ht_status input_check(const char *path, ht_error *error) {
    ht_database_damage damage = {.path = path};
    sqlite3 *sqlite = NULL;
    if (!ht_file_exists(path))
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0, "there is no such file");
    ht_status status = ht_database_file_read(&damage, &sqlite, error);
    const char *name = status == HT_OK ? sqlite3_db_filename(sqlite, "main") : "";
    if (status == HT_OK && (!name || !*name)) /* a copy in memory */
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "its schema is of an older hiptemper; open it for tuning once "
                                 "(`hiptemper tune --db %s ...`), which brings it up to date",
                                 path);
    sqlite3_close(sqlite);
    ht_database_damage_free(&damage);
    return status;
}

static ht_status attach(const merger *in, const char *path) {
    sqlite3_stmt *statement = NULL;
    bool done =
        sqlite3_prepare_v2(in->sqlite, "ATTACH ?1 AS input", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_DONE;
    ht_status status =
        done ? HT_OK : ht_database_fail(in->sqlite, path, "cannot be read", in->error);
    sqlite3_finalize(statement);
    return status;
}

static ht_status rows_take(const merger *in) {
    static const struct {
        const char *sql, *table; /* of the input, without which it is left out; NULL: it has it */
    } steps[] = {
        {jobs, NULL},        {evaluations, NULL}, {deaths, NULL},          {races, NULL},
        {nights, "results"}, {files, "results"},  {nights_put, "results"}, {loops, "steps"}};
    ht_status status = run(in, "BEGIN IMMEDIATE");
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == HT_OK; ++i)
        if (!steps[i].table || has_table(in, "input", steps[i].table))
            status = run(in, steps[i].sql);
    if (status == HT_OK)
        status = run(in, "COMMIT");
    if (status != HT_OK)
        sqlite3_exec(in->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static ht_status input_take(merger *in, const char *path) {
    ht_status status = input_check(path, in->error);
    if (status == HT_OK)
        status = attach(in, path);
    if (status != HT_OK)
        return status;
    in->damage.path = path;
    in->damage.count = 0;
    status = rows_take(in);
    in->damage.path = in->path;
    sqlite3_exec(in->sqlite, "DETACH input", NULL, NULL, NULL);
    return status;
}

static ht_status merger_open(merger *in, const char *file) {
    in->damage.path = file;
    ht_status status = ht_database_file_open(&in->damage, &in->sqlite, in->error);
    in->damage.path = in->path;
    return status;
}

static void merger_close(merger *in) {
    sqlite3_close(in->sqlite);
    ht_database_damage_free(&in->damage);
}

/* Puts all inputs into `file`, which is the output or becomes it. */
static ht_status inputs_take(merger *in, const char *file, const char *settings,
                             const char *const *inputs, size_t count) {
    ht_status status = merger_open(in, file);
    if (status == HT_OK)
        status = run(in, settings);
    if (status == HT_OK)
        status = run(in, clean);
    if (status == HT_OK)
        status = run(in, "CREATE TEMP TABLE job_of (theirs INTEGER PRIMARY KEY, ours INTEGER)");
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        if (!ht_file_same(inputs[i], in->path))
            status = input_take(in, inputs[i]);
    merger_close(in);
    return status;
}

static ht_status synced_rename(const char *from, const char *to, ht_error *error) {
    int file = open(from, O_RDONLY | O_CLOEXEC);
    bool done = file >= 0 && fsync(file) == 0 && rename(from, to) == 0;
    ht_status status = done ? HT_OK
                            : ht_error_set_at(error, HT_ERROR_IO, to, 0, 0,
                                              "cannot be written: %s; free space on the disk, or "
                                              "make the folder writable",
                                              strerror(errno));
    if (file >= 0)
        close(file);
    return status;
}

/* A new output is made next to its place, without a journal, and moved there: half of the writing,
 * and never a part of it under its name. */
static ht_status output_make(merger *in, const char *const *inputs, size_t count) {
    char *part = ht_format("%s.merging", in->path);
    char *left[] = {ht_format("%s-wal", part), ht_format("%s-shm", part)};
    (void)unlink(part); /* of a merge that was killed */
    for (size_t i = 0; i < 2; ++i)
        (void)unlink(left[i]);
    ht_status status = inputs_take(in, part,
                                   SETTINGS "; PRAGMA journal_mode = OFF;"
                                            " PRAGMA synchronous = OFF",
                                   inputs, count);
    if (status == HT_OK)
        status = synced_rename(part, in->path, in->error);
    if (status != HT_OK)
        (void)unlink(part);
    for (size_t i = 0; i < 2; ++i) {
        (void)unlink(left[i]);
        free(left[i]);
    }
    free(part);
    return status;
}

ht_status ht_database_merge(const char *out, const char *const *inputs, size_t count,
                            ht_error *error) {
    merger in = {.path = out, .error = error};
    ht_status status = HT_OK;
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        status = input_check(inputs[i], error); /* before the output is made */
    if (status != HT_OK)
        return status;
    return ht_file_exists(out) ? inputs_take(&in, out, SETTINGS, inputs, count)
                               : output_make(&in, inputs, count);
}
