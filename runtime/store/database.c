#include "runtime/store/database.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "runtime/protocol/protocol.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/database_schema.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct ht_database {
    sqlite3 *sqlite;
    char *path;
    ht_database_damage damage;
    sqlite3_stmt *put_job;
    sqlite3_stmt *put;
    sqlite3_stmt *get;
    sqlite3_stmt *nearest;
    sqlite3_stmt *put_death;
    sqlite3_stmt *deaths;
    sqlite3_stmt *forgive;
};

static ht_status report(ht_database *database, const char *doing, ht_error *error) {
    return ht_database_fail(database->sqlite, database->path, doing, error);
}

static ht_status execute(ht_database *database, const char *sql, const char *doing,
                         ht_error *error) {
    if (sqlite3_exec(database->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
        return report(database, doing, error);
    return HT_OK;
}

static ht_status prepare(ht_database *database, const char *sql, sqlite3_stmt **out,
                         ht_error *error) {
    if (sqlite3_prepare_v3(database->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) ==
        SQLITE_OK)
        return HT_OK;
    return report(database, "does not have the tables expected", error);
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
        {HT_DATABASE_PUT_DEATH, &database->put_death},
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
    database->damage.path = database->path;
    status = ht_database_file_open(&database->damage, &database->sqlite, error);
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
    sqlite3_finalize(database->put_death);
    sqlite3_finalize(database->deaths);
    sqlite3_finalize(database->forgive);
    sqlite3_close(database->sqlite);
    ht_database_damage_free(&database->damage);
    free(database->path);
    free(database);
}

sqlite3 *ht_database_handle(const ht_database *database) {
    return database->sqlite;
}

const char *ht_database_path(const ht_database *database) {
    return database->path;
}

void ht_database_bind_text(sqlite3_stmt *statement, const char *name, const char *text) {
    int index = sqlite3_bind_parameter_index(statement, name);
    if (text == NULL)
        sqlite3_bind_null(statement, index);
    else
        sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

/* Binds the time as SQLite's own default writes it; a checksum must have it before the row is
 * made. */
static void bind_created(sqlite3_stmt *statement) {
    char text[HT_CLOCK_UTC_SIZE];
    ht_clock_utc(time(NULL), text);
    ht_database_bind_text(statement, ":created", text);
}

void ht_database_bind_key(sqlite3_stmt *statement, const ht_database_key *key) {
    ht_database_bind_text(statement, ":source_hash", key->source_hash);
    ht_database_bind_text(statement, ":template_name", key->template_name);
    ht_database_bind_text(statement, ":template_hash", key->template_hash);
    ht_database_bind_text(statement, ":problem", key->problem);
    ht_database_bind_text(statement, ":device", key->device);
    ht_database_bind_text(statement, ":compiler", key->compiler);
    ht_database_bind_text(statement, ":method", key->method);
    ht_database_bind_text(statement, ":settings", key->settings ? key->settings : "");
    ht_database_bind_text(statement, ":checking", key->checking ? key->checking : "");
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

static bool put_job(ht_database *database, const ht_database_key *key) {
    ht_database_bind_key(database->put_job, key);
    bind_created(database->put_job);
    return run_statement(database->put_job);
}

static bool put_row(ht_database *database, const ht_database_key *key,
                    const ht_evaluation *evaluation) {
    sqlite3_stmt *put = database->put;
    ht_database_bind_key(put, key);
    ht_database_bind_text(put, ":config", evaluation->config);
    ht_database_bind_text(put, ":status", ht_status_name(evaluation->status));
    ht_database_bind_text(put, ":reason", evaluation->reason);
    if (evaluation->status == HT_OK)
        sqlite3_bind_double(put, sqlite3_bind_parameter_index(put, ":median_ms"), evaluation->cost);
    char *samples = samples_text(evaluation);
    ht_database_bind_text(put, ":samples", samples);
    free(samples);
    sqlite3_bind_double(put, sqlite3_bind_parameter_index(put, ":compile_seconds"),
                        evaluation->compile_seconds);
    sqlite3_bind_int(put, sqlite3_bind_parameter_index(put, ":reduced"), evaluation->reduced);
    ht_database_bind_text(put, ":conditions", evaluation->conditions);
    bind_resources(put, &evaluation->resources);
    bind_created(put);
    return run_statement(put);
}

ht_status ht_database_put(ht_database *database, const ht_database_key *key,
                          const ht_evaluation *evaluation, ht_error *error) {
    ht_status status = execute(database, "BEGIN IMMEDIATE", "cannot be written", error);
    if (status != HT_OK)
        return status;
    if (!put_job(database, key) || !put_row(database, key, evaluation))
        status = report(database, "cannot be written", error);
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

bool ht_database_status(const char *name, ht_status *out_status) {
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

static bool read_row(sqlite3_stmt *row, const char *config, ht_evaluation *out) {
    *out = (ht_evaluation){.config = ht_strdup(config), .reason = column_text(row, 2)};
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
    return ht_database_status((const char *)sqlite3_column_text(row, 1), &out->status) &&
           parse_samples((const char *)sqlite3_column_text(row, 4), out) &&
           (out->status != HT_OK || out->cost > 0);
}

static ht_status get_row(ht_database *database, const ht_database_key *key, const char *config,
                         bool *out_found, ht_evaluation *out_evaluation, ht_error *error) {
    sqlite3_stmt *get = database->get;
    ht_database_bind_key(get, key);
    ht_database_bind_text(get, ":config", config);
    ht_status status = HT_OK;
    int step = sqlite3_step(get);
    if (step == SQLITE_ROW) {
        /* A row of an old file that makes no sense is not used either. */
        *out_found = read_row(get, config, out_evaluation);
        if (!*out_found)
            ht_evaluation_free(out_evaluation);
    } else if (step != SQLITE_DONE) {
        status = report(database, "cannot be read", error);
    }
    sqlite3_reset(get);
    sqlite3_clear_bindings(get);
    return status;
}

/* Puts the verdict of the last death in place of what was measured before. */
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
    if (!ht_database_status((const char *)sqlite3_column_text(row, 1), &evaluation->status) ||
        evaluation->status == HT_OK)
        evaluation->status = HT_ERROR_CRASH;
}

/* Reads the deaths of a configuration, 0 without a row; the verdict of the last one in place of the
 * evaluation when `evaluation` is given and they condemn. */
static ht_status get_deaths(ht_database *database, const ht_database_key *key, const char *config,
                            bool *found, ht_evaluation *evaluation, unsigned *out_count,
                            ht_error *error) {
    sqlite3_stmt *deaths = database->deaths;
    ht_database_bind_key(deaths, key);
    ht_database_bind_text(deaths, ":config", config);
    ht_status status = HT_OK;
    *out_count = 0;
    int step = sqlite3_step(deaths);
    if (step == SQLITE_ROW) {
        *out_count = (unsigned)sqlite3_column_int(deaths, 0);
        if (evaluation != NULL) {
            evaluation->deaths = *out_count;
            bool known = *found && evaluation->status != HT_OK;
            if (*out_count >= HT_DEATHS_CONDEMN && !known) {
                condemn(evaluation, config, deaths);
                *found = true;
            }
        }
    } else if (step != SQLITE_DONE) {
        status = report(database, "cannot be read", error);
    }
    sqlite3_reset(deaths);
    sqlite3_clear_bindings(deaths);
    return status;
}

ht_status ht_database_get(ht_database *database, const ht_database_key *key, const char *config,
                          bool *out_found, ht_evaluation *out_evaluation, ht_error *error) {
    *out_found = false;
    *out_evaluation = (ht_evaluation){.resources = ht_resources_unknown()};
    unsigned deaths = 0;
    ht_status status = get_row(database, key, config, out_found, out_evaluation, error);
    if (status == HT_OK)
        status = get_deaths(database, key, config, out_found, out_evaluation, &deaths, error);
    return status;
}

ht_status ht_database_add_death(ht_database *database, const ht_database_key *key,
                                const char *config, ht_status how, const char *evidence,
                                unsigned *out_count, ht_error *error) {
    ht_status status = execute(database, "BEGIN IMMEDIATE", "cannot be written", error);
    if (status != HT_OK)
        return status;
    unsigned before = 0;
    status = get_deaths(database, key, config, NULL, NULL, &before, error);
    sqlite3_stmt *put = database->put_death;
    ht_database_bind_key(put, key);
    ht_database_bind_text(put, ":config", config);
    ht_database_bind_text(put, ":status", ht_status_name(how));
    ht_database_bind_text(put, ":evidence", evidence);
    sqlite3_bind_int64(put, sqlite3_bind_parameter_index(put, ":count"), (sqlite3_int64)before + 1);
    if (status == HT_OK && !(put_job(database, key) && run_statement(put)))
        status = report(database, "cannot be written", error);
    if (status == HT_OK)
        status = execute(database, "COMMIT", "cannot be written", error);
    if (status != HT_OK)
        sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    else
        *out_count = before + 1;
    return status;
}

ht_status ht_database_forgive(ht_database *database, const ht_database_key *key, const char *config,
                              ht_error *error) {
    ht_database_bind_key(database->forgive, key);
    ht_database_bind_text(database->forgive, ":config", config);
    if (run_statement(database->forgive))
        return HT_OK;
    return report(database, "cannot be written", error);
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
    ht_database_bind_key(query, key);
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
        status = report(database, "cannot be read", error);
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
