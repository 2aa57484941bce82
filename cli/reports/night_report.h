/* A night's report (pipeline/nightly/night.h), for people. */
#ifndef HT_CLI_REPORTS_NIGHT_REPORT_H
#define HT_CLI_REPORTS_NIGHT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints a night's rows, one a line, and its sums; of a dry run what is planned. */
void ht_night_report(const json_t *document, FILE *out);
/* Prints the rows of a comparison (pipeline/nightly/night_diff.h) and their sums. Returns true if a
 * kernel or its original became slower. */
bool ht_night_report_compare(const json_t *document, FILE *out);
/* Prints, of a dry run, what the keys of a kernel (or of a source's kernels) are made of. Returns
 * the exit code: HT_EXIT_INPUT if nothing has this name. */
int ht_night_report_why(const json_t *document, const char *name, FILE *out);

#endif
