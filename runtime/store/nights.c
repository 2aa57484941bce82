#include "runtime/store/nights.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/store/database_schema.h"
#include "runtime/store/nights_schema.h"
#include "runtime/store/store_file.h"

#include <stdlib.h>
#include <string.h>

struct ht_nights {
    ht_store_file file;
};

static const ht_store_tables tables = {"nights", "run", HT_NIGHTS_TABLES, "results", "night"};

ht_status ht_nights_open(const char *path, ht_nights **out_nights, ht_error *error) {
    ht_nights *nights = ht_alloc(1, sizeof *nights);
    ht_status status = ht_store_file_open(path, &tables, &nights->file, error);
    *out_nights = status == HT_OK ? nights : NULL;
    if (status != HT_OK)
        ht_nights_close(nights);
    return status;
}

ht_status ht_nights_read(const char *path, ht_nights **out_nights, ht_error *error) {
    ht_nights *nights = ht_alloc(1, sizeof *nights);
    ht_status status = ht_store_file_read(path, &tables, &nights->file, error);
    *out_nights = status == HT_OK ? nights : NULL;
    if (status != HT_OK)
        ht_nights_close(nights);
    return status;
}

void ht_nights_close(ht_nights *nights) {
    if (!nights)
        return;
    ht_store_file_close(&nights->file);
    free(nights);
}

/* ---- statements */

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
    if (ht_store_prepare(&nights->file,
                         "SELECT max(id) FROM nights WHERE job = :job AND began = :began"
                         " AND json_valid(document) AND json_extract(document, '$.host') = :host",
                         &statement, NULL) != HT_OK)
        return 0;
    ht_store_bind(statement, ":job", job);
    ht_store_bind(statement, ":began", name->began);
    ht_store_bind(statement, ":host", name->host);
    return number_found(statement);
}

static ht_status night_insert(ht_nights *nights, const char *job, const ht_night_name *name,
                              int64_t *out_night, ht_error *error) {
    sqlite3_stmt *statement;
    char now[HT_CLOCK_UTC_SIZE];
    ht_status status =
        ht_store_prepare(&nights->file,
                         "INSERT INTO nights (job, began, document) VALUES (:job, :began,"
                         " iif(:host IS NULL, '{}', json_object('host', :host)))",
                         &statement, error);
    if (status != HT_OK)
        return status;
    ht_clock_utc(time(NULL), now);
    ht_store_bind(statement, ":job", job);
    ht_store_bind(statement, ":began", name->began ? name->began : now);
    ht_store_bind(statement, ":host", name->host);
    status = ht_store_run(&nights->file, statement, error);
    *out_night = sqlite3_last_insert_rowid(nights->file.sqlite);
    return status;
}

