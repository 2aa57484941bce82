/* Inside a night. Private to night*.c. */
#ifndef HT_PIPELINE_NIGHTLY_NIGHT_INTERNAL_H
#define HT_PIPELINE_NIGHTLY_NIGHT_INTERNAL_H

#include "pipeline/nightly/calibration.h"
#include "pipeline/nightly/device_lock.h"
#include "pipeline/nightly/night.h"
#include "pipeline/nightly/night_look.h"
#include "pipeline/outputs.h"
#include "pipeline/profile.h"
#include "pipeline/survey.h"
#include "pipeline/whole.h"
#include "refactor/source/commands.h"
#include "runtime/store/nights.h"

/* A device of the job. */
typedef struct ht_night_device {
    struct ht_night *night;
    ht_session session;
    bool open;
    json_t *common;   /* parts of keys that all sources have; owned */
    ht_job_gate gate; /* the lock, for jobs */
    ht_device_lock lock;
    bool waited;                 /* in this turn, which was said */
    ht_calibration *calibration; /* NULL: not started, or it failed */
    bool no_calibration;         /* it failed */
    bool lost;                   /* it keeps failing: nothing more is run on it */
} ht_night_device;

/* A whole program of the job. */
typedef struct ht_night_program {
    const ht_job_program *job;
    char *name;                  /* "app/main.hip 512 3" */
    char *folder;                /* of its problem file, below the job's */
    char identity[HT_HASH_SIZE]; /* of its files' paths, and its arguments */
    char key[HT_HASH_SIZE];      /* of all that its launches depend on; "": not known */
    bool own;                    /* it is of this shard */
    const char *state;           /* of its launches: "run", "kept", "not-run", "failed" */
    char *reason;                /* of the last two */
    json_t *last;       /* of its last run: {"seconds", "prepared", "sources"}; NULL: not known */
    char *problem_file; /* NULL: no problem is known */
    double seconds;     /* that building and running it takes; 0: not known */
    ht_compiler_options given;    /* lists owned, their strings borrowed */
    ht_command_list commands;     /* its files' own options; owned */
    ht_refactor_options compiler; /* all of them; owned */
    ht_scratch nothing;           /* a folder without files, to read; where it names none */
    ht_whole whole;               /* its `captured` says what was launched */
    bool begun;                   /* the original was run in this night */
    json_t *compared;             /* one for each device, of the report; owned */
} ht_night_program;

/* A source on a device. */
typedef struct ht_night_turn {
    size_t source;
    ht_night_device *device;
    ht_night_look look;
    ht_night_results known; /* results of the same source key, with its own (kernel "") */
    ht_night_results last;  /* the latest of its file, where the key is another */
    json_t *memory;         /* of its last turn: {"attempts", "need", "raw"}; owned; NULL: none */
    bool whole;             /* the look has all that its results depend on */
    bool measured;          /* its kernels have results */
    bool won;               /* one of them was improved: there are files that show its text */
    bool kept;              /* nothing is to be done */
    bool done;              /* it had its turn */
    const char *why;        /* it is to be done */
    double need;            /* seconds it takes until something is measured; 0: not known */
    double score;           /* expected gain a second */
    int64_t attempts;       /* that ended without a measurement */
} ht_night_turn;

typedef struct ht_night {
    const ht_night_options *options;
    const ht_job_file *job;
    char *name;          /* the job file's absolute path */
    double start, end;   /* clock */
    double looked;       /* when sources were looked at: seconds since 1970 */
    ht_nights *nights;   /* NULL in a dry run without a database */
    int64_t number;      /* 0 in a dry run */
    ht_nights *baseline; /* another database that verdicts are against; NULL: none */
    int64_t tagged;      /* the night that they are against; 0: the last one of each kernel */
    ht_sources sources;
    ht_refactor_options compiler;   /* of sources that no compile_commands.json names */
    ht_refactor_options *compilers; /* one a source; arguments borrowed */
    ht_night_program *programs;     /* as many as the job has; owned */
    size_t *program_of;             /* one a source: the program it is of, or SIZE_MAX */
    ht_command_list *commands;      /* of each compile_commands.json; owned */
    size_t command_count;
    ht_profile profile;
    bool profiled;
    ht_night_device *devices;
    size_t device_count;
    ht_night_turn *turns;
    size_t turn_count;
    double *reserved; /* seconds of a comparison, by device and program; < 0: it is settled */
    double need_seen; /* the mean of this night's turns; 0: none yet */
    size_t need_count;
    size_t analyses_made, analyses_kept; /* of this night's turns */
    bool any;                            /* a source was measured this night */
    json_t *rows;                        /* of the report */
    json_t *errors;                      /* of files */
    int code;                            /* exit code so far; 0: well */
    /* the turn under way */
    ht_survey *survey;
    ht_outputs *outputs;
    ht_night_turn *turn;
    double reading; /* seconds that reading and analysing its source took */
    double reread;  /* that they would have taken, had the analysis not been kept; else 0 */
    bool reused;    /* its files are those of an earlier night */
    const ht_survey_options *survey_options;
    json_t **documents; /* one for each of its entries, to be kept; NULL: none */
} ht_night;

/* Returns the options that all sources are compiled with; its strings are the job's. */
ht_compiler_options ht_night_compiler_options(const ht_job_file *job);
/* night_plan.c: sources, looks, and the order of turns. */
ht_status ht_night_sources(ht_night *night, ht_error *error);
ht_status ht_night_turns(ht_night *night, ht_error *error);
/* Makes the parts of keys that all sources on a device have. */
ht_status ht_night_common_make(const ht_night *night, ht_night_device *device, ht_error *error);
/* The reason of a turn (by its address) of which the files alone are to be written again. */
extern const char *const ht_night_text_changed;
/* Returns true if a source is of this shard. */
bool ht_night_is_own(const ht_night *night, size_t source);
/* Adds a source, which may have been one before, for a program. */
void ht_night_source_add(ht_night *night, ht_source *source, size_t program);
/* Sorts the turns that are left, the most promising first. */
void ht_night_sort(ht_night *night);
/* Returns true if a result's search is at its end under this job. */
bool ht_night_is_complete(const ht_night *night, const json_t *document);
/* Returns true if a result was timed too long ago. */
bool ht_night_is_due(const ht_night *night, const json_t *document);

