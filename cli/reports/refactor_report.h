/* The report of `refactor` on kernels. A row is a kernel's object in the JSON report
 * (docs/json.md): files are read in other processes, and their rows come as text. */
#ifndef HT_CLI_REPORTS_REFACTOR_REPORT_H
#define HT_CLI_REPORTS_REFACTOR_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* As a compiler prints them, one a line: "file:line:column: remark: ... [applied: unroll]". The
 * reason why there is no template; every remark too when `all`. */
void ht_refactor_report_remarks(const json_t *row, bool all, FILE *out);
void ht_refactor_report_table(const json_t *rows, FILE *out);
/* How many files and kernels, templates by transformation, refusals by reason. */
void ht_refactor_report_summary(const json_t *rows, size_t files, size_t parsed, FILE *out);
/* Which files were written. */
void ht_refactor_report_files(const json_t *rows, const char *folder, FILE *out);

/* Returns a reason without the names, numbers and places that distinguish one kernel from another.
 * free(). */
char *ht_refactor_reason_class(const char *reason);

/* refactor_sarif.c: the rows and errors as a SARIF 2.1.0 log, for code review tools. New reference.
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
json_t *ht_refactor_sarif(const json_t *rows, const json_t *errors);

#endif
