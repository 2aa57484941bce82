/* The tables and JSON of hiptemper inspect --count: accesses to memory per output. */
#ifndef HT_CLI_REPORTS_ACCESSES_REPORT_H
#define HT_CLI_REPORTS_ACCESSES_REPORT_H

#include "cli/reports/inspect_report.h"

/* The original and the configurations side by side, and why others were not counted. */
void ht_accesses_print(const ht_inspected *inspected, FILE *out);
/* "accesses" of a launch (docs/json.md); null when it was not counted. New reference. */
json_t *ht_accesses_json(const ht_inspection_launch *launch);

#endif
