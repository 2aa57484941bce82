/* The findings of the runs, as JSON and as a table. */
#ifndef HT_BENCHMARKS_GPU_RESULTS_H
#define HT_BENCHMARKS_GPU_RESULTS_H

#include "benchmarks/gpu/plan.h"

#include <stdio.h>

typedef struct ht_gpu_results {
    json_t *document; /* owned */
    int kernels;      /* kernels and problems that were looked at */
    int verified;     /* whose variants and original agree with the reference */
    int wrong;        /* configurations that were found wrong, of all of them */
    int float64;      /* verified against a reference in float64 */
    int improved;
} ht_gpu_results;

ht_gpu_results ht_gpu_results_new(const char *device);
/* Adds a run's report (docs/json.md), which it takes over; NULL when the run left none. */
void ht_gpu_results_add(ht_gpu_results *results, const ht_gpu_run *run, int exit_code,
                        json_t *report);
/* Adds the totals to the document and prints the tables. */
void ht_gpu_results_finish(ht_gpu_results *results, FILE *out);
void ht_gpu_results_free(ht_gpu_results *results);

#endif
