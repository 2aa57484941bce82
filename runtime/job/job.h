/* A tuning job: one template, one problem, one device. It owns worker processes that compile, check
 * and time, and talks to the database; it is the evaluator that a search runs against.
 * docs/measuring.md says how each number is made. */
#ifndef HT_RUNTIME_JOB_JOB_H
#define HT_RUNTIME_JOB_JOB_H

#include "runtime/provider/provider.h"
#include "runtime/store/database.h"
#include "search/evaluator.h"

typedef struct ht_job ht_job;

typedef enum ht_check_when { HT_CHECK_NEVER, HT_CHECK_FINALS, HT_CHECK_ALL } ht_check_when;

/* Keeps others from a device while it is timed on. `take` waits until it may; HT_ERROR_INTERRUPTED:
 * the job ends instead. Never taken twice at a time. */
typedef struct ht_job_gate {
    ht_status (*take)(void *context, ht_error *error);
    void (*release)(void *context);
    void *context;
} ht_job_gate;

typedef struct ht_job_options {
    uint64_t seed;            /* of the random inputs */
    unsigned compile_workers; /* 0: one a core */
    size_t program_size;      /* configurations compiled in one program, at most; 0: what pays off
                                 with the device's compiler */
    double time_limit;        /* seconds one variant may take to check and time; 0: derived from the
                                 baseline, at least 5 */
    double reference_limit;   /* seconds a run of the original for its outputs may take; 0: ten
                                 times time_limit, else 180 */
    double compile_limit;     /* seconds a compile of one variant may take; 0: derived from the
                                 original's, 20 to 120 */
    uint64_t buffers_limit;   /* bytes that buffers may take in a process that makes a reference:
                                 where a twin takes more, none runs; 0: any */
    uint64_t memory_limit;    /* bytes of address space of a worker and its compiler on emulated
                                 devices, of data of a compile worker on others; 0: the machine's
                                 memory, at least 8 GiB */
    double sample_budget;     /* seconds of timing a variant; 0: 0.25 */
    double relative_interval; /* stop sampling when the 95 % interval of the median is this narrow;
                                 0: 0.02 */
    ht_database *database;    /* borrowed; NULL: nothing is kept or reused */
    bool share;               /* with other processes that have this option and search for the same
                                 key in the database now: each evaluates its part */
    const ht_job_gate *gate;  /* borrowed; taken around what times; NULL: none */
    bool fresh;               /* measure even what the database knows, the condemned too */
    ht_database *recording;   /* borrowed; not NULL: everything is compiled, run and checked, but
                                 timings are those that an earlier run kept here, so that runs can
                                 be compared to the bit; what it lacks ends the job */
    uint64_t step;   /* of a loop that this is a part of: its finals are kept as races under
                        this number, and replayed from there (runtime/store/races.h); 0:
                        of none */
    bool cold_cache; /* every timed run finds the device's caches empty */
    bool unpaired;   /* no control next to each variant, and so no racing: for experiments */
    const char *source_hash; /* of the kernel source, for the database; NULL: of the unit */
    ht_check_when check;     /* what is run in checking mode too; host emulation only */
    bool only_check;         /* the original is not timed: for ht_job_check (check.h) alone */
    bool unbound; /* the original is compiled, not run: ht_job_bind (job_verify.h) does */
    const volatile int *interrupted; /* may be NULL */
} ht_job_options;

typedef struct ht_timing {
    double median_ms;
    double lo_ms, hi_ms; /* 95 % interval of the median */
    size_t samples;
} ht_timing;

/* Counts over the job's life. */
typedef struct ht_job_counts {
    uint64_t compiled;
    uint64_t run;
    uint64_t reused;
    uint64_t dropped; /* of those run: clearly slower after three samples, and no more taken */
    uint64_t worker_restarts;
} ht_job_counts;

/* Call it from a thread that outlives the job: workers end with the thread that started them.
 * Starts workers, compiles the reference (a kernel of the unit, a built-in, or the default
 * configuration), runs it on random inputs and keeps its outputs for checking; then measures the
 * baseline (a kernel of the unit, or the default configuration). The pointed-to binding, template,
 * problem and device must outlive the job. Fails when the original itself does not compile, run or
 * agree with its own reference. */
ht_status ht_job_start(const ht_binding *binding, const ht_device *device,
                       const ht_job_options *options, ht_job **out_job, ht_error *error);
void ht_job_free(ht_job *job);

/* The job as an evaluator; borrowed, valid while the job lives. Correctness first: a variant is
 * timed only after its outputs agreed with the reference on random inputs, with outputs poisoned
 * and guard words round every buffer intact. */
ht_evaluator *ht_job_evaluator(ht_job *job);

/* The baseline's time (what speedups are relative to): that of the template's baseline kernel, or
 * of its default configuration. */