/* night_program.c: launches of whole programs, run or kept from an earlier night. */
/* Finds them, and adds the sources that are to be tuned for them. A program that cannot be run is
 * in the report; HT_ERROR_INPUT is a file that is not there. */
ht_status ht_night_programs_open(ht_night *night, ht_error *error);
void ht_night_programs_free(ht_night *night);
/* Returns the program that a source is of; NULL: none. */
ht_night_program *ht_night_program_of(const ht_night *night, size_t source);
/* Returns the problem file of a source; NULL: the one next to it. */
const char *ht_night_problems(const ht_night *night, size_t source);
/* Adds rows of the sources of programs whose launches are not known. */
void ht_night_programs_not_run(ht_night *night);
/* Returns true if a program's last run had this file among its sources. */
bool ht_night_program_had(const ht_night_program *program, const char *file);

/* night_compare.c: whole programs, original and tuned. */
/* Sets what is kept of the tuned copies of the turn under way. */
void ht_night_copies_set(const ht_night *night, json_t *memory);
/* Takes the time that comparisons need out of the night's. */
void ht_night_programs_reserve(ht_night *night);
/* Compares programs on a device once none of their turns are left (`all`: and all others). */
void ht_night_programs_compare(ht_night *night, bool all);
/* Returns the member "programs" of the report; new reference. */
json_t *ht_night_programs_json(const ht_night *night);

/* night_turn.c: one source on one device. */
/* Sets the device's gate: its lock, which is not needed where timings come from a recording. */
void ht_night_gate_set(ht_night_device *device);
ht_status ht_night_turn_run(ht_night *night, ht_night_turn *turn, double seconds, ht_error *error);

/* night_rewrite.c: files of a source whose text changed, but not its code. */
/* Writes them again, with the comments and layout of the text as it is now, and puts results under
 * its name. False: that takes an analysis. */
bool ht_night_rewrite(const ht_night *night, ht_night_turn *turn);
/* Returns true if a file of this name was written for a source whose tuned copy has this one. */
bool ht_night_is_of(const char *name, const char *output);

/* night_recall.c: analyses and checked files, kept while a search goes on. */
/* Of type ht_survey_options.recall; `context` is the night. */
ht_refactor *ht_night_recall(void *context, const ht_survey *survey, size_t source);
/* Keeps the analysis of the turn under way. */
void ht_night_analysis_keep(ht_night *night);
/* Writes the files of the source, or takes those that were checked in an earlier night. */
void ht_night_source_write(ht_night *night, size_t source);
/* night.c: puts files that were written for a source into their places; `over`: also where there
 * are others. */
ht_status ht_night_files_back(const ht_night *night, const ht_night_turn *turn, bool over,
                              ht_error *error);

/* night_known.c: what earlier nights found of an entry. */
/* Returns the parts of an entry's key, new reference, and the key; NULL: it has none. */
json_t *ht_night_entry_key(const ht_night *night, const ht_entry *entry,
                           char out_key[HT_HASH_SIZE]);
/* Returns an entry's number among those of its name and problem in its file. */
int64_t ht_night_number_of(const ht_entries *entries, size_t index);
/* Returns the document of an entry in an earlier night, new reference; NULL: it is new. First under
 * its name, else what has its key: the file may have been renamed. */
json_t *ht_night_earlier(const ht_night *night, const ht_entry *entry, int64_t number,
                         const char *key);
/* Opens what --baseline names: a database, or a tagged night of the own one. */
ht_status ht_night_baseline_open(ht_night *night, ht_error *error);
bool ht_night_has_baseline(const ht_night *night);
/* Returns the document of a result's kernel in it, new reference; NULL: it is not there. */
json_t *ht_night_baseline(const ht_night *night, const ht_night_result *result);
/* Settles entries whose kernel and all it depends on did not change, unless they are already. */
void ht_night_settle_known(ht_night *night);

/* night_watch.c: kernels timed next to the calibration kernel. */
/* Of type ht_session.decided; `context` is the night. */
bool ht_night_defended(void *context, const ht_binding *binding, const ht_pair_result *result,
                       ht_config *out_config);
void ht_night_decided(void *context, ht_job *job, const ht_binding *binding,
                      struct ht_pair_result *result);

/* night_rows.c: what is kept and reported of an entry. */
/* Keeps the results of the turn under way. */
ht_status ht_night_keep(ht_night *night, ht_error *error);
/* Returns the seconds that the turn under way took without its search: reading, preparing, the
 * finals, the check of what is written. */
double ht_night_need(const ht_night *night);
/* Adds the row of a source, or of a file, that had no turn. */
void ht_night_row_not_run(ht_night *night, const char *file, const char *device,
                          const char *reason);
/* Adds rows of a turn that is kept, or that was not run for a reason. */
void ht_night_add_kept(ht_night *night, const ht_night_turn *turn);
void ht_night_add_not_run(ht_night *night, const ht_night_turn *turn, const char *reason);
/* Adds rows of kernels that the job had and has no more. */
ht_status ht_night_add_gone(ht_night *night, ht_error *error);
/* Notes an exit code; the gravest counts. */
void ht_night_note(ht_night *night, int code);

#endif
