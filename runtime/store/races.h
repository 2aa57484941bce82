/* Races that were run: the original and the finalists of a step of a loop, timed in turn, with all
 * samples. A loop that replays a recording takes them from there (docs/database.md). */
#ifndef HT_RUNTIME_STORE_RACES_H
#define HT_RUNTIME_STORE_RACES_H

#include "runtime/store/database.h"

/* One of those that ran in turn. */
typedef struct ht_race_entrant {
    const char *config; /* ht_config_string; "original" for the original's kernels; borrowed */
    ht_status status;   /* not HT_OK: it fell out, and has no samples */
    char *reason;       /* why; NULL when ok */
    double *samples;    /* milliseconds a run, one a round; NULL when it fell out */
} ht_race_entrant;

/* A race. It is looked for by all but `rounds` and what became of its entrants. */
typedef struct ht_race {
    uint64_t step;     /* of the loop: the number of the revision that it makes */
    const char *stage; /* "choice", or "confirmation": a winner that meets the original again */
    uint64_t seed;     /* of the job's random inputs */
    ht_race_entrant *entrants; /* in the order of their turns; the array is the caller's */
    size_t count;
    size_t rounds; /* samples of each */
} ht_race;

/* Commits a race; one of the same job, step, stage, seed and entrants is replaced. Reasons and
 * samples stay the caller's. */
ht_status ht_races_put(ht_database *database, const ht_database_key *key, const ht_race *race,
                       ht_error *error);
/* Fills rounds and entrants of a race of these; *out_found: there is one that is whole, of at most
 * `most` rounds. Free what was filled with ht_race_results_free in any case. */
ht_status ht_races_get(ht_database *database, const ht_database_key *key, size_t most,
                       ht_race *race, bool *out_found, ht_error *error);
/* Frees reasons and samples. */
void ht_race_results_free(ht_race *race);

#endif
