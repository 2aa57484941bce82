/* Races of the databases that damaged_databases writes and damages: their samples follow from whose
 * they are. */
#ifndef HT_BENCHMARKS_DAMAGED_RACES_H
#define HT_BENCHMARKS_DAMAGED_RACES_H

#include "runtime/store/database.h"

typedef struct damaged_races {
    unsigned good, missing, wrong; /* as they were run; not there; neither, which is printed */
} damaged_races;

/* Writes the races of a job; a later version those of all steps but the first ones. */
void damaged_races_put(ht_database *database, const ht_database_key *key, int job, int version,
                       unsigned *failures);
/* Looks for each of them, and for some that were never run. `number`: of the database. */
damaged_races damaged_races_read(ht_database *database, const ht_database_key *key, int job,
                                 int versions, int number);

#endif
