#include "runtime/store/store_file.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>

ht_status ht_store_fail(ht_store_file *file, const char *doing, ht_error *error) {
    return ht_database_fail(file->sqlite, file->path, doing, error);
}

static void file_begin(const char *path, ht_store_file *out_file) {
    *out_file = (ht_store_file){.path = ht_strdup(path)};
    out_file->damage.path = out_file->path;
}

ht_status ht_store_file_open(const char *path, const ht_store_tables *tables,
                             ht_store_file *out_file, ht_error *error) {
    char *folder = ht_path_folder(path);
    *out_file = (ht_store_file){0};
    ht_status status = ht_dir_make(folder, error);
    free(folder);
    if (status != HT_OK)
        return status;
    file_begin(path, out_file);
    status = ht_database_file_open(&out_file->damage, &out_file->sqlite, error);
    if (status == HT_OK &&
        sqlite3_exec(out_file->sqlite, tables->make, NULL, NULL, NULL) != SQLITE_OK) {
        char *doing = ht_format("the tables of %s cannot be made", tables->name);
        status = ht_store_fail(out_file, doing, error);
        sqlite3_exec(out_file->sqlite, "ROLLBACK", NULL, NULL, NULL);
        free(doing);
    }
    return status;
}

ht_status ht_store_file_read(const char *path, const ht_store_tables *tables,
                             ht_store_file *out_file, ht_error *error) {
    *out_file = (ht_store_file){0};
    if (!ht_file_exists(path))
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                               "there is no such file; name a database of `hiptemper %s`",
                               tables->command);
    file_begin(path, out_file);
    ht_status status = ht_database_file_read(&out_file->damage, &out_file->sqlite, error);
    if (status == HT_OK &&
        sqlite3_table_column_metadata(out_file->sqlite, NULL, tables->table, tables->column, NULL,
                                      NULL, NULL, NULL, NULL) != SQLITE_OK)
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "this tuning database has no %s; `hiptemper %s` makes them",
                                 tables->name, tables->command);
    return status;
}

void ht_store_file_close(ht_store_file *file) {
    sqlite3_close(file->sqlite);
    ht_database_damage_free(&file->damage);
    free(file->path);
    *file = (ht_store_file){0};
}

/* ---- statements */

void ht_store_bind(sqlite3_stmt *statement, const char *name, const char *text) {
    int index = sqlite3_bind_parameter_index(statement, name);
    if (index > 0 && text)
        sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

void ht_store_bind_number(sqlite3_stmt *statement, const char *name, int64_t number) {
    int index = sqlite3_bind_parameter_index(statement, name);
    if (index > 0)
        sqlite3_bind_int64(statement, index, number);
}

ht_status ht_store_prepare(ht_store_file *file, const char *sql, sqlite3_stmt **out,
                           ht_error *error) {
    *out = NULL;
    if (sqlite3_prepare_v2(file->sqlite, sql, -1, out, NULL) == SQLITE_OK)
        return HT_OK;
    return ht_store_fail(file, "does not have the tables expected", error);
}

ht_status ht_store_run(ht_store_file *file, sqlite3_stmt *statement, ht_error *error) {
    ht_status status = HT_OK;
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = ht_store_fail(file, "cannot be written", error);
    sqlite3_finalize(statement);
    return status;
}
