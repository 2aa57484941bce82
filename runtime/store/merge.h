/* Tuning databases put together, looked through and shortened. docs/db.md says which row stays
 * where two say something else. */
#ifndef HT_RUNTIME_STORE_MERGE_H
#define HT_RUNTIME_STORE_MERGE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Puts the contents of all inputs into `out`, which is made when missing and whose own contents
 * count too: the result is the same in any order, and however often an input is named. Each input
 * is one transaction of an output that was there, and a new one appears when it is whole; a merge
 * that was killed is done again. Damaged rows are reported and left
 * out. */
ht_status ht_database_merge(const char *out, const char *const *inputs, size_t count,
                            ht_error *error);

typedef struct ht_database_counts {
    int64_t jobs, evaluations, successes, deaths, races;
    int64_t kernels, devices;       /* different ones */
    int64_t nights, results, files; /* -1: it has no such tables */
    int64_t loops, revisions;       /* the same */
    int64_t damaged;                /* rows that do not fit their checksums; each was reported */
} ht_database_counts;
/* Counts, and checks every row; nothing is changed. A file that is damaged as a whole is an
 * error. */
ht_status ht_database_count(const char *path, ht_database_counts *out, ht_error *error);

/* Removes what no run would use any more: damaged rows; jobs of which nothing was measured for
 * `days`, with their evaluations, deaths and races, unless the latest result of a kernel is of one;
 * results and loops that are neither the latest of their kernel nor younger than that; nights and
 * files without a result; claims. Then the file is made smaller. */
ht_status ht_database_prune(const char *path, double days, ht_error *error);

#endif
