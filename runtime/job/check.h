/* Checking configurations for what a test of outputs does not show: races, barriers that part of a
 * block reaches, accesses outside buffers and arrays. Host emulation only. docs/checking.md. */
#ifndef HT_RUNTIME_JOB_CHECK_H
#define HT_RUNTIME_JOB_CHECK_H

#include "runtime/job/job.h"

#include <jansson.h>

/* Of a launch and pass, by default; and while tuning. */
enum { HT_CHECK_ACCESSES = 4000000, HT_CHECK_TUNING_ACCESSES = 1000000 };

typedef struct ht_check_settings {
    bool all_blocks;   /* however long it takes */
    bool count;        /* compiles as for running, so that counts of accesses mean something; sees
                          less of what is wrong */
    uint64_t accesses; /* else no further block is begun after this many in one launch of one pass;
                          0: HT_CHECK_ACCESSES */
    bool every_output; /* in the first pass the other blocks run too, without being looked at, so
                          that all outputs are compared, unless a launch would make more than
                          `affordable` accesses */
    uint64_t affordable; /* 0: HT_CHECK_ACCESSES */
    bool ended;          /* threads may have ended before a barrier that the others reach */
    double seconds;      /* that a run may take; 0: 120, 30 times that for all blocks */
} ht_check_settings;

typedef struct ht_check_result {
    ht_status status;  /* HT_OK: nothing was found */
    char message[512]; /* the error's own */
    char reason[512];  /* the same with its kind, as in reports */
    json_t *details;   /* the worker's report (docs/json.md); NULL when it died before; owned */
    double seconds;
} ht_check_result;

/* Returns true if this device has a checking mode. */
bool ht_check_possible(const ht_device *device);

/* Returns true if AddressSanitizer's library is installed, so that overruns between arrays are seen
 * too. */
bool ht_check_has_sanitizer(void);

/* Compiles for checking and runs, in a worker of its own. An error ends the job; what is wrong with
 * a configuration is in its result. Free every result. */
ht_status ht_job_check(ht_job *job, const ht_config *configs, size_t count,
                       const ht_check_settings *settings, ht_check_result *out_results,
                       ht_error *error);
/* The same for the original. */
ht_status ht_job_check_original(ht_job *job, const ht_check_settings *settings,
                                ht_check_result *out_result, ht_error *error);
/* Returns the finding in the job's original: text that is the job's, NULL for nothing or when it
 * was not checked. */
const char *ht_job_original_finding(const ht_job *job);
/* Returns the kind of what checking mode found ("race"), text that is the result's; NULL: nothing.
 */
const char *ht_check_finding_kind(const ht_check_result *result);
void ht_check_result_free(ht_check_result *result);

#endif
