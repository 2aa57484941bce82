/* Inside a job: its workers and what they are asked. Private to job*.c. */
#ifndef HT_RUNTIME_JOB_JOB_INTERNAL_H
#define HT_RUNTIME_JOB_JOB_INTERNAL_H

#include "base/hash.h"
#include "base/scratch.h"
#include "runtime/buffers/layout.h"
#include "runtime/job/job.h"
#include "runtime/measure/stats.h"
#include "runtime/process/process.h"
#include "runtime/store/claims.h"

enum {
    HT_COMPILE_SECONDS = 120,    /* of the original, and the most of any variant */
    HT_COMPILE_SECONDS_MIN = 20, /* the least of any variant */
    HT_COMPILE_MORE = 8,         /* times the original's, for each further one of a program */
    HT_START_SECONDS = 60,
    HT_REFERENCE_SECONDS = 180,
    HT_OUTSIDE_KILLS = 5 /* of one request, before they count as its own deaths */
};

/* Names the way times are made. Change it when numbers of old and new programs may no longer be
 * compared. */
#define HT_METHOD_VERSION "2"

/* The fastest variant so far, or the original: what others are timed next to. */
typedef struct ht_job_control {
    json_t *program; /* NULL: none */
    ht_config config;
    bool original; /* the baseline */
    double ms;     /* what it costs; times of others are on this scale */
    json_int_t id; /* another for each */
} ht_job_control;

/* The private folder of a job, and what is in it. */
typedef struct ht_job_folder {
    ht_scratch scratch;
    const char *path; /* in `scratch`; removed at the end */
    unsigned files;   /* made so far in it */
} ht_job_folder;

typedef struct ht_job_workers {
    ht_process *compilers;
    size_t compiler_count;
    ht_process checker; /* runs what was compiled for checking; check_job.c */
    ht_process runner;  /* the one process that runs kernels: while it times, nothing else works */
    bool forgot;        /* the runner did, all of the problem; what to expect is to be sent again */
    bool doubtful;      /* a kernel that ran in one of the two was wrong, or was not looked at */
} ht_job_workers;

/* The outcome of checking the original. */
typedef struct ht_original_check {
    bool done;
    char *finding; /* NULL: nothing, or not checked */
    char kind[24]; /* of that */
} ht_original_check;

/* Everything that results depend on, in words: the database keeps them under these. */
typedef struct ht_job_identity {
    char source_hash[HT_HASH_SIZE];
    char template_hash[HT_HASH_SIZE];
    char *problem;
    char *device;
    char *compiler;
    char *method;
    char *settings;
    ht_database_key key; /* borrows the above */
} ht_job_identity;

/* The kernels whose outputs are those to be had. */
typedef struct ht_job_reference {
    ht_launch_set set;
    json_t *program;    /* compiled, as the workers' messages describe it */
    char *expect_file;  /* with the outputs in use; NULL before there is one */
    json_t *twin;       /* the compiled twin of the original that outputs come from; NULL: none */
    ht_numbers numbers; /* its numbers; HT_NUMBERS_PLAIN: none is to be tried any more */
} ht_job_reference;

/* The kernels that speedups are relative to. */
typedef struct ht_job_base {
    ht_launch_set set;
    json_t *program; /* compiled; the reference's where both are the same kernels */
    ht_timing timing;
    char *conditions; /* of its samples; owned; may be NULL */
} ht_job_base;

/* Seconds that one variant may take. */
typedef struct ht_job_limits {
    double run, compile;
    double more; /* to compile each further variant of one program */
} ht_job_limits;

/* Sets how long compiles may take from the seconds that the original's took; `asked`: the limit of
 * one variant, 0 where none was given. */
void ht_job_limits_set(ht_job_limits *limits, double asked, double seconds);
/* Returns the seconds that a program of `count` variants may take. One that the compiler rejects is
 * compiled again in halves: up to 2 count - 1 programs. */
double ht_job_limits_compile(const ht_job_limits *limits, size_t count);

struct ht_job {
    const ht_binding *binding;
    const ht_device *device;
    ht_job_options options; /* defaults filled in */
    ht_config default_config;
    ht_job_folder folder;
    ht_job_workers workers;
    ht_original_check original_check;
    ht_job_identity identity;
    ht_job_reference reference;
    ht_job_base baseline;
    ht_job_control control;
    ht_job_limits limits;
    ht_job_counts counts;
    ht_claims *claims; /* NULL: nothing is shared */
    ht_evaluator evaluator;
};

/* Takes and releases the gate that the options name. (job_evaluate.c) */
ht_status ht_job_gate_take(const ht_job *job, ht_error *error);
void ht_job_gate_release(const ht_job *job);

