/* How far a night on Slurm is, for people. */
#ifndef HT_CLI_REPORTS_SLURM_REPORT_H
#define HT_CLI_REPORTS_SLURM_REPORT_H

#include <jansson.h>
#include <stdio.h>

/* Prints the document of ht_slurm_status: counts, and each shard that is not done. */
void ht_slurm_report(const json_t *status, FILE *out);

#endif
