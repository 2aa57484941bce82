/* The database's file with one group of tables, those of nights or of loops: opened, and written by
 * statements. Private to runtime/store/. */
#ifndef HT_RUNTIME_STORE_STORE_FILE_H
#define HT_RUNTIME_STORE_STORE_FILE_H

#include "runtime/store/database_internal.h"

typedef struct ht_store_file {
    sqlite3 *sqlite;
    char *path; /* owned */
    ht_database_damage damage;
} ht_store_file;

/* A group of tables, in words for messages. */
typedef struct ht_store_tables {
    const char *name;           /* "nights" */
    const char *command;        /* that makes them: "run" */
    const char *make;           /* SQL */
    const char *table, *column; /* there if the tables are */
} ht_store_tables;

/* Opens the file for writing, and makes it and the tables where they are not there. Close it in any
 * case. */
ht_status ht_store_file_open(const char *path, const ht_store_tables *tables,
                             ht_store_file *out_file, ht_error *error);
/* The same for reading alone; a file without the tables is HT_ERROR_INPUT. */
ht_status ht_store_file_read(const char *path, const ht_store_tables *tables,
                             ht_store_file *out_file, ht_error *error);
void ht_store_file_close(ht_store_file *file);

ht_status ht_store_fail(ht_store_file *file, const char *doing, ht_error *error);
ht_status ht_store_prepare(ht_store_file *file, const char *sql, sqlite3_stmt **out,
                           ht_error *error);
/* Runs a statement that gives no rows, and ends it. */
ht_status ht_store_run(ht_store_file *file, sqlite3_stmt *statement, ht_error *error);
/* Binds a parameter, if the statement has one of that name. NULL stays unbound. */
void ht_store_bind(sqlite3_stmt *statement, const char *name, const char *text);
void ht_store_bind_number(sqlite3_stmt *statement, const char *name, int64_t number);

#endif
