/* Recorded runs, and searches on them by some settings. */
#ifndef HT_BENCHMARKS_SEARCH_SETTINGS_RUNS_H
#define HT_BENCHMARKS_SEARCH_SETTINGS_RUNS_H

#include "search/bayes.h"
#include "search/replay_run.h"
#include "search/score.h"

enum { RUNS_MAX = 64, AT_COUNT = 5 };
extern const uint64_t measured_at[AT_COUNT]; /* evaluations */

typedef struct run {
    char kernel[64], device[64];
    ht_space *space; /* each run has its own: they live until the end */
    ht_recording *recording;
    ht_replay *replay;
    ht_score score;
} run;

extern run runs[RUNS_MAX];
extern size_t run_count;

typedef struct trial {
    ht_bayes_settings bayes;
    double threads, repeats, evals, batch, seeds, worst, seed, facts;
    double draws;        /* seeds, from `seed` on, with `repeats` searches each */
    double source_evals; /* of each source; 0: all */
    const char *sources; /* which; NULL: none */
    const char *only;    /* runs whose KERNEL/DEVICE has this text; NULL: all */
    const char *strategy;
} trial;

typedef struct result {
    double share[AT_COUNT], tenth[AT_COUNT];
    double error[AT_COUNT]; /* standard error of the share */
    double performance, overhead;
    bool valid;
} result;

/* Takes NAME=VALUE; false: there is no such name. Values that are texts are borrowed. */
bool trial_set(trial *trial, const char *text);

/* Reads every recorded run below a folder; ends the program where that fails. */
void runs_load(const char *folder);
/* Returns true if the trial is about this run. */
bool run_wanted(const run *run, const trial *trial);
/* Fills draws * repeats traces, the same searches for the same seed; free each. Returns false where
 * the run has no such seeds or sources. */
bool run_searches(const run *run, const trial *trial, ht_replay_trace *traces);
result run_measure(const run *run, const trial *trial);

/* Returns whether a run counts in a mean. */
typedef bool run_filter(const run *run);
bool is_convolution(const run *run);
bool is_other_kernel(const run *run);
bool is_any(const run *run);

/* Returns the mean over the valid results of the runs that the filter takes; invalid without any.
 * The standard error is that of the mean over these very runs. */
result results_mean(const result *results, run_filter *filter);

#endif
