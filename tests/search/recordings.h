/* Made-up runs on made-up spaces, for property tests. */
#ifndef HT_TESTS_SEARCH_RECORDINGS_H
#define HT_TESTS_SEARCH_RECORDINGS_H

#include "search/replay.h"

/* Of A, B and C: 12 x 10 x 8 values, 960 legal configurations of 960. */
extern const char test_grid[];

typedef struct test_run_options {
    uint64_t seed;
    unsigned failing; /* of a hundred configurations; kinds of failure change */
    bool backwards;   /* parameters and records in the opposite order */
    bool reals;       /* values as 4.0 instead of 4 */
    bool texts;       /* values as "4" */
    bool all_kinds;   /* every status; else those that a cache file can hold */
    bool timeless;    /* no tuning times */
    size_t skip;      /* this many configurations, the last ones, are not recorded */
} test_run_options;

/* Costs are a bowl with noise on the space's indices; times and samples are random. */
ht_recording *test_run_make(const ht_space *space, const test_run_options *options);
/* Expects the same run: parameters, records, samples, device, kernel, problem. */
void test_run_same(const ht_recording *a, const ht_recording *b);

#endif
