#include "runtime/store/races.h"

#include "base/clock.h"
#include "base/memory.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/races_schema.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ht_status fail(const ht_database *database, const char *doing, ht_error *error) {
    return ht_database_fail(ht_database_handle(database), ht_database_path(database), doing, error);
}

/* ---- rows as text */

static char *text_take(json_t *document) {
    char *text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(document);
    return text ? text : ht_strdup("");
}

static char *entrants_text(const ht_race *race) {
    json_t *list = json_array();
    for (size_t i = 0; i < race->count; ++i)
        json_array_append_new(list, json_string(race->entrants[i].config));
    return text_take(list);
}

/* Words of a compiler or a kernel may be no UTF-8. */
static json_t *reason_json(const char *reason) {
    json_t *text = reason ? json_string(reason) : NULL;
    return text ? text : json_string("");
}

static char *results_text(const ht_race *race) {
    json_t *list = json_array();
    for (size_t i = 0; i < race->count; ++i) {
        const ht_race_entrant *entrant = &race->entrants[i];
        json_t *samples = json_array();
        for (size_t r = 0; r < race->rounds && entrant->status == HT_OK; ++r)
            json_array_append_new(samples, json_real(entrant->samples[r]));
        if (entrant->status == HT_OK) {
            json_array_append_new(list, samples);
            continue;
        }
        json_decref(samples);
        json_array_append_new(list,
                              json_pack("{s:s, s:o}", "status", ht_status_name(entrant->status),
                                        "reason", reason_json(entrant->reason)));
    }
    return text_take(list);
}

static bool samples_read(const json_t *list, size_t most, ht_race *race, ht_race_entrant *out) {
    size_t count = json_array_size(list);
    bool first = race->rounds == 0;
    if (count == 0 || count > most || (!first && count != race->rounds))
        return false;
    race->rounds = count;
    out->samples = ht_alloc(count, sizeof *out->samples);
    for (size_t i = 0; i < count; ++i) {
        out->samples[i] = json_number_value(json_array_get(list, i));
        if (!(out->samples[i] > 0) || !isfinite(out->samples[i]))
            return false;
    }
    return true;
}

static bool failure_read(const json_t *object, ht_race_entrant *out) {
    const char *name = json_string_value(json_object_get(object, "status"));
    const char *reason = json_string_value(json_object_get(object, "reason"));
    if (!name || !reason || !ht_database_status(name, &out->status) || out->status == HT_OK)
        return false;
    out->reason = ht_strdup(reason);
    return true;
}

static bool results_read(const char *text, size_t most, ht_race *race) {
    json_t *list = text ? json_loads(text, 0, NULL) : NULL;
    bool good = json_is_array(list) && json_array_size(list) == race->count;
    for (size_t i = 0; i < race->count && good; ++i) {
        const json_t *item = json_array_get(list, i);
        good = json_is_array(item) ? samples_read(item, most, race, &race->entrants[i])
                                   : failure_read(item, &race->entrants[i]);
    }
    json_decref(list);
    return good;
}

/* ---- statements */

static ht_status prepare(const ht_database *database, const char *sql, const ht_database_key *key,
                         sqlite3_stmt **out, ht_error *error) {
    if (sqlite3_prepare_v2(ht_database_handle(database), sql, -1, out, NULL) != SQLITE_OK)
        return fail(database, "does not have the tables expected", error);
    ht_database_bind_key(*out, key);
    return HT_OK;
}

static void bind_number(sqlite3_stmt *statement, const char *name, uint64_t number) {
    sqlite3_bind_int64(statement, sqlite3_bind_parameter_index(statement, name),
                       (sqlite3_int64)number);
}

static void bind_name(sqlite3_stmt *statement, const ht_race *race) {
    char *entrants = entrants_text(race);
    bind_number(statement, ":step", race->step);
    ht_database_bind_text(statement, ":stage", race->stage);
    bind_number(statement, ":seed", race->seed);
    ht_database_bind_text(statement, ":entrants", entrants);
    free(entrants);
}

/* Runs a statement that gives no rows, and ends it. */
static ht_status run(const ht_database *database, sqlite3_stmt *statement, ht_error *error) {
    ht_status status =
        sqlite3_step(statement) == SQLITE_DONE ? HT_OK : fail(database, "cannot be written", error);
    sqlite3_finalize(statement);
    return status;
}

static ht_status rows_put(const ht_database *database, const ht_database_key *key,
                          const ht_race *race, ht_error *error) {
    sqlite3_stmt *job = NULL, *put = NULL;
    char now[HT_CLOCK_UTC_SIZE];
    ht_clock_utc(time(NULL), now);
    ht_status status = prepare(database, HT_DATABASE_PUT_JOB, key, &job, error);
    if (status != HT_OK)
        return status;
    ht_database_bind_text(job, ":created", now);
    status = run(database, job, error);
    if (status == HT_OK)
        status = prepare(database, HT_RACES_PUT, key, &put, error);
    if (status != HT_OK)
        return status;
    char *results = results_text(race);
    bind_name(put, race);
    ht_database_bind_text(put, ":results", results);
    ht_database_bind_text(put, ":created", now);
    free(results);
    return run(database, put, error);
}

ht_status ht_races_put(ht_database *database, const ht_database_key *key, const ht_race *race,
                       ht_error *error) {
    sqlite3 *sqlite = ht_database_handle(database);
    if (sqlite3_exec(sqlite, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        return fail(database, "cannot be written", error);
    ht_status status = rows_put(database, key, race, error);
    if (status == HT_OK && sqlite3_exec(sqlite, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = fail(database, "cannot be written", error);
    if (status != HT_OK)
        sqlite3_exec(sqlite, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

ht_status ht_races_get(ht_database *database, const ht_database_key *key, size_t most,
                       ht_race *race, bool *out_found, ht_error *error) {
    sqlite3_stmt *get = NULL;
    *out_found = false;
    race->rounds = 0;
    for (size_t i = 0; i < race->count; ++i)
        race->entrants[i] = (ht_race_entrant){.config = race->entrants[i].config};
    ht_status status = prepare(database, HT_RACES_GET, key, &get, error);
    if (status != HT_OK)
        return status;
    bind_name(get, race);
    int step = sqlite3_step(get);
    if (step == SQLITE_ROW)
        *out_found = results_read((const char *)sqlite3_column_text(get, 0), most, race);
    else if (step != SQLITE_DONE)
        status = fail(database, "cannot be read", error);
    sqlite3_finalize(get);
    return status;
}

void ht_race_results_free(ht_race *race) {
    for (size_t i = 0; i < race->count; ++i) {
        free(race->entrants[i].reason);
        free(race->entrants[i].samples);
        race->entrants[i] = (ht_race_entrant){.config = race->entrants[i].config};
    }
}
