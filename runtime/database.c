#include "runtime/database.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/database_schema.h"
#include "runtime/protocol.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ht_database {
    sqlite3 *sqlite;
    char *path;
    sqlite3_stmt *put_job;
    sqlite3_stmt *put;
    sqlite3_stmt *get;
    sqlite3_stmt *nearest;
    sqlite3_stmt *add_death;
    sqlite3_stmt *deaths;
    sqlite3_stmt *forgive;
};

/* Turns SQLite's last error into ours. The remedies are for people who see the message once a year.
 */
static ht_status report(sqlite3 *sqlite, const char *path, const char *doing, ht_error *error) {
    int code = sqlite3_errcode(sqlite);
    const char *words = sqlite3_errmsg(sqlite);
    const char *remedy = "check the disk and the folder's permissions, or name another database";
    switch (code & 0xff) {
    case SQLITE_NOTADB:
        words = "this file is not an SQLite database";
        remedy = "name another database, or move the file away";
        break;
    case SQLITE_CORRUPT:
        remedy = "the file is damaged: move it away (a new one is made), or repair it with "
                 "`sqlite3 FILE .recover`";
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        words = "the database stayed locked by another process";
        remedy = "wait until that process has finished, or name another database";
        break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        remedy = "make the file and its folder writable, or name another database";
        break;
    case SQLITE_FULL:
        remedy = "free space on the disk; what was committed before is kept";
        break;
    default:
        break;
    }
    return ht_error_set_at(error, HT_ERROR_IO, path, 0, 0, "tuning database: %s: %s; %s", doing,
                           words, remedy);
}

static ht_status query_integer(ht_database *database, const char *sql, sqlite3_int64 *out_value,
                               ht_error *error) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database->sqlite, sql, -1, &statement, NULL) != SQLITE_OK)
        return report(database->sqlite, database->path, "cannot be read", error);
    ht_status status = HT_OK;
    *out_value = 0;
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW)
        *out_value = sqlite3_column_int64(statement, 0);
    else if (step != SQLITE_DONE)
        status = report(database->sqlite, database->path, "cannot be read", error);
    sqlite3_finalize(statement);
    return status;
}

