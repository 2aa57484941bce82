#include "runtime/store/loops.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/store/loops_schema.h"
#include "runtime/store/store_file.h"

#include <stdlib.h>

struct ht_loops {
    ht_store_file file;
};

static const ht_store_tables tables = {"loops", "loop", HT_LOOPS_TABLES, "steps", "loop"};

ht_status ht_loops_open(const char *path, ht_loops **out_loops, ht_error *error) {
    ht_loops *loops = ht_alloc(1, sizeof *loops);
    ht_status status = ht_store_file_open(path, &tables, &loops->file, error);
    *out_loops = status == HT_OK ? loops : NULL;
    if (status != HT_OK)
        ht_loops_close(loops);
    return status;
}

ht_status ht_loops_read(const char *path, ht_loops **out_loops, ht_error *error) {
    ht_loops *loops = ht_alloc(1, sizeof *loops);
    ht_status status = ht_store_file_read(path, &tables, &loops->file, error);
    *out_loops = status == HT_OK ? loops : NULL;
    if (status != HT_OK)
        ht_loops_close(loops);
    return status;
}

void ht_loops_close(ht_loops *loops) {
    if (!loops)
        return;
    ht_store_file_close(&loops->file);
    free(loops);
}

/* ---- statements */

static char *column(sqlite3_stmt *statement, int index) {
    const char *text = (const char *)sqlite3_column_text(statement, index);
    return ht_strdup(text ? text : "");
}

/* ---- writing */

ht_status ht_loops_begin(ht_loops *loops, ht_loop_row *row, ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status = ht_store_prepare(
        &loops->file,
        "WITH given (" HT_LOOPS_COLUMNS ") AS (SELECT :key, :file, :kernel, :document, unixepoch())"
        "INSERT INTO loops (" HT_LOOPS_COLUMNS ", checksum) SELECT " HT_LOOPS_COLUMNS
        ", " HT_LOOPS_SUM " FROM given",
        &statement, error);
    if (status != HT_OK)
        return status;
    ht_store_bind(statement, ":key", row->key);
    ht_store_bind(statement, ":file", row->file);
    ht_store_bind(statement, ":kernel", row->kernel);
    ht_store_bind(statement, ":document", row->document);
    status = ht_store_run(&loops->file, statement, error);
    row->id = sqlite3_last_insert_rowid(loops->file.sqlite);
    return status;
}

ht_status ht_loops_update(ht_loops *loops, int64_t id, const char *document, ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status =
        ht_store_prepare(&loops->file,
                         "UPDATE loops SET document = :document, checksum ="
                         " ht_checksum('loops', key, file, kernel, :document, created)"
                         " WHERE id = :id",
                         &statement, error);
    if (status != HT_OK)
        return status;
    ht_store_bind(statement, ":document", document);
    ht_store_bind_number(statement, ":id", id);
    return ht_store_run(&loops->file, statement, error);
}

ht_status ht_loops_put(ht_loops *loops, int64_t id, uint64_t number, const char *document,
                       ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status = ht_store_prepare(
        &loops->file,
        "INSERT OR REPLACE INTO steps (loop, number, document, checksum) VALUES (:loop,"
        " :number, :document, ht_checksum('steps', :loop, :number, :document))",
        &statement, error);
    if (status != HT_OK)
        return status;
    ht_store_bind_number(statement, ":loop", id);
    ht_store_bind_number(statement, ":number", (int64_t)number);
    ht_store_bind(statement, ":document", document);
    return ht_store_run(&loops->file, statement, error);
}

/* ---- looking */

static ht_status find_prepare(ht_loops *loops, const ht_loop_row *like, sqlite3_stmt **out,
                              ht_error *error) {
    const struct {
        const char *name, *value;
    } parts[] = {{"key", like->key}, {"file", like->file}, {"kernel", like->kernel}};
    ht_text sql = {0};
    ht_text_append(&sql, "SELECT id, key, file, kernel, document FROM loops WHERE " HT_LOOPS_GOOD);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (parts[i].value)
            /* the sign keeps SQLite from giving the checksum the wanted value for the row's */
            ht_text_printf(&sql, " AND +%s = :%s", parts[i].name, parts[i].name);
    ht_text_append(&sql, " ORDER BY id DESC LIMIT 1");
    ht_status status = ht_store_prepare(&loops->file, sql.data, out, error);
    ht_text_free(&sql);
    for (size_t i = 0; status == HT_OK && i < sizeof parts / sizeof *parts; ++i) {
        char *name = ht_format(":%s", parts[i].name);
        ht_store_bind(*out, name, parts[i].value);
        free(name);
    }
    return status;
}

ht_status ht_loops_find(ht_loops *loops, const ht_loop_row *like, bool *out_found,
                        ht_loop_row *out_row, ht_error *error) {
    sqlite3_stmt *statement;
    *out_found = false;
    *out_row = (ht_loop_row){0};
    ht_status status = find_prepare(loops, like, &statement, error);
    if (status != HT_OK)
        return status;
    int step = sqlite3_step(statement);
    *out_found = step == SQLITE_ROW;
    if (step == SQLITE_ROW)
        *out_row = (ht_loop_row){sqlite3_column_int64(statement, 0), column(statement, 1),
                                 column(statement, 2), column(statement, 3), column(statement, 4)};
    else if (step != SQLITE_DONE)
        status = ht_store_fail(&loops->file, "cannot be read", error);
    sqlite3_finalize(statement);
    return status;
}

void ht_loop_row_free(ht_loop_row *row) {
    char *owned[] = {row->key, row->file, row->kernel, row->document};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; ++i)
        free(owned[i]);
    *row = (ht_loop_row){0};
}

ht_status ht_loops_revisions(ht_loops *loops, int64_t id,
                             ht_status (*each)(void *context, const char *document,
                                               ht_error *error),
                             void *context, ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status = ht_store_prepare(&loops->file,
                                        "SELECT number, document, " HT_STEPS_GOOD
                                        " FROM steps WHERE loop = :id ORDER BY number",
                                        &statement, error);
    if (status != HT_OK)
        return status;
    ht_store_bind_number(statement, ":id", id);
    int step = SQLITE_DONE;
    for (int64_t next = 0; status == HT_OK && (step = sqlite3_step(statement)) == SQLITE_ROW;
         ++next) {
        if (sqlite3_column_int64(statement, 0) != next || !sqlite3_column_int(statement, 2)) {
            step = SQLITE_DONE;
            break;
        }
        status = each(context, (const char *)sqlite3_column_text(statement, 1), error);
    }
    if (status == HT_OK && step != SQLITE_DONE)
        status = ht_store_fail(&loops->file, "cannot be read", error);
    sqlite3_finalize(statement);
    return status;
}

ht_status ht_loops_each(ht_loops *loops,
                        ht_status (*each)(void *context, int64_t id, ht_error *error),
                        void *context, ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status =
        ht_store_prepare(&loops->file, "SELECT id FROM loops WHERE " HT_LOOPS_GOOD " ORDER BY id",
                         &statement, error);
    if (status != HT_OK)
        return status;
    int step = SQLITE_DONE;
    while (status == HT_OK && (step = sqlite3_step(statement)) == SQLITE_ROW)
        status = each(context, sqlite3_column_int64(statement, 0), error);
    if (status == HT_OK && step != SQLITE_DONE)
        status = ht_store_fail(&loops->file, "cannot be read", error);
    sqlite3_finalize(statement);
    return status;
}
