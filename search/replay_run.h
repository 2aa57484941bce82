/* Many replayed searches of one strategy. */
#ifndef HT_SEARCH_REPLAY_RUN_H
#define HT_SEARCH_REPLAY_RUN_H

#include "search/replay.h"

/* One search: what was known after each evaluation. */
typedef struct ht_replay_trace {
    double *best;  /* least cost so far, milliseconds; INFINITY before the first success; owned */
    double *spent; /* recorded milliseconds so far; owned */
    size_t count;
    uint64_t failed;  /* evaluations that failed */
    uint64_t missing; /* of those, configurations that are not recorded */
    double overhead;  /* processor seconds of the strategy itself: creating, asking, telling */
    bool complete;    /* not cut off by an interruption or an error */
} ht_replay_trace;

typedef struct ht_replay_options {
    const char *strategy;
    uint64_t seed; /* repeat r draws from stream r of it */
    size_t repeats;
    uint64_t max_evaluations; /* of one search; 0: until both of the following are reached */
    uint64_t min_evaluations;
    double min_spent;       /* recorded milliseconds */
    size_t batch;           /* asked at once; at least 1 */
    size_t threads;         /* at least 1; results do not depend on it */
    const ht_config *seeds; /* for every search */
    size_t seed_count;
    const struct ht_bayes_settings *bayes; /* of the strategy; NULL: its defaults */
    const struct ht_prior *prior;          /* NULL: none */
    const struct ht_earlier *sources;      /* search/earlier.h; NULL: none */
    const volatile int *interrupted;       /* becomes non-zero on Ctrl-C; may be NULL */
    /* After each search, from any thread, one at a time; may be NULL. */
    void (*on_repeat)(void *context, size_t done);
    void *context;
} ht_replay_options;

/* Runs the searches. `traces` has options->repeats elements, filled in the order of the repeats;
 * free each. On interruption those that were done are complete, and HT_ERROR_INTERRUPTED is
 * returned. */
ht_status ht_replay_run(const ht_replay *replay, const ht_replay_options *options,
                        ht_replay_trace *traces, ht_error *error);
void ht_replay_trace_free(ht_replay_trace *trace);

#endif
