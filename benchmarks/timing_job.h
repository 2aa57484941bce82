/* Shared by the programs that test timing: a small tuning job, and load for the machine it runs on.
 * Each of them is its own worker: main begins with bench_worker. */
#ifndef HT_BENCHMARKS_TIMING_JOB_H
#define HT_BENCHMARKS_TIMING_JOB_H

#include "runtime/job/job.h"

#include <sys/types.h>

enum { BENCH_CONFIGS_MAX = 256, BENCH_FINALISTS = 3 };

/* A blur of 16 neighbours with two parameters; 16 configurations. */
typedef struct bench {
    ht_template *templates;
    size_t template_count;
    ht_problem problem;
    ht_device device;
    ht_binding binding;
    ht_config configs[BENCH_CONFIGS_MAX]; /* all legal ones */
    size_t config_count;
} bench;

/* Serves as a worker and ends the process, if that is what it was started for. */
void bench_worker(int argc, char **argv);
/* Exits with a message when it cannot. `sizes`: "n=20000". */
void bench_open(bench *bench, const char *device, const char *sizes);
void bench_close(bench *bench);
ht_job *bench_start(const bench *bench, const ht_job_options *options);
/* Ends the program with a message unless HT_OK. */
void bench_check(ht_status status, const ht_error *error);

/* A job's decision. */
typedef struct bench_winner {
    ht_config config;
    ht_final final;
    ht_config finalists[BENCH_FINALISTS]; /* the fastest of the search, fastest first */
    ht_final finals[BENCH_FINALISTS];
    ht_timing original; /* in the finals */
} bench_winner;

/* Evaluates all configurations, in an order drawn from `seed`, then the finals of the fastest
 * three. `halfway` is called once half of them are evaluated; may be NULL. */
void bench_tune(const bench *bench, ht_job *job, uint64_t seed, double finals_seconds,
                void (*halfway)(void *), void *context, bench_winner *out_winner);

/* Processes that compute and write memory without end. Returns how many were started;
 * bench_burn_end ends them. */
size_t bench_burn(pid_t *burners, size_t count);
void bench_burn_end(pid_t *burners, size_t count);

/* Returns the value after `--NAME`, or `fallback`. */
const char *bench_option(int argc, char **argv, const char *name, const char *fallback);

#endif
