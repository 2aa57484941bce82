/* Opening the tuning database's file and telling what SQLite says. Private to runtime/store/, and
 * to programs that fill databases for a measurement. */
#ifndef HT_RUNTIME_STORE_DATABASE_INTERNAL_H
#define HT_RUNTIME_STORE_DATABASE_INTERNAL_H

#include "base/error.h"
#include "runtime/store/database.h"
#include "runtime/store/database_rows.h"

/* The open file, and its path; borrowed. */
sqlite3 *ht_database_handle(const ht_database *database);
const char *ht_database_path(const ht_database *database);

/* Turns SQLite's last error into HT_ERROR_IO with a remedy. */
ht_status ht_database_fail(sqlite3 *sqlite, const char *path, const char *doing, ht_error *error);
/* Returns HT_ERROR_INPUT for a file that cannot be read (HT_ERROR_IO), since a user named it, and
 * any other status as it is; the error has the same. */
ht_status ht_database_fail_input(ht_status status, ht_error *error);

/* Binds a copy of a text to the parameter of this name; NULL: nothing. */
void ht_database_bind_text(sqlite3_stmt *statement, const char *name, const char *text);
/* Binds copies of a key's parts to the parameters of their names; "" where the key has none. */
void ht_database_bind_key(sqlite3_stmt *statement, const ht_database_key *key);

/* The status of a word of a row; false: there is none, or `name` is NULL. */
bool ht_database_status(const char *name, ht_status *out_status);

/* Opens or creates the file of damage->path, checks it, brings it up to date. Closes what it opened
 * on failure. */
ht_status ht_database_file_open(ht_database_damage *damage, sqlite3 **out_sqlite, ht_error *error);
/* The same for reading alone: a file of an older schema stays as it is, and what is read is a copy
 * in memory that was brought up to date. */
ht_status ht_database_file_read(ht_database_damage *damage, sqlite3 **out_sqlite, ht_error *error);

#endif
