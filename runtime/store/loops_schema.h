/* Tables of loops and their checksums. docs/database.md explains each column. Private to the
 * store. */
#ifndef HT_RUNTIME_STORE_LOOPS_SCHEMA_H
#define HT_RUNTIME_STORE_LOOPS_SCHEMA_H

#define HT_LOOPS_CREATE                                                                            \
    "CREATE TABLE IF NOT EXISTS loops ("                                                           \
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"                                                      \
    "  key TEXT NOT NULL,"                                                                         \
    "  file TEXT NOT NULL,"                                                                        \
    "  kernel TEXT NOT NULL,"                                                                      \
    "  document TEXT NOT NULL,"                                                                    \
    "  created INTEGER NOT NULL,"                                                                  \
    "  checksum INTEGER NOT NULL);"                                                                \
    "CREATE INDEX IF NOT EXISTS loops_by_key ON loops (key);"                                      \
    "CREATE TABLE IF NOT EXISTS steps ("                                                           \
    "  loop INTEGER NOT NULL REFERENCES loops (id),"                                               \
    "  number INTEGER NOT NULL,"                                                                   \
    "  document TEXT NOT NULL,"                                                                    \
    "  checksum INTEGER NOT NULL,"                                                                 \
    "  PRIMARY KEY (loop, number));"
#define HT_LOOPS_TABLES "BEGIN IMMEDIATE;" HT_LOOPS_CREATE "COMMIT;"

#define HT_LOOPS_COLUMNS "key, file, kernel, document, created"
#define HT_LOOPS_SUM "ht_checksum('loops', " HT_LOOPS_COLUMNS ")"
#define HT_LOOPS_GOOD "ht_row_good('loops', id, checksum, " HT_LOOPS_COLUMNS ")"
#define HT_STEPS_SUM "ht_checksum('steps', loop, number, document)"
#define HT_STEPS_GOOD "ht_row_good('steps', rowid, checksum, loop, number, document)"

#endif