/* One thing to compile, and what came of it. */
typedef struct ht_compile_task {
    const ht_config *config;
    ht_launch_set set;
    ht_numbers numbers;
    bool checked; /* for checking (docs/checking.md) */
    bool counted; /* with it: to count accesses */
    bool skip;    /* nothing to do */
    bool retried; /* after a death */
    int kills;    /* of its worker, by somebody outside */
    ht_status status;
    ht_error error;
    json_t *program; /* owned by the task until taken */
    double seconds;
    ht_resources resources;
} ht_compile_task;

/* Copies the contents that come from files into the job's folder (ht_input_files_copy). */
ht_status ht_job_inputs_write(ht_job *job, const uint64_t *seed, ht_error *error);

/* Compiles all tasks over the compile workers. Failures of single tasks are in the tasks; an error
 * ends the job. */
ht_status ht_job_compile(ht_job *job, ht_compile_task *tasks, size_t count, ht_error *error);
void ht_compile_task_free(ht_compile_task *task);
/* Removes a compiled program's file and its description. */
void ht_job_forget_program(ht_job *job, json_t *program);

/* Starts a worker in a role and waits until it is ready. */
ht_status ht_job_start_worker(ht_job *job, ht_process *process, const char *role, ht_error *error);
/* Asks the run worker (started, and given the reference, if need be) and waits. The status and
 * error are those of the answer, or tell that the worker died (HT_ERROR_CRASH), was late
 * (HT_ERROR_TIMEOUT) or the user stopped it. `request` is stolen; *out_reply is the caller's and
 * NULL unless HT_OK or the worker's own failure. */
ht_status ht_job_ask_runner(ht_job *job, json_t *request, double seconds, json_t **out_reply,
                            ht_error *error);
/* The same, asked again when somebody outside killed the worker. */
ht_status ht_job_ask_steady(ht_job *job, json_t *request, double seconds, json_t **out_reply,
                            ht_error *error);
/* Has a process, if it runs, do what needs no words: "forget" or "bind" (worker.h). One that does
 * not is killed. */
void ht_job_order(ht_job *job, ht_process *process, const char *op);
/* Ends the run worker; the next request starts another. */
void ht_job_retire_runner(ht_job *job);
/* job_deaths.c. The same for a measurement, whose failure is that of a configuration only when
 * nothing else explains it (docs/faults.md): memory that an earlier variant corrupted must not
 * condemn this one. A death is tried once more in a fresh worker; the second condemns, in the
 * database too. HT_ERROR_DEVICE when the original fails now as well. */
ht_status ht_job_ask_measure(ht_job *job, json_t *request, double seconds, json_t **out_reply,
                             ht_error *error);

/* check_job.c. Checks these configurations when it is their turn, compiled at once: out_statuses
 * and whys are theirs, one each, an error ends the job. A finding that the original has too is not
 * held against a variant of it. */
ht_status ht_job_check_variants(ht_job *job, const ht_config *const *configs, size_t count,
                                ht_check_when turn, ht_status *out_statuses, ht_error *whys,
                                ht_error *error);

/* {op, config, program, launches} of a run request. */
json_t *ht_job_run_request(const char *op, const ht_config *config, json_t *program,
                           ht_launch_set set);

/* job_control.c. The original becomes the control. The database's time of it, when there is one,
 * is the scale, so that times of several runs of the tuner can be compared; *out_known: there is
 * one. */
ht_status ht_job_control_begin(ht_job *job, bool *out_known, ht_error *error);
/* Adds to a measurement what it is to be taken next to. */
void ht_job_control_offer(const ht_job *job, json_t *request);
/* Makes a variant that was measured the control from now on, where it should be; takes its program
 * over then. */
void ht_job_control_consider(ht_job *job, const ht_config *config, ht_compile_task *task,
                             const ht_evaluation *evaluation);
void ht_job_control_end(ht_job *job);

/* Expected outputs for a seed, computed by the run worker. */
ht_status ht_job_make_reference(ht_job *job, uint64_t seed, ht_error *error);

ht_status ht_job_evaluate(void *self, const ht_config *configs, size_t count, ht_outcome *outcomes,
                          size_t *out_done, ht_error *error);

/* "mismatch: ..." and so on: the short text of a failure. */
void ht_job_reason(ht_status status, const ht_error *error, ht_text *out);
/* Samples and cost of an answer, or those of the recording for the evaluation's configuration. */
ht_status ht_job_take_timing(ht_job *job, const json_t *reply, ht_evaluation *evaluation,
                             ht_error *error);
/* Copies at most *count samples that the recording has of a configuration, NULL for the original;
 * *count is how many there were. */
ht_status ht_job_recorded(ht_job *job, const ht_config *config, double *out, size_t *count,
                          ht_error *error);
/* Samples of an answer; free(). NULL unless there are some, and all are times. */
double *ht_job_samples(const json_t *reply, size_t *out_count);
ht_timing ht_timing_of(const double *samples, size_t count);

#endif
