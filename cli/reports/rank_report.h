/* The table and JSON of hiptemper inspect --rank: predicted times. */
#ifndef HT_CLI_REPORTS_RANK_REPORT_H
#define HT_CLI_REPORTS_RANK_REPORT_H

#include "cli/reports/inspect_report.h"

/* Fills inspected->times and ->order. */
void ht_inspected_rank(ht_inspected *inspected);
/* The configurations in the order of their predicted times, with the original. */
void ht_rank_print(const ht_inspected *inspected, FILE *out);
/* "predicted" of a configuration (docs/json.md); null where it is not known. `rank`: from 1; 0 for
 * the original. New reference. */
json_t *ht_predicted_json(const ht_gpu_time *time, size_t rank);
/* "model" of a template: the GPU. New reference. */
json_t *ht_model_json(const ht_gpu *gpu);

#endif
