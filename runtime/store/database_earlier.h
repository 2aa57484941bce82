/* Earlier runs of a template on other devices and problems, out of the tuning database: what a
 * search may expect of configurations before it tries them (search/earlier.h). */
#ifndef HT_RUNTIME_STORE_DATABASE_EARLIER_H
#define HT_RUNTIME_STORE_DATABASE_EARLIER_H

#include "runtime/store/database.h"

typedef struct ht_database_earlier_row {
    char *config; /* as the column has it; owned */
    double cost;  /* median, ms; INFINITY: it was tried and failed */
} ht_database_earlier_row;

/* One job's configurations, by text. */
typedef struct ht_database_earlier_run {
    char *device, *problem; /* as the columns have them; owned */
    ht_database_earlier_row *rows;
    size_t count;
} ht_database_earlier_run;

typedef struct ht_database_earlier {
    ht_database_earlier_run *runs;
    size_t count;
} ht_database_earlier;

/* Reads the jobs of the key's template (by name and hash) on another device or problem: the nearest
 * problem first (as ht_database_nearest has it; another device counts as one more doubling), of as
 * near ones that with more evaluations; at most `most`. Of several jobs of one device and problem,
 * as of two compilers, that with the most evaluations counts. Of what was
 * written after the key's own job began nothing is read, so that a search done again asks for the
 * same. The baseline, condemned
 * configurations, damaged rows, and jobs with fewer than 3 successes are left out. The database is
 * only read; one that cannot be is HT_ERROR_INPUT. */
ht_status ht_database_earlier_read(const char *path, const ht_database_key *key, size_t most,
                                   ht_database_earlier *out_earlier, ht_error *error);
void ht_database_earlier_free(ht_database_earlier *earlier);

#endif
