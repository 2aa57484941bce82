/* A night on the machines of a Slurm cluster: an array of tasks, each a shard of the job with a
 * database of its own, and a task that merges them. docs/run.md has the users' side.
 *
 * All of it is in the folder "slurm" of the job's `out`, which the machines must share:
 *
 *     plan.json              what was submitted; the night's name
 *     shards.sh, merge.sh    the scripts, as sbatch had them
 *     known.sqlite           the job's database when the night began
 *     N/db.sqlite            the database of shard N
 *     N/state.json, N/log    how far it is; its output
 *     N/report.json          its report
 *     merge.json, merge.log  the same of the merge
 *     report.json            the night's report */
#ifndef HT_PIPELINE_NIGHTLY_SLURM_H
#define HT_PIPELINE_NIGHTLY_SLURM_H

#include "pipeline/nightly/night.h"

typedef struct ht_slurm_options {
    const ht_job_file *job;
    const char *path;                    /* of the job's file, as it was named */
    const char *more;                    /* options for sbatch; NULL: none */
    const char *tag, *baseline, *notify; /* as of ht_night_options and ht_notify; NULL */
    const char *sandbox;
} ht_slurm_options;

/* Submits a night. Refuses while shards of the last one are pending or running, or are not merged.
 * *out_status (new reference) is as of ht_slurm_status. HT_ERROR_MISSING: there is no sbatch. */
ht_status ht_slurm_submit(const ht_slurm_options *options, json_t **out_status, ht_error *error);
/* Submits the shards of the last night that failed, and a merge after them. Does nothing where none
 * failed. */
ht_status ht_slurm_resume(const ht_slurm_options *options, json_t **out_status, ht_error *error);
/* Says how far the last night is, as docs/json.md describes it; new reference. HT_ERROR_INPUT:
 * there is none. */
ht_status ht_slurm_status(const ht_job_file *job, json_t **out_status, ht_error *error);

/* Runs a shard, from 1 on. `night` has the members `path`, `progress` and `row`. The report is as
 * of ht_night_run. */
ht_status ht_slurm_task(const ht_job_file *job, size_t number, const ht_night_options *night,
                        json_t **out_document, ht_error *error);
/* Merges what the shards have found so far into the job's database, and gives the night's report.
 * *out_notify (free()) is what the night was submitted with, or NULL. */
ht_status ht_slurm_merge(const ht_job_file *job, json_t **out_document, char **out_notify,
                         ht_error *error);

#endif
