/* The result of a kernel tuned for a problem: times, verdict, and all that a report says of it. */
#ifndef HT_PIPELINE_PAIR_RESULT_H
#define HT_PIPELINE_PAIR_RESULT_H

#include "pipeline/ablation.h"
#include "pipeline/verdict.h"
#include "runtime/job/job.h"
#include "search/earlier.h"
#include "search/strategy.h"

/* Rejected configurations of one kind. */
typedef struct ht_rejection {
    ht_status status;
    uint64_t count;
    char *example; /* the first one's reason; owned */
} ht_rejection;

/* Times of the original and of the configuration that stays, and their ratio. */
typedef struct ht_pair_times {
    bool known; /* false: the others are not valid */
    ht_timing original, tuned;
    double speedup, speedup_lo, speedup_hi;
    ht_confirmation confirmation; /* where the above are from when improved */
} ht_pair_times;

typedef struct ht_candidate {
    ht_config config;
    ht_final final;
    bool is_default;
    ht_pair_times written; /* of the tuned file with it, which is what counts in the end; unknown:
                              it was not written, or not timed */
    bool proven;           /* that file was checked */
} ht_candidate;

enum { HT_FINALISTS_MAX = 5 };

/* The configurations that a search may choose from. */
typedef struct ht_pair_space {
    uint64_t size;  /* legal configurations; 0 when the space was not built */
    char *idle;     /* parameters that keep their defaults because they do nothing here; owned;
                       NULL: none */
    char *left_out; /* parameters that keep their defaults because the space is too large; owned;
                       NULL: none */
} ht_pair_space;

/* The configurations that a search began with. */
typedef struct ht_pair_seeds {
    size_t from_database, from_predictor, from_times;
    char *refused; /* why the model gave none; owned; NULL: it was asked, or there is none */
} ht_pair_seeds;

/* Earlier runs of the kernel that the search began with, as expectations (docs/search.md). */
typedef struct ht_pair_earlier_run {
    char *name; /* device and problem, or the file; owned */
    size_t outcomes;
    double weight; /* at the search's end: logarithm of times for a standard deviation of the run */
} ht_pair_earlier_run;

typedef struct ht_pair_earlier {
    ht_pair_earlier_run runs[HT_EARLIER_MAX];
    size_t count;
    double likely;  /* at the search's end: probability that they say something here */
    ht_text unused; /* files of --seeds-from that have no run of this kernel, by commas */
} ht_pair_earlier;

typedef struct ht_pair_search {
    char strategy[32];
    bool facts;              /* the search expected something of facts of launches */
    ht_search_result result; /* owned */
} ht_pair_search;

typedef struct ht_rejection_list {
    ht_rejection *items; /* owned */
    size_t count;
} ht_rejection_list;

typedef struct ht_finalists {
    ht_candidate items[HT_FINALISTS_MAX];
    size_t count;
    ht_timing original; /* in their rounds */
    size_t first; /* those from here on may win; ahead of them are the default and one that shows
                     what another style would give */
    bool plain_aside; /* that one is the fastest plain one; otherwise one that is not plain */
} ht_finalists;

/* A kernel with a problem, and what became of it. */
typedef struct ht_pair_result {
    ht_verdict verdict;
    bool verified; /* of the configuration that stays */
    bool interrupted;
    bool bad_input; /* failed because of what the user gave: exit code 2 */
    bool io_failed; /* failed because a file or folder cannot be read or written, as on a full disk:
                       nothing about the kernel */
    char *reason;   /* owned; NULL when improved */
    ht_pair_times
        times; /* an improved one's are those of the tuned file as soon as that was timed */
    bool has_config;
    ht_config config; /* the one that stays: the winner, or the default when kept */
    ht_pair_space space;
    ht_ablation ablation;
    ht_job_counts counts;
    char *original_finding; /* what checking found in the original; owned; NULL: nothing */
    const char *reference; /* where expected outputs come from; static; NULL before the job began */
    ht_rejection_list rejections;
    ht_pair_seeds seeds;
    ht_pair_earlier earlier;
    ht_pair_search search;
    ht_finalists finalists;
    double seconds;
    double check_seconds; /* that the check of the tuned file is thought to take */
} ht_pair_result;

/* Returns the finalist with the configuration that stays; NULL: there is no such one. Borrowed. */
const ht_candidate *ht_pair_result_stays(const ht_pair_result *result);
/* Takes a finalist's times in the search's last rounds, and its configuration. */
void ht_pair_result_take(ht_pair_result *result, const ht_candidate *candidate);
/* Returns the finalist that is not plain, and so may not win, if it is faster than what stays;
 * NULL: there is none. Borrowed. */
const ht_candidate *ht_pair_result_freer(const ht_pair_result *result);
/* Returns the fastest plain finalist, where a configuration that is not plain won, if it is clearly
 * faster than the original; NULL: there is none. Borrowed. */
const ht_candidate *ht_pair_result_plain(const ht_pair_result *result);
/* The finalist that may be as fast as the winner, the nearest when there are several: which of the
 * two is faster is unclear. NULL when the choice is clear, or nothing was improved. */
const ht_candidate *ht_pair_result_rival(const ht_pair_result *result);
/* Sets verdict and reason of a result whose search failed; its trials stay. */
void ht_pair_result_fail(ht_pair_result *result, ht_status status, const ht_error *error);
void ht_pair_result_free(ht_pair_result *result);

#endif