ht_status ht_nights_begin(ht_nights *nights, const char *job, const ht_night_name *name,
                          int64_t *out_night, ht_error *error) {
    if (sqlite3_exec(nights->file.sqlite, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        return ht_store_fail(&nights->file, "cannot be written", error);
    ht_status status = HT_OK;
    *out_night = name->began && name->host ? ht_nights_named(nights, job, name) : 0;
    if (*out_night == 0)
        status = night_insert(nights, job, name, out_night, error);
    if (status == HT_OK &&
        sqlite3_exec(nights->file.sqlite, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = ht_store_fail(&nights->file, "cannot be written", error);
    if (status != HT_OK)
        sqlite3_exec(nights->file.sqlite, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

ht_status ht_nights_end(ht_nights *nights, int64_t night, const char *document, ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status = ht_store_prepare(&nights->file,
                                        "UPDATE nights SET ended = " HT_DATABASE_NOW
                                        ", document = :document WHERE id = :night",
                                        &statement, error);
    if (status != HT_OK)
        return status;
    ht_store_bind(statement, ":document", document);
    ht_store_bind_number(statement, ":night", night);
    return ht_store_run(&nights->file, statement, error);
}

static void bind_result(sqlite3_stmt *statement, const ht_night_result *result) {
    ht_store_bind(statement, ":job", result->job);
    ht_store_bind(statement, ":kernel", result->kernel);
    ht_store_bind(statement, ":problem", result->problem);
    ht_store_bind(statement, ":device", result->device);
    ht_store_bind(statement, ":file", result->file);
    ht_store_bind(statement, ":source_key", result->source_key);
    ht_store_bind(statement, ":kernel_key", result->kernel_key);
    ht_store_bind(statement, ":document", result->document);
    ht_store_bind_number(statement, ":night", result->night);
    ht_store_bind_number(statement, ":number", result->number);
}

ht_status ht_nights_put(ht_nights *nights, const ht_night_result *result, ht_error *error) {
    static const char sql[] =
        "WITH given (" HT_NIGHTS_COLUMNS
        ") AS (SELECT :night, :job, :kernel, :problem, :device, :file, :number,"
        " :source_key, :kernel_key, :document, unixepoch())"
        "INSERT INTO results (" HT_NIGHTS_COLUMNS ", checksum) SELECT " HT_NIGHTS_COLUMNS
        ", " HT_NIGHTS_SUM " FROM given";
    sqlite3_stmt *statement;
    ht_status status = ht_store_prepare(&nights->file, sql, &statement, error);
    if (status != HT_OK)
        return status;
    bind_result(statement, result);
    return ht_store_run(&nights->file, statement, error);
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
    ht_status status = ht_store_prepare(&nights->file, sql, &statement, error);
    free(sql);
    if (status != HT_OK)
        return status;
    bind_result(statement, like);
    int step;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        result_take(statement, out_results);
    if (step != SQLITE_DONE)
        status = ht_store_fail(&nights->file, "cannot be read", error);
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
    if (ht_store_prepare(&nights->file,
                         "SELECT max(id) FROM nights WHERE :night = 0 OR id < :night", &statement,
                         NULL) != HT_OK)
        return 0;
    ht_store_bind_number(statement, ":night", before);
    return number_found(statement);
}

int64_t ht_nights_tagged(ht_nights *nights, const char *tag) {
    sqlite3_stmt *statement;
    if (ht_store_prepare(&nights->file,
                         "SELECT max(id) FROM nights WHERE json_valid(document)"
                         " AND json_extract(document, '$.tag') = :tag",
                         &statement, NULL) != HT_OK)
        return 0;
    ht_store_bind(statement, ":tag", tag);
    return number_found(statement);
}

/* ---- files */

ht_status ht_nights_put_file(ht_nights *nights, const char *source_key, const char *name,
                             const char *content, ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status = ht_store_prepare(
        &nights->file,
        "INSERT OR REPLACE INTO written (source_key, name, content, checksum) VALUES (:source_key,"
        " :name, :content, ht_checksum('written', :source_key, :name, :content))",
        &statement, error);
    if (status != HT_OK)
        return status;
    ht_store_bind(statement, ":source_key", source_key);
    ht_store_bind(statement, ":name", name);
    ht_store_bind(statement, ":content", content);
    return ht_store_run(&nights->file, statement, error);
}

typedef ht_status file_taker(void *context, const char *name, const char *content, ht_error *error);

/* Calls for each file that a query selects by its only parameter, :wanted. */
static ht_status files_take(ht_nights *nights, const char *query, const char *wanted,
                            file_taker *each, void *context, ht_error *error) {
    sqlite3_stmt *statement;
    int step = SQLITE_DONE;
    ht_status status = ht_store_prepare(&nights->file, query, &statement, error);
    if (status != HT_OK)
        return status;
    ht_store_bind(statement, ":wanted", wanted);
    while (status == HT_OK && (step = sqlite3_step(statement)) == SQLITE_ROW)
        status = each(context, (const char *)sqlite3_column_text(statement, 0),
                      (const char *)sqlite3_column_text(statement, 1), error);
    if (status == HT_OK && step != SQLITE_DONE)
        status = ht_store_fail(&nights->file, "cannot be read", error);
    sqlite3_finalize(statement);
    return status;
}

ht_status ht_nights_files(ht_nights *nights, const char *source_key, file_taker *each,
                          void *context, ht_error *error) {
    return files_take(nights,
                      "SELECT name, content FROM written WHERE source_key = :wanted AND"
                      " " HT_NIGHTS_FILE_GOOD " ORDER BY name",
                      source_key, each, context, error);
}

ht_status ht_nights_files_named(ht_nights *nights, const char *ending, file_taker *each,
                                void *context, ht_error *error) {
    return files_take(nights,
                      "SELECT name, content FROM written WHERE"
                      " substr(name, -length(:wanted)) = :wanted AND " HT_NIGHTS_FILE_GOOD
                      " ORDER BY (SELECT max(created) FROM results"
                      " WHERE results.source_key = written.source_key) DESC, rowid DESC",
                      ending, each, context, error);
}
