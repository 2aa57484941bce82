/* Tables of nights and their checksums. docs/database.md explains each column. Private to the
 * store. */
#ifndef HT_RUNTIME_STORE_NIGHTS_SCHEMA_H
#define HT_RUNTIME_STORE_NIGHTS_SCHEMA_H

#define HT_NIGHTS_CREATE                                                                           \
    "CREATE TABLE IF NOT EXISTS nights ("                                                          \
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"                                                      \
    "  job TEXT NOT NULL,"                                                                         \
    "  began TEXT NOT NULL,"                                                                       \
    "  ended TEXT,"                                                                                \
    "  document TEXT NOT NULL);"                                                                   \
    "CREATE TABLE IF NOT EXISTS results ("                                                         \
    "  id INTEGER PRIMARY KEY,"                                                                    \
    "  night INTEGER NOT NULL REFERENCES nights (id),"                                             \
    "  job TEXT NOT NULL,"                                                                         \
    "  kernel TEXT NOT NULL,"                                                                      \
    "  problem TEXT NOT NULL,"                                                                     \
    "  device TEXT NOT NULL,"                                                                      \
    "  file TEXT NOT NULL,"                                                                        \
    "  number INTEGER NOT NULL,"                                                                   \
    "  source_key TEXT NOT NULL,"                                                                  \
    "  kernel_key TEXT NOT NULL,"                                                                  \
    "  document TEXT NOT NULL,"                                                                    \
    "  created INTEGER NOT NULL,"                                                                  \
    "  checksum INTEGER NOT NULL);"                                                                \
    "CREATE INDEX IF NOT EXISTS results_by_kernel ON results (kernel, problem, device, file);"     \
    "CREATE INDEX IF NOT EXISTS results_by_source ON results (source_key);"                        \
    "CREATE INDEX IF NOT EXISTS results_by_key ON results (kernel_key);"                           \
    "CREATE TABLE IF NOT EXISTS written ("                                                         \
    "  source_key TEXT NOT NULL,"                                                                  \
    "  name TEXT NOT NULL,"                                                                        \
    "  content TEXT NOT NULL,"                                                                     \
    "  checksum INTEGER NOT NULL,"                                                                 \
    "  PRIMARY KEY (source_key, name));"
#define HT_NIGHTS_TABLES "BEGIN IMMEDIATE;" HT_NIGHTS_CREATE "COMMIT;"

#define HT_NIGHTS_COLUMNS                                                                          \
    "night, job, kernel, problem, device, file, number, source_key, kernel_key, document, created"
#define HT_NIGHTS_SUM "ht_checksum('results', " HT_NIGHTS_COLUMNS ")"
#define HT_NIGHTS_GOOD "ht_row_good('results', id, checksum, " HT_NIGHTS_COLUMNS ")"
/* Of a file that was written, whose table has no other name in the statement. */
#define HT_NIGHTS_FILE_GOOD "ht_row_good('written', rowid, checksum, source_key, name, content)"

#endif
