#include "runtime/store/loops.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/store/database_internal.h"
#include "runtime/store/loops_schema.h"

#include <stdlib.h>

struct ht_loops {
    sqlite3 *sqlite;
    char *path;
    ht_database_damage damage;
};

static ht_status fail(ht_loops *loops, const char *doing, ht_error *error) {
    return ht_database_fail(loops->sqlite, loops->path, doing, error);
}

static ht_loops *loops_new(const char *path) {
    ht_loops *loops = ht_alloc(1, sizeof *loops);
    loops->path = ht_strdup(path);
    loops->damage.path = loops->path;
    return loops;
}

ht_status ht_loops_open(const char *path, ht_loops **out_loops, ht_error *error) {
    *out_loops = NULL;
    char *folder = ht_path_folder(path);
    ht_status status = ht_dir_make(folder, error);
    free(folder);
    if (status != HT_OK)
        return status;
    ht_loops *loops = loops_new(path);
    status = ht_database_file_open(&loops->damage, &loops->sqlite, error);
    if (status == HT_OK &&
        sqlite3_exec(loops->sqlite, HT_LOOPS_TABLES, NULL, NULL, NULL) != SQLITE_OK) {
        status = fail(loops, "the tables of loops cannot be made", error);
        sqlite3_exec(loops->sqlite, "ROLLBACK", NULL, NULL, NULL);
    }
    if (status == HT_OK)
        *out_loops = loops;
    else
        ht_loops_close(loops);
    return status;
}

ht_status ht_loops_read(const char *path, ht_loops **out_loops, ht_error *error) {
    *out_loops = NULL;
    if (!ht_file_exists(path))
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                               "there is no such file; name a database of `hiptemper loop`");
    ht_loops *loops = loops_new(path);
    ht_status status = ht_database_file_read(&loops->damage, &loops->sqlite, error);
    if (status == HT_OK && sqlite3_table_column_metadata(loops->sqlite, NULL, "steps", "loop", NULL,
                                                         NULL, NULL, NULL, NULL) != SQLITE_OK)
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "this tuning database has no loops; `hiptemper loop` makes them");
    if (status == HT_OK)
        *out_loops = loops;
    else
        ht_loops_close(loops);
    return status;
}

void ht_loops_close(ht_loops *loops) {
    if (!loops)
        return;
    sqlite3_close(loops->sqlite);
    ht_database_damage_free(&loops->damage);
    free(loops->path);
    free(loops);
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

static ht_status prepare(ht_loops *loops, const char *sql, sqlite3_stmt **out, ht_error *error) {
    *out = NULL;
    if (sqlite3_prepare_v2(loops->sqlite, sql, -1, out, NULL) == SQLITE_OK)
        return HT_OK;
    return fail(loops, "does not have the tables expected", error);
}

/* Runs a statement that gives no rows, and ends it. */
static ht_status run(ht_loops *loops, sqlite3_stmt *statement, ht_error *error) {
    ht_status status = HT_OK;
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = fail(loops, "cannot be written", error);
    sqlite3_finalize(statement);
    return status;
}

static char *column(sqlite3_stmt *statement, int index) {
    const char *text = (const char *)sqlite3_column_text(statement, index);
    return ht_strdup(text ? text : "");
}

/* ---- writing */

ht_status ht_loops_begin(ht_loops *loops, ht_loop_row *row, ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status = prepare(
        loops,
        "WITH given (" HT_LOOPS_COLUMNS ") AS (SELECT :key, :file, :kernel, :document, unixepoch())"
        "INSERT INTO loops (" HT_LOOPS_COLUMNS ", checksum) SELECT " HT_LOOPS_COLUMNS
        ", " HT_LOOPS_SUM " FROM given",
        &statement, error);
    if (status != HT_OK)
        return status;
    bind(statement, ":key", row->key);
    bind(statement, ":file", row->file);
    bind(statement, ":kernel", row->kernel);
    bind(statement, ":document", row->document);
    status = run(loops, statement, error);
    row->id = sqlite3_last_insert_rowid(loops->sqlite);
    return status;
}

ht_status ht_loops_update(ht_loops *loops, int64_t id, const char *document, ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status = prepare(loops,
                               "UPDATE loops SET document = :document, checksum ="
                               " ht_checksum('loops', key, file, kernel, :document, created)"
                               " WHERE id = :id",
                               &statement, error);
    if (status != HT_OK)
        return status;
    bind(statement, ":document", document);
    bind_number(statement, ":id", id);
    return run(loops, statement, error);
}

ht_status ht_loops_put(ht_loops *loops, int64_t id, uint64_t number, const char *document,
                       ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status =
        prepare(loops,
                "INSERT OR REPLACE INTO steps (loop, number, document, checksum) VALUES (:loop,"
                " :number, :document, ht_checksum('steps', :loop, :number, :document))",
                &statement, error);
    if (status != HT_OK)
        return status;
    bind_number(statement, ":loop", id);
    bind_number(statement, ":number", (int64_t)number);
    bind(statement, ":document", document);
    return run(loops, statement, error);
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
    ht_status status = prepare(loops, sql.data, out, error);
    ht_text_free(&sql);
    for (size_t i = 0; status == HT_OK && i < sizeof parts / sizeof *parts; ++i) {
        char *name = ht_format(":%s", parts[i].name);
        bind(*out, name, parts[i].value);
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
        status = fail(loops, "cannot be read", error);
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
    ht_status status = prepare(loops,
                               "SELECT number, document, " HT_STEPS_GOOD
                               " FROM steps WHERE loop = :id ORDER BY number",
                               &statement, error);
    if (status != HT_OK)
        return status;
    bind_number(statement, ":id", id);
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
        status = fail(loops, "cannot be read", error);
    sqlite3_finalize(statement);
    return status;
}

ht_status ht_loops_each(ht_loops *loops,
                        ht_status (*each)(void *context, int64_t id, ht_error *error),
                        void *context, ht_error *error) {
    sqlite3_stmt *statement;
    ht_status status = prepare(loops, "SELECT id FROM loops WHERE " HT_LOOPS_GOOD " ORDER BY id",
                               &statement, error);
    if (status != HT_OK)
        return status;
    int step = SQLITE_DONE;
    while (status == HT_OK && (step = sqlite3_step(statement)) == SQLITE_ROW)
        status = each(context, sqlite3_column_int64(statement, 0), error);
    if (status == HT_OK && step != SQLITE_DONE)
        status = fail(loops, "cannot be read", error);
    sqlite3_finalize(statement);
    return status;
}