static ht_status execute(ht_database *database, const char *sql, const char *doing,
                         ht_error *error) {
    if (sqlite3_exec(database->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
        return report(database->sqlite, database->path, doing, error);
    return HT_OK;
}

/* Is this our file, of a version we know? *out_version is 0 when it has no tables at all. */
static ht_status identify(ht_database *database, sqlite3_int64 *out_version, ht_error *error) {
    sqlite3_int64 tables = 0, application = 0, version = 0;
    *out_version = 0;
    ht_status status =
        query_integer(database, "SELECT count(*) FROM sqlite_schema", &tables, error);
    if (status == HT_OK)
        status = query_integer(database, "PRAGMA application_id", &application, error);
    if (status == HT_OK)
        status = query_integer(database, "PRAGMA user_version", &version, error);
    if (status != HT_OK)
        return status;
    if (tables == 0 && application == 0 && version == 0)
        return HT_OK;
    if (application != HT_DATABASE_APPLICATION_ID)
        return ht_error_set_at(error, HT_ERROR_INPUT, database->path, 0, 0,
                               "this SQLite database belongs to another program; name another "
                               "database");
    if (version > HT_DATABASE_VERSION)
        return ht_error_set_at(error, HT_ERROR_INPUT, database->path, 0, 0,
                               "the tuning database has schema %lld and this program knows up to "
                               "%d; use the newer hiptemper, or name another database",
                               (long long)version, HT_DATABASE_VERSION);
    if (version < 1)
        return ht_error_set_at(error, HT_ERROR_INPUT, database->path, 0, 0,
                               "the tuning database has schema %lld, which no release wrote; move "
                               "the file away, or name another database",
                               (long long)version);
    *out_version = version;
    return HT_OK;
}

/* Two processes may create or upgrade the same file at once, so the second look happens under the
 * write lock. */
static ht_status update_schema(ht_database *database, ht_error *error) {
    const char *doing = "cannot be created or brought up to date";
    ht_status status = execute(database, "BEGIN IMMEDIATE", doing, error);
    if (status != HT_OK)
        return status;
    sqlite3_int64 version = 0;
    status = identify(database, &version, error);
    if (status == HT_OK && version == 0)
        status = execute(database, HT_DATABASE_SCHEMA, doing, error);
    else if (status == HT_OK && version == 1)
        status = execute(database, HT_DATABASE_FROM_1, doing, error);
    if (status == HT_OK)
        status = execute(database, "COMMIT", doing, error);
    if (status != HT_OK)
        sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* Switching to WAL does not wait for the busy timeout in every case, so it is tried for as long. */
static ht_status enter_wal(ht_database *database, ht_error *error) {
    enum { STEP_US = 20000 };
    for (int waited = 0;; waited += STEP_US / 1000) {
        int code = sqlite3_exec(database->sqlite, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (code == SQLITE_OK)
            return HT_OK;
        if (code != SQLITE_BUSY || waited >= HT_DATABASE_BUSY_MS)
            return report(database->sqlite, database->path, "cannot be opened", error);
        usleep(STEP_US);
    }
}

static ht_status prepare(ht_database *database, const char *sql, sqlite3_stmt **out,
                         ht_error *error) {
    if (sqlite3_prepare_v3(database->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) ==
        SQLITE_OK)
        return HT_OK;
    return report(database->sqlite, database->path, "does not have the tables expected", error);
}

static ht_status open_file(ht_database *database, ht_error *error) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(database->path, &database->sqlite, flags, NULL) != SQLITE_OK)
        return report(database->sqlite, database->path, "cannot be opened", error);
    sqlite3_extended_result_codes(database->sqlite, 1);
    sqlite3_busy_timeout(database->sqlite, HT_DATABASE_BUSY_MS);
    sqlite3_int64 version = 0;
    ht_status status = identify(database, &version, error);
    if (status != HT_OK)
        return status;
    if (sqlite3_db_readonly(database->sqlite, "main") == 1)
        return ht_error_set_at(error, HT_ERROR_IO, database->path, 0, 0,
                               "the tuning database is read-only; make the file and its folder "
                               "writable, or name another database");
    status = enter_wal(database, error);
    if (status == HT_OK && version < HT_DATABASE_VERSION)
        status = update_schema(database, error);
    if (status == HT_OK)
        status = execute(database, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON",
                         "cannot be opened", error);
    return status;
}

static ht_status prepare_all(ht_database *database, ht_error *error) {
    const struct {
        const char *sql;
        sqlite3_stmt **statement;
    } all[] = {
        {HT_DATABASE_PUT_JOB, &database->put_job},
        {HT_DATABASE_PUT, &database->put},
        {HT_DATABASE_GET, &database->get},
        {HT_DATABASE_NEAREST, &database->nearest},
        {HT_DATABASE_ADD_DEATH, &database->add_death},
        {HT_DATABASE_DEATHS, &database->deaths},
        {HT_DATABASE_FORGIVE, &database->forgive},
    };
    ht_status status = HT_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == HT_OK; ++i)
        status = prepare(database, all[i].sql, all[i].statement, error);
    return status;
}

ht_status ht_database_open(const char *path, ht_database **out_database, ht_error *error) {
    *out_database = NULL;
    char *folder = ht_path_folder(path);
    ht_status status = ht_dir_make(folder, error);
    free(folder);
    if (status != HT_OK)
        return status;
    ht_database *database = ht_alloc(1, sizeof *database);
    database->path = ht_strdup(path);
    status = open_file(database, error);
    if (status == HT_OK)
        status = prepare_all(database, error);
    if (status != HT_OK) {
        ht_database_close(database);
        return status;
    }
    *out_database = database;
    return HT_OK;
}

void ht_database_close(ht_database *database) {
    if (database == NULL)
        return;
    sqlite3_finalize(database->put_job);
    sqlite3_finalize(database->put);
    sqlite3_finalize(database->get);
    sqlite3_finalize(database->nearest);
    sqlite3_finalize(database->add_death);
    sqlite3_finalize(database->deaths);
    sqlite3_finalize(database->forgive);
    sqlite3_close(database->sqlite);
    free(database->path);
    free(database);
}

static void bind_text(sqlite3_stmt *statement, const char *name, const char *text) {
    int index = sqlite3_bind_parameter_index(statement, name);
    if (text == NULL)
        sqlite3_bind_null(statement, index);
    else
        sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

static void bind_key(sqlite3_stmt *statement, const ht_database_key *key) {
    bind_text(statement, ":source_hash", key->source_hash);
    bind_text(statement, ":template_name", key->template_name);
    bind_text(statement, ":template_hash", key->template_hash);
    bind_text(statement, ":problem", key->problem);
    bind_text(statement, ":device", key->device);
    bind_text(statement, ":compiler", key->compiler);
    bind_text(statement, ":method", key->method);
    bind_text(statement, ":settings", key->settings ? key->settings : "");
    bind_text(statement, ":checking", key->checking ? key->checking : "");
}

/* -1 means unknown and is NULL in the table, so that averages and comparisons in SQL come out
 * right. */

static void bind_resources(sqlite3_stmt *statement, const ht_resources *resources) {
#define BIND(field)                                                                                \
    if (resources->field >= 0)                                                                     \
        sqlite3_bind_int(statement, sqlite3_bind_parameter_index(statement, ":" #field),           \
                         resources->field);
    HT_RESOURCE_FIELDS(BIND)
#undef BIND
}

static char *samples_text(const ht_evaluation *evaluation) {
    ht_text text = {0};
    ht_text_append(&text, "[");
    for (size_t i = 0; i < evaluation->sample_count; ++i)
        ht_text_printf(&text, "%s%.17g", i ? "," : "", evaluation->samples[i]);
    ht_text_append(&text, "]");
    return ht_text_take(&text);
}

static bool run_statement(sqlite3_stmt *statement) {
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return done;
}

static bool put_row(ht_database *database, const ht_database_key *key,
                    const ht_evaluation *evaluation) {
    sqlite3_stmt *put = database->put;
    bind_key(put, key);
    bind_text(put, ":config", evaluation->config);
    bind_text(put, ":status", ht_status_name(evaluation->status));
    bind_text(put, ":reason", evaluation->reason);
    if (evaluation->status == HT_OK)
        sqlite3_bind_double(put, sqlite3_bind_parameter_index(put, ":median_ms"), evaluation->cost);
    char *samples = samples_text(evaluation);
    bind_text(put, ":samples", samples);
    free(samples);
    sqlite3_bind_double(put, sqlite3_bind_parameter_index(put, ":compile_seconds"),
                        evaluation->compile_seconds);
    sqlite3_bind_int(put, sqlite3_bind_parameter_index(put, ":reduced"), evaluation->reduced);
    bind_text(put, ":conditions", evaluation->conditions);
    bind_resources(put, &evaluation->resources);
    return run_statement(put);
}

ht_status ht_database_put(ht_database *database, const ht_database_key *key,
                          const ht_evaluation *evaluation, ht_error *error) {
    ht_status status = execute(database, "BEGIN IMMEDIATE", "cannot be written", error);
    if (status != HT_OK)
        return status;
    bind_key(database->put_job, key);
    if (!run_statement(database->put_job) || !put_row(database, key, evaluation))
        status = report(database->sqlite, database->path, "cannot be written", error);
    if (status == HT_OK)
        status = execute(database, "COMMIT", "cannot be written", error);
    if (status != HT_OK)
        sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static char *column_text(sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text != NULL ? ht_strdup(text) : NULL;
}

static bool status_from_name(const char *name, ht_status *out_status) {
    for (int status = HT_OK; name != NULL && status <= HT_ERROR_INTERNAL; ++status)
        if (strcmp(ht_status_name((ht_status)status), name) == 0) {
            *out_status = (ht_status)status;
            return true;
        }
    return false;
}

static bool parse_samples(const char *text, ht_evaluation *evaluation) {
    json_t *array = text != NULL ? json_loads(text, 0, NULL) : NULL;
    if (!json_is_array(array)) {
        json_decref(array);
        return false;
    }
    evaluation->sample_count = json_array_size(array);
    evaluation->samples = ht_alloc(evaluation->sample_count + 1, sizeof(double));
    for (size_t i = 0; i < evaluation->sample_count; ++i)
        evaluation->samples[i] = json_number_value(json_array_get(array, i));
    json_decref(array);
    return true;
}

static bool read_row(sqlite3_stmt *row, ht_evaluation *out) {
    *out = (ht_evaluation){.config = column_text(row, 0), .reason = column_text(row, 2)};
    out->cost = sqlite3_column_double(row, 3);
    out->compile_seconds = sqlite3_column_double(row, 5);
    out->reduced = sqlite3_column_int(row, 6) != 0;
    out->conditions = column_text(row, 7);
    int column = 8;
#define READ(field)                                                                                \
    out->resources.field =                                                                         \
        sqlite3_column_type(row, column) == SQLITE_NULL ? -1 : sqlite3_column_int(row, column);    \
    ++column;
    HT_RESOURCE_FIELDS(READ)
#undef READ
    return status_from_name((const char *)sqlite3_column_text(row, 1), &out->status) &&
           parse_samples((const char *)sqlite3_column_text(row, 4), out) &&
           (out->status != HT_OK || out->cost > 0);
}

static ht_status get_row(ht_database *database, const ht_database_key *key, const char *config,
                         bool *out_found, ht_evaluation *out_evaluation, ht_error *error) {
    sqlite3_stmt *get = database->get;
    bind_key(get, key);
    bind_text(get, ":config", config);
    ht_status status = HT_OK;
    int step = sqlite3_step(get);
    if (step == SQLITE_ROW) {
        /* A row that somebody else wrote by hand and that makes no sense is as good as none. */
        *out_found = read_row(get, out_evaluation);
        if (!*out_found)
            ht_evaluation_free(out_evaluation);
    } else if (step != SQLITE_DONE) {
        status = report(database->sqlite, database->path, "cannot be read", error);
    }
    sqlite3_reset(get);
    sqlite3_clear_bindings(get);
    return status;
}

/* The verdict of the last death in place of what was measured before. */
static void condemn(ht_evaluation *evaluation, const char *config, sqlite3_stmt *row) {
    ht_resources resources = evaluation->resources;
    double seconds = evaluation->compile_seconds;
    unsigned deaths = evaluation->deaths;
    ht_evaluation_free(evaluation);
    *evaluation = (ht_evaluation){.config = ht_strdup(config),
                                  .reason = column_text(row, 2),
                                  .compile_seconds = seconds,
                                  .resources = resources,
                                  .deaths = deaths,
                                  .condemned = true};
    if (!status_from_name((const char *)sqlite3_column_text(row, 1), &evaluation->status) ||
        evaluation->status == HT_OK)
        evaluation->status = HT_ERROR_CRASH;
}

ht_status ht_database_get(ht_database *database, const ht_database_key *key, const char *config,
                          bool *out_found, ht_evaluation *out_evaluation, ht_error *error) {
    *out_found = false;
    *out_evaluation = (ht_evaluation){.resources = ht_resources_unknown()};
    ht_status status = get_row(database, key, config, out_found, out_evaluation, error);
    if (status != HT_OK)
        return status;
    sqlite3_stmt *deaths = database->deaths;
    bind_key(deaths, key);
    bind_text(deaths, ":config", config);
    int step = sqlite3_step(deaths);
    if (step == SQLITE_ROW) {
        out_evaluation->deaths = (unsigned)sqlite3_column_int(deaths, 0);
        bool known = *out_found && out_evaluation->status != HT_OK;
        if (out_evaluation->deaths >= HT_DEATHS_CONDEMN && !known) {
            condemn(out_evaluation, config, deaths);
            *out_found = true;
        }
    } else if (step != SQLITE_DONE) {
        status = report(database->sqlite, database->path, "cannot be read", error);
    }
    sqlite3_reset(deaths);
    sqlite3_clear_bindings(deaths);
    return status;
}

ht_status ht_database_add_death(ht_database *database, const ht_database_key *key,
                                const char *config, ht_status how, const char *evidence,
                                unsigned *out_count, ht_error *error) {
    ht_status status = execute(database, "BEGIN IMMEDIATE", "cannot be written", error);
    if (status != HT_OK)
        return status;
    sqlite3_stmt *add = database->add_death;
    bind_key(database->put_job, key);
    bind_key(add, key);
    bind_text(add, ":config", config);
    bind_text(add, ":status", ht_status_name(how));
    bind_text(add, ":evidence", evidence);
    bool good = run_statement(database->put_job) && sqlite3_step(add) == SQLITE_ROW;
    if (good)
        *out_count = (unsigned)sqlite3_column_int(add, 0);
    good = good && sqlite3_step(add) == SQLITE_DONE;
    if (!good)
        status = report(database->sqlite, database->path, "cannot be written", error);
    sqlite3_reset(add);
    sqlite3_clear_bindings(add);
    if (status == HT_OK)
        status = execute(database, "COMMIT", "cannot be written", error);
    if (status != HT_OK)
        sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

ht_status ht_database_forgive(ht_database *database, const ht_database_key *key, const char *config,
                              ht_error *error) {
    bind_key(database->forgive, key);
    bind_text(database->forgive, ":config", config);
    if (run_statement(database->forgive))
        return HT_OK;
    return report(database->sqlite, database->path, "cannot be written", error);
}

void ht_evaluation_free(ht_evaluation *evaluation) {
    if (evaluation == NULL)
        return;
    free(evaluation->config);
    free(evaluation->reason);
    free(evaluation->samples);
    free(evaluation->conditions);
    *evaluation = (ht_evaluation){0};
}

typedef struct neighbour {
    double distance;
    char *config;
} neighbour;

static int by_distance(const void *a, const void *b) {
    const neighbour *x = a, *y = b;
    return (x->distance > y->distance) - (x->distance < y->distance);
}

ht_status ht_database_nearest(ht_database *database, const ht_database_key *key, size_t want,
                              char ***out_configs, size_t *out_count, ht_error *error) {
    *out_configs = NULL;
    *out_count = 0;
    sqlite3_stmt *query = database->nearest;
    bind_text(query, ":template_name", key->template_name);
    bind_text(query, ":template_hash", key->template_hash);
    bind_text(query, ":device", key->device);
    bind_text(query, ":problem", key->problem);
    neighbour *found = NULL;
    size_t count = 0;
    int step;
    while ((step = sqlite3_step(query)) == SQLITE_ROW) {
        const char *problem = (const char *)sqlite3_column_text(query, 0);
        HT_GROW(found, count);
        found[count++] = (neighbour){ht_problem_distance(key->problem, problem ? problem : ""),
                                     column_text(query, 1)};
    }
    ht_status status = HT_OK;
    if (step != SQLITE_DONE)
        status = report(database->sqlite, database->path, "cannot be read", error);
    sqlite3_reset(query);
    sqlite3_clear_bindings(query);

    if (count > 0)
        qsort(found, count, sizeof *found, by_distance);
    char **configs = ht_alloc(want + 1, sizeof *configs);
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        bool doubled = found[i].config == NULL;
        for (size_t j = 0; j < kept && !doubled; ++j)
            doubled = strcmp(configs[j], found[i].config) == 0;
        if (status == HT_OK && kept < want && !doubled)
            configs[kept++] = found[i].config;
        else
            free(found[i].config);
    }
    free(found);
    *out_configs = configs;
    *out_count = kept;
    return status;
}