ht_timing ht_job_baseline(const ht_job *job);
/* Returns the conditions that the original was timed under, a JSON object (docs/measuring.md);
 * borrowed; NULL when its time was replayed. */
const char *ht_job_conditions(const ht_job *job);
ht_job_counts ht_job_get_counts(const ht_job *job);
/* Where expected outputs come from, for reports: "float64 conv2d", "float64 twin with tracked
 * sums", "float64 twin", "the original's own outputs". Static. */
const char *ht_job_reference_source(const ht_job *job);

/* The key under which the job keeps evaluations, for ht_database_nearest; borrowed, valid while the
 * job lives. */
const ht_database_key *ht_job_key(const ht_job *job);

/* Returns the parts of that key without starting a job: calls for each with its name and text. The
 * parts are those of a job that is started with the same arguments. */
ht_status ht_job_identify(const ht_binding *binding, const ht_device *device,
                          const ht_job_options *options,
                          void (*part)(void *context, const char *name, const char *text),
                          void *context, ht_error *error);

/* Verification and final timing, of at most 63 finalists: the outputs of each are compared again on
 * fresh random inputs (two new seeds), then original and finalists are timed interleaved in one
 * run. Those that may be reported (all, without a confirmation) run in checking mode after that,
 * where the options ask for it. */
typedef struct ht_final {
    ht_status status; /* HT_OK: verified and timed */
    char reason[160];
    bool verified; /* its outputs, and in checking mode too where that was its turn */
    ht_timing timing;
    double speedup;                /* original / this, from rounds (ht_stats_paired_ratio) */
    double speedup_lo, speedup_hi; /* its interval; all intervals of a job hold in 95 % of jobs */
    double over_best;              /* this / the fastest finalist; 1 for that one itself */
    double over_best_lo, over_best_hi; /* holds 1: which of the two is faster is unclear */
} ht_final;

/* The verdict of the speedup's interval; unclear when it holds 1. */
typedef enum ht_comparison {
    HT_COMPARISON_UNCLEAR,
    HT_COMPARISON_FASTER,
    HT_COMPARISON_SLOWER
} ht_comparison;
ht_comparison ht_final_compare(const ht_final *final);
const char *ht_comparison_name(ht_comparison comparison); /* "unclear", "faster", "slower" */

ht_status ht_job_finals(ht_job *job, const ht_config *configs, size_t count, double max_seconds,
                        ht_timing *out_original, ht_final *out_finals, ht_error *error);

/* The time of the fastest among several is too good: the luckiest wins. So the winner meets the
 * original once more, in rounds whose samples chose nothing. */
typedef struct ht_finals_rule {
    double max_seconds;     /* of the choice */
    double confirm_seconds; /* of the confirmation; 0: there is none */
    double min_speedup;     /* less is not worth a confirmation */
    size_t first;           /* finalists ahead of this one are not to win: the default, and after it
                               those that are only to be compared */
    size_t stays;           /* one that may stay though another is faster; 0: none */
} ht_finals_rule;
typedef struct ht_confirmation {
    bool made;       /* false: nobody was faster, by as much */
    size_t finalist; /* who */
    ht_timing original, timing;
    double speedup, speedup_lo, speedup_hi; /* as in ht_final */
} ht_confirmation;
/* ht_job_finals, then the confirmation of the fastest that is clearly faster than the original. One
 * that fails in it is not HT_OK in `out_finals`. */
ht_status ht_job_finals_confirmed(ht_job *job, const ht_config *configs, size_t count,
                                  const ht_finals_rule *rule, ht_timing *out_original,
                                  ht_final *out_finals, ht_confirmation *out_confirmation,
                                  ht_error *error);

/* Returns true if an outcome ends the whole job: running failed, not what was run. */
bool ht_job_fatal(ht_status status);

/* Samples of a fixed kernel, the original and some configurations, taken in turns. */
enum { HT_WATCH_ROUNDS = 64, HT_WATCH_CONFIGS = 2 };
typedef struct ht_watch {
    size_t rounds;
    double calibration[HT_WATCH_ROUNDS], original[HT_WATCH_ROUNDS]; /* milliseconds a run */
    double configs[HT_WATCH_CONFIGS][HT_WATCH_ROUNDS];
} ht_watch;
/* Times configurations (at most HT_WATCH_CONFIGS) that were verified (ht_job_finals) next to the
 * original and to another job's original, which is the same kernel every night: round by round for
 * about `seconds`, forwards and backwards, at least 8 rounds. A failure of any ends it, with what
 * was sampled before. `anew`: in new processes, since where a process has its memory may make a
 * kernel faster or slower as long as it lives. (job_watch.c) */
ht_status ht_job_watch(ht_job *job, ht_job *calibration, const ht_config *configs, size_t count,
                       double seconds, bool anew, ht_watch *out_watch, ht_error *error);

#endif
