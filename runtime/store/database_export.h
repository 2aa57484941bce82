/* Results out of the tuning database, as a recorded run. */
#ifndef HT_RUNTIME_STORE_DATABASE_EXPORT_H
#define HT_RUNTIME_STORE_DATABASE_EXPORT_H

#include "search/recording.h"

/* Which of the database's jobs (docs/database.md). NULL and 0 match all. */
typedef struct ht_database_choice {
    const char *kernel;  /* template_name */
    const char *problem; /* as the column has it */
    const char *device;  /* a part of the column */
    uint64_t job;        /* jobs.id */
} ht_database_choice;

/* Returns true if the file begins like an SQLite database. False when it cannot be read. */
bool ht_database_is(const char *path);

/* The evaluations of the one job that matches, in the order they were made, without that of the
 * original kernel. None and several are HT_ERROR_INPUT that lists the jobs. The database is only
 * read. */
ht_status ht_database_export(const char *path, const ht_database_choice *choice,
                             ht_recording **out_recording, ht_error *error);

#endif
