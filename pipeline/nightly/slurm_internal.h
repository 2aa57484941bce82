/* A submitted night and its files. Private to slurm*.c. */
#ifndef HT_PIPELINE_NIGHTLY_SLURM_INTERNAL_H
#define HT_PIPELINE_NIGHTLY_SLURM_INTERNAL_H

#include "pipeline/nightly/slurm.h"

#include <jansson.h>

/* slurm_plan.c */
/* "OUT/slurm/NAME"; free(). */
char *ht_slurm_path(const ht_job_file *job, const char *name);
/* "OUT/slurm/NUMBER/NAME"; free(). */
char *ht_slurm_shard_path(const ht_job_file *job, size_t number, const char *name);
/* Makes the plan of a night: device by device, `shards` of each. New reference. */
json_t *ht_slurm_plan_make(const ht_slurm_options *options, size_t shards);
/* HT_ERROR_INPUT with the remedy: no night was submitted. New reference. */
ht_status ht_slurm_plan_load(const ht_job_file *job, json_t **out_plan, ht_error *error);
ht_status ht_slurm_plan_save(const ht_job_file *job, const json_t *plan, ht_error *error);
/* Writes the two scripts. */
ht_status ht_slurm_scripts_write(const ht_slurm_options *options, const json_t *plan,
                                 ht_error *error);

/* slurm_status.c */
/* The same as ht_slurm_status of a plan. */
json_t *ht_slurm_plan_status(const ht_job_file *job, const json_t *plan);
/* Returns how many shards are in this state. */
size_t ht_slurm_count(const json_t *status, const char *state);
/* Writes a state file: {"state": state} and what is in `more` (taken; may be NULL). */
ht_status ht_slurm_state_write(const char *path, const char *state, json_t *more, ht_error *error);

#endif
