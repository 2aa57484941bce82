/* The runs of a check: a line of the bundle's plan.json a run of `tune`. */
#ifndef HT_BENCHMARKS_GPU_PLAN_H
#define HT_BENCHMARKS_GPU_PLAN_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>

typedef struct ht_gpu_run {
    const char *name;     /* "library/conv2d_direct"; names logs and folders */
    const char *part;     /* "check": verify; "tune": verify, tune and time */
    const char *template; /* below the bundle */
    const char *problem;  /* a file below the bundle */
    int max_evals;        /* configurations for each kernel and problem */
} ht_gpu_run;

typedef struct ht_gpu_plan {
    json_t *document; /* owned; texts are borrowed from it */
    ht_gpu_run *runs; /* owned */
    size_t count;
} ht_gpu_plan;

/* Reads BUNDLE/plan.json; errors name the file. Free with ht_gpu_plan_free, also after a failure.
 */
ht_status ht_gpu_plan_read(const char *bundle, ht_gpu_plan *out_plan, ht_error *error);
void ht_gpu_plan_free(ht_gpu_plan *plan);

#endif
