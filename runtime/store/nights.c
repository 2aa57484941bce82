#include "runtime/store/nights.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/database_schema.h"
#include "runtime/store/nights_schema.h"

#include <stdlib.h>
#include <string.h>

struct ht_nights {
    sqlite3 *sqlite;
    char *path;
    ht_database_damage damage;
};

static ht_status fail(ht_nights *nights, const char *doing, ht_error *error) {
    return ht_database_fail(nights->sqlite, nights->path, doing, error);
}

static ht_nights *nights_new(const char *path) {
    ht_nights *nights = ht_alloc(1, sizeof *nights);
    nights->path = ht_strdup(path);
    nights->damage.path = nights->path;
    return nights;
}

ht_status ht_nights_open(const char *path, ht_nights **out_nights, ht_error *error) {
    *out_nights = NULL;
    char *folder = ht_path_folder(path);
    ht_status status = ht_dir_make(folder, error);
    free(folder);
    if (status != HT_OK)
        return status;
    ht_nights *nights = nights_new(path);
    status = ht_database_file_open(&nights->damage, &nights->sqlite, error);
    if (status == HT_OK &&
        sqlite3_exec(nights->sqlite, HT_NIGHTS_TABLES, NULL, NULL, NULL) != SQLITE_OK) {
        status = fail(nights, "the tables of nights cannot be made", error);
        sqlite3_exec(nights->sqlite, "ROLLBACK", NULL, NULL, NULL);
    }
    if (status == HT_OK)
        *out_nights = nights;
    else
        ht_nights_close(nights);
    return status;
}

ht_status ht_nights_read(const char *path, ht_nights **out_nights, ht_error *error) {
    *out_nights = NULL;
    if (!ht_file_exists(path))
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                               "there is no such file; name a database of `hiptemper run`");
    ht_nights *nights = nights_new(path);
    ht_status status = ht_database_file_read(&nights->damage, &nights->sqlite, error);
    if (status == HT_OK && sqlite3_table_column_metadata(nights->sqlite, NULL, "results", "night",
                                                         NULL, NULL, NULL, NULL, NULL) != SQLITE_OK)
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "this tuning database has no nights; `hiptemper run` makes them");
    if (status == HT_OK)
        *out_nights = nights;
    else
        ht_nights_close(nights);
    return status;
}

void ht_nights_close(ht_nights *nights) {
    if (!nights)
        return;
    sqlite3_close(nights->sqlite);
    ht_database_damage_free(&nights->damage);
    free(nights->path);
    free(nights);
}

/* ---- statements */

