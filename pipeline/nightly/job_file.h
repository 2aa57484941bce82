/* A job's file: what `hiptemper run` is to do, as JSON. docs/job.md is its manual, docs/
 * job.schema.json its schema, which a test holds against this parser. */
#ifndef HT_PIPELINE_NIGHTLY_JOB_FILE_H
#define HT_PIPELINE_NIGHTLY_JOB_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Owned strings. */
typedef struct ht_job_words {
    char **items;
    size_t count;
} ht_job_words;

typedef struct ht_job_budget {
    double seconds;        /* wall time of a night, preparation included */
    double kernel_seconds; /* of one kernel with its problems in a night; 0: what it needs */
    uint64_t evaluations;  /* configurations of a kernel and problem, over all nights; 0: all */
} ht_job_budget;

/* A whole program, which is built and run in emulation: its launches are what is tuned for. */
typedef struct ht_job_program {
    ht_job_words files;           /* that it is built of; at least one */
    ht_job_words arguments;       /* of main, without the program's name */
    ht_job_words include, define; /* besides the job's */
    char *standard;               /* NULL: the job's */
    char *commands;               /* compile_commands.json, for its files' options; NULL */
    char *read;                   /* a folder that it may read; NULL: none */
    double share;                 /* percent of the time: the kernels that take it are tuned */
    uint64_t inputs;              /* MiB of a buffer whose content is kept; 0: none is */
} ht_job_program;

/* For --slurm. */
typedef struct ht_job_slurm {
    uint64_t shards;            /* of each device; 0: one a source, but at most 16 */
    double limit_seconds;       /* of a task; 0: from the budget */
    char *partition;            /* NULL: the cluster's default */
    ht_job_words options;       /* of sbatch, for shards */
    ht_job_words merge_options; /* for the merge; none: `options` */
} ht_job_slurm;

/* Paths are relative to the current folder, or absolute. */
typedef struct ht_job_file {
    ht_job_words sources;     /* folders, files, compile_commands.json */
    ht_job_program *programs; /* the sources that are whole programs; owned */
    size_t program_count;     /* there is at least one of either */
    ht_job_words devices;     /* at least one */
    ht_job_words include, define;
    ht_job_budget budget;
    ht_job_slurm slurm;
    double least_effect;  /* part of a time: smaller changes are "same" */
    double final_seconds; /* that finalists are timed in turn */
    double watch_hours;   /* what was timed less long ago is not timed again */
    uint64_t seed;
    uint64_t not_run_exit; /* exit code of a night in which something was not run */
    char *database;
    char *out;
    char *problems;  /* NULL: the file next to each source */
    char *profile;   /* NULL: the kernels' shares of time are not known */
    char *strategy;  /* NULL: chosen by the space */
    char *predictor; /* NULL: none */
    char *standard;  /* NULL: the compiler's */
    char *check;     /* "none", "finals", "all" */
    char *cache;     /* "hot", "cold" */
    char *style;     /* "plain", "any" */
} ht_job_file;

/* Reads a job from text. `path` names it in messages and is where relative paths begin. A mistake
 * is HT_ERROR_INPUT with line, column and remedy; only the first one is reported. Keys that begin
 * with "//" are comments. */
ht_status ht_job_file_parse(const char *text, const char *path, ht_job_file *out_job,
                            ht_error *error);
ht_status ht_job_file_load(const char *path, ht_job_file *out_job, ht_error *error);
void ht_job_file_free(ht_job_file *job);
/* Returns a job with every key and a comment for each; static. */
const char *ht_job_file_example(void);

#endif
