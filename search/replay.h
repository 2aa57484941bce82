/* Replaying: a recorded run put on a search space answers what a device would, so that strategies
 * can be compared without one. docs/replay.md. */
#ifndef HT_SEARCH_REPLAY_H
#define HT_SEARCH_REPLAY_H

#include "search/earlier.h"
#include "search/recording.h"
#include "search/strategy.h"

typedef struct ht_replay ht_replay;

typedef struct ht_replay_counts {
    uint64_t space;    /* legal configurations */
    uint64_t recorded; /* of those */
    uint64_t failed;   /* of the recorded */
    uint64_t missing;  /* legal, but not recorded */
    uint64_t extra;    /* recorded, but not legal; left out */
} ht_replay_counts;

/* Space and recording must outlive the replay. The parameters must be those of the space, in any
 * order, and every recorded value one of the parameter's. Legal configurations without a record are
 * an error unless `partial`. So is a space that is not listed, and a run without a success. */
ht_status ht_replay_create(const ht_space *space, const ht_recording *recording, bool partial,
                           ht_replay **out_replay, ht_error *error);
void ht_replay_free(ht_replay *replay);

const ht_space *ht_replay_space(const ht_replay *replay);
ht_replay_counts ht_replay_count(const ht_replay *replay);
/* Record of the i-th legal configuration; NULL when there is none. Borrowed. */
const ht_record *ht_replay_record(const ht_replay *replay, uint64_t index);
/* The least cost of all, milliseconds. */
double ht_replay_optimum(const ht_replay *replay);
/* Returns the time that evaluating the i-th configuration took, milliseconds; the mean when it is
 * not recorded. A run without such times takes 1 for each. */
double ht_replay_spent(const ht_replay *replay, uint64_t index);
bool ht_replay_timed(const ht_replay *replay);

/* Answers from the recording; the replay must outlive it. A configuration that is not recorded
 * fails. Any number of threads may ask at once. */
ht_evaluator ht_replay_evaluator(const ht_replay *replay, size_t batch);

/* Configurations to start with, from other runs on the same space: legal ones by their average rank
 * (by cost; failures and what is missing share the last rank), best first. With `worst`, the worst
 * of those that succeeded in all of them, worst first. Fills at most `want`; returns how many. */
size_t ht_replay_rank(const ht_replay *const *others, size_t other_count, bool worst, size_t want,
                      ht_config *out_configs);

/* Adds another run on the same space to the sources of a search: all of its outcomes (`most` 0), or
 * `most` of them, drawn by `seed`; with `worst`, the slowest instead. Returns what ht_earlier_add
 * does. */
bool ht_replay_source(const ht_replay *run, size_t most, bool worst, uint64_t seed,
                      ht_earlier *sources);

/* Puts a recording that ht_replay_create took into the space's order of parameters, and declares
 * all of the space's values. Ends the use of replays made from it. */
void ht_replay_arrange(const ht_space *space, ht_recording *recording);

#endif
