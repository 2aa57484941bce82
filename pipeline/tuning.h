/* Tuning one template for one problem on one device: baseline, seeds, search, finals. Shared by
 * optimize and tune. */
#ifndef HT_PIPELINE_TUNING_H
#define HT_PIPELINE_TUNING_H

#include "pipeline/ablation.h"
#include "pipeline/option_list.h"
#include "pipeline/progress.h"
#include "pipeline/report.h"
#include "pipeline/stop.h"
#include "pipeline/verdict.h"
#include "predictor/predictor.h"
#include "runtime/job/job.h"
#include "search/earlier.h"
#include "search/strategy.h"

/* The user's choices for the search; the options table of optimize and tune. */
typedef struct ht_tuning_options {
    const char *device;
    const char *strategy; /* NULL: chosen by the size of the space */
    const char *database;
    const char *cache;  /* "hot" or "cold": what every timed run finds */
    double max_time;    /* seconds for the whole command; 0: no limit */
    double min_speedup; /* less is no improvement: the original stays */
    double final_time;  /* seconds of the finals of a kernel and problem, and of the confirmation */
    uint64_t max_evals; /* a kernel and problem; 0: no limit */
    const char *check;  /* "none", "finals" or "all" */
    uint64_t seed;
    uint64_t compile_workers; /* 0: one a core */
    bool fresh;
    bool plain;            /* what wins has no form that nobody writes by hand (ht_param.form) */
    bool no_format;        /* changed lines are not put through clang-format */
    bool no_comment;       /* tuned sources get no comment above their kernels */
    const char *predictor; /* model, folder of models or "builtin"; NULL: none */
    uint64_t predictor_seeds;
    ht_option_list seeds_from; /* recorded runs and databases with earlier runs */
    bool no_sources;           /* earlier runs are not used */
    bool no_facts;             /* nor are facts of launches (pipeline/template_facts.h) */
    double elsewhere; /* of the original's speed, the least at sizes not tuned for: the tuned file
                         launches the original where it is less; 0: not timed */
    uint64_t
        ablation; /* further configurations for each transformation, to tell what it is worth */
} ht_tuning_options;

struct ht_entry;         /* pipeline/entry.h */
struct ht_model_devices; /* pipeline/model_times.h */
struct ht_model_memory;
struct ht_pair_result;

/* Shared by all pairs of one command. */
typedef struct ht_session {
    ht_tuning_options options;
    ht_device device;
    const struct ht_model_devices *model; /* searches are this GPU's, predicted, and `device` is
                                             the host, which verifies; borrowed; NULL: none */
    struct ht_model_memory *predicted; /* what searches by `model` predicted so far; borrowed; NULL:
                                          each predicts anew */
    char *database_file;               /* owned; NULL when there is no database */
    ht_database *database;             /* owned; NULL when it could not be opened */
    ht_database *recording;            /* owned; of timings to replay; usually NULL */
    ht_predictor *predictor; /* owned; NULL: none, or picked by the kernel from a folder */
    double start;            /* clock */
    double
        reserve; /* seconds of max_time kept for the checks of what was won and not written yet */
    double check_seconds; /* how long the check of a tuned source took, for each kernel in it,
                             reading it again included; 0: none was checked yet */
    /* Prints what became of an entry. */
    void (*report)(const struct ht_entry *entry, const ht_device *device, FILE *out);
    /* When all kernels of a source were tuned: writes its files. NULL: nothing is written yet. */
    void (*settle)(void *context, size_t source);
    void *settle_context;
    /* Configurations of the template to be tuned next to try right after the default; borrowed. */
    const ht_config *first;
    size_t first_count;
    /* Outcomes of its configurations that the search begins with; borrowed. */
    const ht_trial *known;
    size_t known_count;
    uint64_t step; /* of a loop that searches are made for (ht_job_options.step); 0: of none */
    bool alone;    /* does not look for what may not win, another style's */
    /* Called when a kernel was decided, while its job still runs: it may time its configuration
     * once more, and change the result. NULL: nothing more is done. */
    void (*decided)(void *context, ht_job *job, const ht_binding *binding,
                    struct ht_pair_result *result);
    /* Names a configuration that is a finalist whatever the search measured, such as the one that
     * is in use. False: there is none. NULL: nobody is asked. */
    bool (*defended)(void *context, const ht_binding *binding, const struct ht_pair_result *result,
                     ht_config *out_config);
    void *decided_context;   /* of both */
    double decided_seconds;  /* that it takes */
    bool share;              /* as ht_job_options.share */
    const ht_job_gate *gate; /* as there; NULL: none */
    double end_by;           /* clock: checks and writing end by then too; 0: as max_time says */
    double prepare_begun; /* clock: when the pair at hand was begun, its problem's check included */
    double prepare_seconds; /* how long pairs took until their search began; 0: none did yet */
    double finals_seconds;  /* the longest that the finals of a kernel took so far */
    double each_seconds;    /* and that a configuration took */
    size_t pairs_left; /* kernel and problem pairs not begun: they share the time that is left */
    ht_progress *progress; /* borrowed */
} ht_session;

/* Finds the device (one that can run), checks the strategy's name and opens the database. */
ht_status ht_session_open(const ht_tuning_options *options, ht_session *out_session,
                          ht_error *error);
void ht_session_close(ht_session *session);
/* Returns the file of the database: the given one, else $HIPTEMPER_DB, else one in the user's data
 * folder; free(). NULL when there is no home. */
char *ht_session_database(const char *given);

/* Rejected configurations of one kind. */
typedef struct ht_rejection {
    ht_status status;
    uint64_t count;
    char *example; /* the first one's reason; owned */
} ht_rejection;

typedef struct ht_candidate {
    ht_config config;
    ht_final final;
    bool is_default;
} ht_candidate;

enum { HT_FINALISTS_MAX = 5 };

/* Times of the original and of the configuration that stays, and their ratio. */
typedef struct ht_pair_times {
    bool known; /* false: the others are not valid */
    ht_timing original, tuned;
    double speedup, speedup_lo, speedup_hi;
    ht_confirmation confirmation; /* where the above are from when improved */
} ht_pair_times;

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
    ht_pair_times times;
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

/* Returns the parts of the key under which the database keeps the evaluations of a kernel and
 * problem (ht_job_identify). */
ht_status ht_tuning_identify(const ht_session *session, const ht_template *template,
                             const ht_problem *problem,
                             void (*part)(void *context, const char *name, const char *text),
                             void *context, ht_error *error);
/* Never fails as a whole: what goes wrong is in the result. The exception is something missing from
 * the machine, which every other pair would meet too: HT_ERROR_MISSING. The template and problem
 * must outlive the result. */
ht_status ht_tuning_run(ht_session *session, const ht_template *template, const ht_problem *problem,
                        ht_pair_result *out_result, ht_error *error);
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
