/* Databases for tests of `hiptemper report`: what nights and searches leave, without running any.
 */
#ifndef HT_TESTS_CLI_REPORT_DATABASE_H
#define HT_TESTS_CLI_REPORT_DATABASE_H

#include "runtime/store/nights.h"

#include <jansson.h>

/* A kernel's result of one night. */
typedef struct fake_result {
    const char *kernel, *problem, *file;
    const char *key;        /* of the kernel; also the hash of its code */
    const char *status;     /* NULL: "improved" */
    const char *diff;       /* NULL: none */
    double tuned, original; /* multiples of the calibration kernel's time; tuned 0: not timed */
} fake_result;

/* Makes or opens the database of the workplace named `name`; close with ht_nights_close. */
ht_nights *fake_open(const char *name);
/* Begins a night of the job /jobs/nightly.json. */
int64_t fake_begin(ht_nights *nights);
void fake_put(ht_nights *nights, int64_t night, const fake_result *result);
/* Ends it, with rows that the night says (NULL: none). */
void fake_end(ht_nights *nights, int64_t night, json_t *rows);
/* The same of a shard ("1/2"; NULL: all), or of one of the job's devices (NULL: all). */
void fake_end_of(ht_nights *nights, int64_t night, json_t *rows, const char *shard,
                 const char *device);

/* A search of the kernel in that database: `count` configurations, every fifth of them rejected,
 * the others from 2 ms down to 0.5 ms, one a second, and an original of 2 ms. */
void fake_search(const char *name, const char *kernel, const char *key, int count);

#endif
