/* The reports of processes that shared a night (devices, shards), put together into one. */
#ifndef HT_PIPELINE_NIGHTLY_NIGHT_JOIN_H
#define HT_PIPELINE_NIGHTLY_NIGHT_JOIN_H

#include "runtime/store/nights.h"

#include <jansson.h>
#include <stdbool.h>

/* Returns one report of all (at least one): kernels and errors of each, the gravest exit code, the
 * longest time. A kernel is gone only if no other one has it. New reference. */
json_t *ht_night_join(json_t *const *reports, size_t count);
/* The same of files, of which those that are no report are left out; NULL: none is one. */
json_t *ht_night_join_files(char *const *paths, size_t count);

/* Keeps a joined report in the database as that of the night of this name, and sets the number that
 * the night has there. */
ht_status ht_night_join_keep(const char *database, const char *job, const ht_night_name *name,
                             json_t *document, ht_error *error);

/* Adds an error that concerns a process, not a source, with an exit code of it. */
void ht_night_join_failure(json_t *document, const char *what, const char *message, int code);

/* Returns the graver of two exit codes. */
int ht_night_graver(int a, int b);
/* Returns how many rows have each verdict; new reference. */
json_t *ht_night_verdict_counts(const json_t *rows);
bool ht_night_has_not_run(const json_t *rows);

#endif
