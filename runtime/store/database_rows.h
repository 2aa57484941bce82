/* Checksums of the tuning database's rows: what they are made of, and how a row that does not fit
 * its own is kept from being used. Private to database*.c; docs/database.md has the users' side. */
#ifndef HT_RUNTIME_STORE_DATABASE_ROWS_H
#define HT_RUNTIME_STORE_DATABASE_ROWS_H

#include <sqlite3.h>
#include <stddef.h>

/* A row that was reported. */
typedef struct ht_database_row_name {
    char table[16];
    sqlite3_int64 id;
} ht_database_row_name;

/* The damaged rows that one connection has met. Must stay where it is while the connection is
 * open. */
typedef struct ht_database_damage {
    const char *path; /* borrowed */
    ht_database_row_name *rows;
    size_t count;
} ht_database_damage;

/* Gives a connection two SQL functions:
 *   ht_checksum(value, ...)                        XXH3 over types and values, 63 bits
 *   ht_row_good(table, id, checksum, value, ...)   1 if `checksum` is that of (table, value, ...);
 *                                                  else 0, and the row is reported, once
 * Returns SQLite's code. */
int ht_database_rows_install(sqlite3 *sqlite, ht_database_damage *damage);
void ht_database_damage_free(ht_database_damage *damage);

#endif
