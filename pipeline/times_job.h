/* A job of a tuning database, bound again: its space, and the configurations that were timed. */
#ifndef HT_PIPELINE_TIMES_JOB_H
#define HT_PIPELINE_TIMES_JOB_H

#include "predictor/times/columns.h"
#include "runtime/provider/provider.h"
#include "runtime/store/database_earlier.h"

typedef struct ht_times_job {
    ht_problem problem;
    ht_binding binding;
    ht_space *space;    /* owned, like all below */
    ht_config *configs; /* those of the template's present form */
    double *costs;      /* of each, ms; INFINITY: it failed */
    size_t count;
    ht_time_device numbers;
    ht_columns *columns;
} ht_times_job;

/* Binds the template to the job's problem, with the limits of `device`. False: the problem is not
 * one of the template, or its space cannot be made; nothing is to be freed then. The job must stay
 * where it is. */
bool ht_times_job_open(const ht_template *template, const ht_device *device,
                       const ht_database_earlier_run *run, ht_times_job *out_job);
void ht_times_job_close(ht_times_job *job);

#endif
