/* A search as the report has it (docs/json.md): how it went, what its parameters do, and why
 * configurations were rejected. */
#ifndef HT_CLI_REPORTS_DATABASE_SEARCH_SUMMARY_H
#define HT_CLI_REPORTS_DATABASE_SEARCH_SUMMARY_H

#include "cli/reports/database/search_trials.h"

#include <jansson.h>

enum {
    HT_SUMMARY_STEPS = 200, /* points of best_so_far, at most */
    HT_SUMMARY_PAUSE = 300  /* seconds between two evaluations: longer is the end of a night */
};

/* Returns {"evaluations", "rejections", "original_ms", "best_ms", "best", "best_so_far", "effects",
 * "rejected", "rejected_others"}; sorts the trials. New reference. */
json_t *ht_search_summary(ht_search_trials *trials);

#endif
