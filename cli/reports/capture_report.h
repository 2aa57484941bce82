/* The report of `emulate --capture` and of `capture`. */
#ifndef HT_CLI_REPORTS_CAPTURE_REPORT_H
#define HT_CLI_REPORTS_CAPTURE_REPORT_H

#include "pipeline/capture.h"

#include <stdio.h>

/* A line a kernel, then why problems are not known. */
void ht_capture_print(const ht_capture_result *result, bool emulated, FILE *out);
/* Every launch that was seen, by kernel (docs/emulate.md#capture); new reference. */
json_t *ht_capture_json(const ht_capture *capture, const ht_capture_result *result, bool emulated);
/* A kernel's row without its launches; new reference. */
json_t *ht_capture_row_json(const ht_capture_result *result, const ht_capture_row *row);

#endif
