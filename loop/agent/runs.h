/* Running a rewrite next to the original, and finding the words for how it fails. Private to
 * loop/agent/. */
#ifndef HT_LOOP_AGENT_RUNS_H
#define HT_LOOP_AGENT_RUNS_H

#include "loop/agent/refusal.h"
#include "runtime/verify/verify.h"

/* How it is run. All borrowed. */
typedef struct ht_runs {
    const ht_device *device;
    const ht_problem *told; /* NULL: the kernel has no sizes */
    uint64_t seed;
    unsigned compile_workers;
    size_t configurations;
    bool written; /* a file's launch, which has no choice; else a template */
    /* Problems at which the file launches the original; NULL: there are none. */
    bool (*skipped)(void *context, const ht_problem *problem);
    void *context;
    const volatile int *interrupted;
    size_t sizes; /* filled: problems that were run in checking mode */
    bool checked; /* filled: every access was looked at */
    bool twice;   /* filled: both were launched twice */
} ht_runs;

/* Runs a pair (pair.h): at sizes that nobody was given, with every access looked at; twice in a row
 * with other inputs; then plainly, again and again, at the size that was given and at one near it.
 * The first failure is the refusal. An error: it could not be found out. */
ht_status ht_runs_judge(ht_runs *runs, const ht_template *pair, ht_refused *out, ht_error *error);

#endif
