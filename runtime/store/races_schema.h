/* The table of races and its statements. docs/database.md explains each column. Private to the
 * store. */
#ifndef HT_RUNTIME_STORE_RACES_SCHEMA_H
#define HT_RUNTIME_STORE_RACES_SCHEMA_H

#include "runtime/store/database_schema.h"

#define HT_RACES_TABLE                                                                             \
    "CREATE TABLE races ("                                                                         \
    "  id INTEGER PRIMARY KEY,"                                                                    \
    "  job_id INTEGER NOT NULL REFERENCES jobs (id),"                                              \
    "  step INTEGER NOT NULL,"                                                                     \
    "  stage TEXT NOT NULL,"                                                                       \
    "  seed INTEGER NOT NULL,"                                                                     \
    "  entrants TEXT NOT NULL,"                                                                    \
    "  results TEXT NOT NULL,"                                                                     \
    "  created TEXT NOT NULL,"                                                                     \
    "  checksum INTEGER NOT NULL,"                                                                 \
    "  UNIQUE (job_id, step, stage, seed, entrants));"

/* From schema 3, which has no races. */
#define HT_DATABASE_FROM_3 HT_RACES_TABLE "PRAGMA user_version = 4;"

#define HT_RACES_VALUES(job, row)                                                                  \
    HT_DATABASE_KEY_VALUES(job)                                                                    \
    ", " row "step, " row "stage, " row "seed, " row "entrants, " row "results, " row "created"
#define HT_RACES_SUM_NEW "ht_checksum('races', " HT_RACES_VALUES(":", ":") ")"
#define HT_RACES_GOOD_OF(job)                                                                      \
    "ht_row_good('races', races.id, races.checksum, " HT_RACES_VALUES(job, "races.") ")"
#define HT_RACES_GOOD_KEPT HT_RACES_GOOD_OF(":")
#define HT_RACES_GOOD HT_RACES_GOOD_OF("jobs.")

/* A later race of the same entrants takes the place of the earlier one: a step that was not done to
 * its end is done again. */
#define HT_RACES_PUT                                                                               \
    "INSERT INTO races (job_id, step, stage, seed, entrants, results, created, checksum)"          \
    " VALUES (" HT_DATABASE_JOB_ID ", :step, :stage, :seed, :entrants, :results, :created,"        \
    " " HT_RACES_SUM_NEW ") ON CONFLICT (job_id, step, stage, seed, entrants) DO UPDATE"           \
    " SET results = excluded.results, created = excluded.created, checksum = excluded.checksum"

#define HT_RACES_GET                                                                               \
    "SELECT results FROM races WHERE job_id = " HT_DATABASE_JOB_ID                                 \
    " AND step = :step AND stage = :stage AND seed = :seed AND entrants = :entrants"               \
    " AND " HT_RACES_GOOD_KEPT

#endif
