/* The race of a job: original and finalists timed in turn, or as a recording has it. Private to
 * runtime/job. */
#ifndef HT_RUNTIME_JOB_JOB_RACE_H
#define HT_RUNTIME_JOB_JOB_RACE_H

#include "runtime/job/job_internal.h"

enum { HT_FINALISTS_MAX = 63, HT_FINALS_ROUNDS_MAX = 400 };

/* The original and the finalists of a job, and their race. */
typedef struct ht_finals {
    ht_job *job;
    const ht_config *configs;
    size_t count;
    ht_compile_task *tasks; /* one a finalist */
    ht_final *results;
    double **samples; /* [0] the original, [1 + i] finalist i; one value a round */
    size_t rounds;
    size_t only;                    /* slot that alone meets the original; 0: all do */
    size_t first;                   /* ahead of it only the first may be the best */
    int losses;                     /* of the worker, that count as nobody's fault */
    bool checked[HT_FINALISTS_MAX]; /* they ran in checking mode, where that is possible */
} ht_finals;

/* Takes a finalist out, with the reason. */
void ht_finals_fail(ht_final *result, ht_status status, const ht_error *error);
bool ht_finals_is_alive(const ht_finals *f, size_t i);
/* Returns true if a finalist is still timed. */
bool ht_finals_any_in_play(const ht_finals *f);
/* Times those in play in turn, or takes what the recording has of it: of one that was made before
 * races were kept, times of a search. */
ht_status ht_finals_race(ht_finals *f, double max_seconds, ht_error *error);
/* Returns how many times longer slot `slow` takes than slot `fast`. */
ht_interval ht_finals_compare(const ht_finals *f, size_t slow, size_t fast);
/* Unloads all: it would only be in the way of what comes next. */
void ht_finals_unload(ht_finals *f);

#endif