static void bind(sqlite3_stmt *statement, const char *name, const char *text) {
    int index = sqlite3_bind_parameter_index(statement, name);
    if (index > 0 && text)
        sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

static void bind_number(sqlite3_stmt *statement, const char *name, int64_t number) {
    int index = sqlite3_bind_parameter_index(statement, name);
    if (index > 0)
        sqlite3_bind_int64(statement, index, number);
}

static ht_status prepare(ht_nights *nights, const char *sql, sqlite3_stmt **out, ht_error *error) {
    *out = NULL;
    if (sqlite3_prepare_v2(nights->sqlite, sql, -1, out, NULL) == SQLITE_OK)
        return HT_OK;
    return fail(nights, "does not have the tables expected", error);
}

/* Runs a statement that gives no rows, and ends it. */
static ht_status run(ht_nights *nights, sqlite3_stmt *statement, ht_error *error) {
    ht_status status = HT_OK;
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = fail(nights, "cannot be written", error);
    sqlite3_finalize(statement);
    return status;
}

/* Returns the one number that a statement finds, or 0; ends the statement. */
static int64_t number_found(sqlite3_stmt *statement) {
    int64_t number = 0;
    if (sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

int64_t ht_nights_named(ht_nights *nights, const char *job, const ht_night_name *name) {
    sqlite3_stmt *statement;
    if (prepare(nights,
                "SELECT max(id) FROM nights WHERE job = :job AND began = :began"
                " AND json_valid(document) AND json_extract(document, '$.host') = :host",
                &statement, NULL) != HT_OK)
        return 0;
    bind(statement, ":job", job);
    bind(statement, ":began", name->began);
    bind(statement, ":host", name->host);
    return number_found(statement);
}

static ht_status night_insert(ht_nights *nights, const char *job, const ht_night_name *name,
                              int64_t *out_night, ht_error *error) {
    sqlite3_stmt *statement;
    char now[HT_CLOCK_UTC_SIZE];
    ht_status status = prepare(nights,
                               "INSERT INTO nights (job, began, document) VALUES (:job, :began,"
                               " iif(:host IS NULL, '{}', json_object('host', :host)))",
                               &statement, error);
    if (status != HT_OK)
        return status;
    ht_clock_utc(time(NULL), now);
    bind(statement, ":job", job);
    bind(statement, ":began", name->began ? name->began : now);
    bind(statement, ":host", name->host);
    status = run(nights, statement, error);
    *out_night = sqlite3_last_insert_rowid(nights->sqlite);
    return status;
}

ht_status ht_nights_begin(ht_nights *nights, const char *job, const ht_night_name *name,
                          int64_t *out_night, ht_error *error) {
    if (sqlite3_exec(nights->sqlite, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        return fail(nights, "cannot be written", error);
    ht_status status = HT_OK;
    *out_night = name->began && name->host ? ht_nights_named(nights, job, name) : 0;
    if (*out_night == 0)
        status = night_insert(nights, job, name, out_night, error);
    if (status == HT_OK && sqlite3_exec(nights->sqlite, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = fail(nights, "cannot be written", error);
    if (status != HT_OK)
        sqlite3_exec(nights->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

ht_status ht_nights_end(ht_nights *nights, int64_t night, const char *document, ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status = prepare(nights,
                               "UPDATE nights SET ended = " HT_DATABASE_NOW
                               ", document = :document WHERE id = :night",
                               &statement, error);
    if (status != HT_OK)
        return status;
    bind(statement, ":document", document);
    bind_number(statement, ":night", night);
    return run(nights, statement, error);
}

static void bind_result(sqlite3_stmt *statement, const ht_night_result *result) {
    bind(statement, ":job", result->job);
    bind(statement, ":kernel", result->kernel);
    bind(statement, ":problem", result->problem);
    bind(statement, ":device", result->device);
    bind(statement, ":file", result->file);
    bind(statement, ":source_key", result->source_key);
    bind(statement, ":kernel_key", result->kernel_key);
    bind(statement, ":document", result->document);
    bind_number(statement, ":night", result->night);
    bind_number(statement, ":number", result->number);
}

ht_status ht_nights_put(ht_nights *nights, const ht_night_result *result, ht_error *error) {
    static const char sql[] =
        "WITH given (" HT_NIGHTS_COLUMNS
        ") AS (SELECT :night, :job, :kernel, :problem, :device, :file, :number,"
        " :source_key, :kernel_key, :document, unixepoch())"
        "INSERT INTO results (" HT_NIGHTS_COLUMNS ", checksum) SELECT " HT_NIGHTS_COLUMNS
        ", " HT_NIGHTS_SUM " FROM given";
    sqlite3_stmt *statement;
    ht_status status = prepare(nights, sql, &statement, error);
    if (status != HT_OK)
        return status;
    bind_result(statement, result);
    return run(nights, statement, error);
}

/* ---- looking */

static char *column(sqlite3_stmt *statement, int index) {
    const char *text = (const char *)sqlite3_column_text(statement, index);
    return ht_strdup(text ? text : "");
}

static void result_take(sqlite3_stmt *statement, ht_night_results *out) {
    HT_GROW(out->items, out->count);
    out->items[out->count++] = (ht_night_result){
        .night = sqlite3_column_int64(statement, 0),
        .job = column(statement, 1),
        .kernel = column(statement, 2),
        .problem = column(statement, 3),
        .device = column(statement, 4),
        .file = column(statement, 5),
        .number = sqlite3_column_int64(statement, 6),
        .source_key = column(statement, 7),
        .kernel_key = column(statement, 8),
        .document = column(statement, 9),
        .when = sqlite3_column_double(statement, 10),
    };
}

/* Returns the statement's text: a condition for each member that is given. */
static char *find_text(const ht_night_result *like) {
    const struct {
        const char *name, *value;
    } parts[] = {{"job", like->job},
                 {"kernel", like->kernel},
                 {"problem", like->problem},
                 {"device", like->device},
                 {"file", like->file},
                 {"source_key", like->source_key},
                 {"kernel_key", like->kernel_key}};
    ht_text sql = {0};
    ht_text_append(&sql, "SELECT " HT_NIGHTS_COLUMNS
                         " FROM results WHERE id IN (SELECT max(id) FROM results "
                         "WHERE 1");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (parts[i].value)
            ht_text_printf(&sql, " AND %s = :%s", parts[i].name, parts[i].name);
    if (like->night > 0)
        ht_text_append(&sql, " AND night < :night");
    ht_text_append(&sql, " AND " HT_NIGHTS_GOOD
                         " GROUP BY kernel, problem, device, file, number) ORDER BY id");
    return ht_text_take(&sql);
}

ht_status ht_nights_find(ht_nights *nights, const ht_night_result *like,
                         ht_night_results *out_results, ht_error *error) {
    sqlite3_stmt *statement;
    *out_results = (ht_night_results){0};
    char *sql = find_text(like);
    ht_status status = prepare(nights, sql, &statement, error);
    free(sql);
    if (status != HT_OK)
        return status;
    bind_result(statement, like);
    int step;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        result_take(statement, out_results);
    if (step != SQLITE_DONE)
        status = fail(nights, "cannot be read", error);
    sqlite3_finalize(statement);
    return status;
}

void ht_night_results_free(ht_night_results *results) {
    for (size_t i = 0; i < results->count; ++i) {
        ht_night_result *item = &results->items[i];
        char *owned[] = {item->job,  item->kernel,     item->problem,    item->device,
                         item->file, item->source_key, item->kernel_key, item->document};
        for (size_t j = 0; j < sizeof owned / sizeof *owned; ++j)
            free(owned[j]);
    }
    free(results->items);
    *results = (ht_night_results){0};
}

int64_t ht_nights_last(ht_nights *nights, int64_t before) {
    sqlite3_stmt *statement;
    if (prepare(nights, "SELECT max(id) FROM nights WHERE :night = 0 OR id < :night", &statement,
                NULL) != HT_OK)
        return 0;
    bind_number(statement, ":night", before);
    return number_found(statement);
}

int64_t ht_nights_tagged(ht_nights *nights, const char *tag) {
    sqlite3_stmt *statement;
    if (prepare(nights,
                "SELECT max(id) FROM nights WHERE json_valid(document)"
                " AND json_extract(document, '$.tag') = :tag",
                &statement, NULL) != HT_OK)
        return 0;
    bind(statement, ":tag", tag);
    return number_found(statement);
}

/* ---- files */

ht_status ht_nights_put_file(ht_nights *nights, const char *source_key, const char *name,
                             const char *content, ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status = prepare(
        nights,
        "INSERT OR REPLACE INTO written (source_key, name, content, checksum) VALUES (:source_key,"
        " :name, :content, ht_checksum('written', :source_key, :name, :content))",
        &statement, error);
    if (status != HT_OK)
        return status;
    bind(statement, ":source_key", source_key);
    bind(statement, ":name", name);
    bind(statement, ":content", content);
    return run(nights, statement, error);
}

ht_status ht_nights_files(ht_nights *nights, const char *source_key,
                          ht_status (*each)(void *context, const char *name, const char *content,
                                            ht_error *error),
                          void *context, ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status =
        prepare(nights,
                "SELECT name, content FROM written WHERE source_key = :source_key AND"
                " " HT_NIGHTS_FILE_GOOD " ORDER BY name",
                &statement, error);
    if (status != HT_OK)
        return status;
    bind(statement, ":source_key", source_key);
    int step = SQLITE_DONE;
    while (status == HT_OK && (step = sqlite3_step(statement)) == SQLITE_ROW)
        status = each(context, (const char *)sqlite3_column_text(statement, 0),
                      (const char *)sqlite3_column_text(statement, 1), error);
    if (status == HT_OK && step != SQLITE_DONE)
        status = fail(nights, "cannot be read", error);
    sqlite3_finalize(statement);
    return status;
}
