/* Tuning one template for one problem on one device: baseline, seeds, search, finals. Shared by
 * optimize and tune. */
#ifndef HT_PIPELINE_TUNING_H
#define HT_PIPELINE_TUNING_H

#include "pipeline/ablation.h"
#include "pipeline/option_list.h"
#include "pipeline/pair_result.h"
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
    /* As ht_model_request.obstacle, for a search by a model. */
    char *(*obstacle)(void *context, const ht_config *config);
    void *decided_context;   /* of all three */
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

#endif
