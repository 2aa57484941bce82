/* The results that the tuning database has: for each kernel, problem and device the best
 * configuration next to the original. */
#ifndef HT_RUNTIME_STORE_DATABASE_RESULTS_H
#define HT_RUNTIME_STORE_DATABASE_RESULTS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* One job (docs/database.md). Texts are owned. */
typedef struct ht_database_result {
    uint64_t job; /* jobs.id */
    char *kernel; /* template_name */
    char *template_hash, *problem, *device, *compiler;
    char *config;         /* the fastest that was found right and fully measured; NULL: none */
    double tuned_ms;      /* its median; 0: none */
    double original_ms;   /* the original's; 0: not known */
    uint64_t evaluations; /* of configurations, failures included */
} ht_database_result;

typedef struct ht_database_results {
    ht_database_result *items;
    size_t count;
} ht_database_results;

/* Which jobs. NULL matches all. */
typedef struct ht_database_results_choice {
    const char *kernel; /* template_name */
    const char *device; /* ht_device.name: what stands before ": " in the column */
} ht_database_results_choice;

/* Reads the jobs that match and have configurations, by kernel and problem. Of several jobs of one
 * template (by its hash), problem and device, as of two compilers, the latest counts. Condemned
 * configurations and damaged rows are left out. The database is only read; one that cannot be is
 * HT_ERROR_INPUT. */
ht_status ht_database_results_read(const char *path, const ht_database_results_choice *choice,
                                   ht_database_results *out_results, ht_error *error);
void ht_database_results_free(ht_database_results *results);

#endif
