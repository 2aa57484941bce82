/* The report of `loop`: the tree of revisions with the gain of each step. */
#ifndef HT_CLI_REPORTS_LOOP_REPORT_H
#define HT_CLI_REPORTS_LOOP_REPORT_H

#include "loop/plan.h"

#include <stdio.h>

/* A loop's subject and history. Borrowed. */
typedef struct ht_loop_report {
    const char *file, *kernel;
    const json_t *about; /* {"problem", "fields", "device", "emulated"} */
    const ht_history *history;
    const char *ended; /* why; NULL: it goes on when it is run again */
} ht_loop_report;

/* Prints the tree, what is best, and why the loop ended. */
void ht_loop_report_print(const ht_loop_report *report, FILE *out);
/* A step that was chosen, and one that was done. */
void ht_loop_report_choice(const ht_choice *choice, uint64_t number, FILE *out);
void ht_loop_report_done(const ht_revision *revision, FILE *out);
/* The JSON report (docs/json.md). New reference. */
json_t *ht_loop_report_json(const ht_loop_report *report);

#endif
