/* The report of `optimize --run`. */
#ifndef HT_CLI_REPORTS_WHOLE_REPORT_H
#define HT_CLI_REPORTS_WHOLE_REPORT_H

#include "pipeline/whole.h"

#include <stdio.h>

/* The launches of the original, and how it ended unless that was well. */
void ht_whole_print_begin(const ht_whole *whole, FILE *out);
/* "Whole program: equal: ...", a line for each problem that sources were tuned for. */
void ht_whole_print(const ht_whole *whole, FILE *out);
/* The member `whole_program` (docs/json.md); new reference. */
json_t *ht_whole_json(const ht_whole *whole);

#endif
