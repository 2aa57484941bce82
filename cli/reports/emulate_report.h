/* The report of `emulate`. */
#ifndef HT_CLI_REPORTS_EMULATE_REPORT_H
#define HT_CLI_REPORTS_EMULATE_REPORT_H

#include "pipeline/missing.h"
#include "runtime/emulate/run.h"

/* docs/json.md, hiptemper-emulate; new reference. */
json_t *ht_emulate_json(const ht_emulate_report *report, const ht_emulate_outcome *outcome,
                        const ht_missing *missing);

#endif
