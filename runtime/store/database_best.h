/* The best configurations of each problem in the tuning database: what a predictor learns from. */
#ifndef HT_RUNTIME_STORE_DATABASE_BEST_H
#define HT_RUNTIME_STORE_DATABASE_BEST_H

#include "base/error.h"

#include <stddef.h>

/* Which: of this template, on devices whose name is `device` ("host"), or that with a number. */
typedef struct ht_database_best_choice {
    const char *kernel, *device;
    size_t least;  /* jobs with fewer successful evaluations are left out */
    double within; /* times as long as its job's best that a configuration may take */
    size_t most;   /* of a job */
} ht_database_best_choice;

typedef struct ht_database_best_row {
    char *problem, *config; /* as the columns have them; owned */
    double over;            /* its time over that of its job's best: 1 and up */
} ht_database_best_row;

typedef struct ht_database_best {
    ht_database_best_row *rows; /* by problem, job and time */
    size_t count;
    size_t jobs, jobs_left_out; /* with too few evaluations */
} ht_database_best;

/* The database is only read. Condemned configurations and reduced measurements are left out. */
ht_status ht_database_read_best(const char *path, const ht_database_best_choice *choice,
                                ht_database_best *out_best, ht_error *error);
void ht_database_best_free(ht_database_best *best);

#endif
