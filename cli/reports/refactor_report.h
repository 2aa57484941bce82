/* The report of `refactor` on kernels. A row is a kernel's object in the JSON report
 * (docs/json.md): files are read in other processes, and their rows come as text. */
#ifndef HT_CLI_REPORTS_REFACTOR_REPORT_H
#define HT_CLI_REPORTS_REFACTOR_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

typedef enum ht_report_detail {
    HT_REPORT_BRIEF, /* for many kernels: a line for each, counts of files, the largest groups */
    HT_REPORT_USUAL,
    HT_REPORT_ALL /* every remark */
} ht_report_detail;

/* As a compiler prints them, one a line: "file:line:column: remark: ... [applied: unroll]". The
 * reason why there is no template (not when brief), and of a transformation that stood in the way
 * of one. */
void ht_refactor_report_remarks(const json_t *row, ht_report_detail detail, FILE *out);
void ht_refactor_report_table(const json_t *rows, ht_report_detail detail, FILE *out);
/* How many files and kernels, templates by transformation, refusals by reason. */
void ht_refactor_report_summary(const json_t *rows, size_t files, size_t parsed,
                                ht_report_detail detail, FILE *out);
/* Which files were written. */
void ht_refactor_report_files(const json_t *rows, const char *folder, ht_report_detail detail,
                              FILE *out);

/* refactor_html.c: the same as a page that needs no other file: templates, those with most changes
 * first, then kernels without one by reason, each with a next step. free(). */
char *ht_refactor_html(const json_t *rows, const json_t *errors);

/* refactor_sarif.c: the rows and errors as a SARIF 2.1.0 log, for code review tools. New reference.
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
json_t *ht_refactor_sarif(const json_t *rows, const json_t *errors);

#endif
