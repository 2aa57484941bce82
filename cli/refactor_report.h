/* What `refactor` tells about kernels. */
#ifndef HT_CLI_REFACTOR_REPORT_H
#define HT_CLI_REFACTOR_REPORT_H

#include "cli/survey.h"

/* One kernel as refactor shows it. */
typedef struct ht_refactor_row {
    const ht_kernel *kernel; /* borrowed */
    char *template_file;     /* owned; NULL: none written */
    char *skeleton_file;     /* owned */
} ht_refactor_row;

const char *ht_kernel_status_name(ht_kernel_status status); /* "templated", ..., "needs-problem" */

/* Remarks and reasons as a compiler prints them, one a line: file:line:column: remark: ...
 * [transformation]. */
void ht_refactor_report_remarks(const ht_kernel *kernel, FILE *out);
/* Names of the parameters, separated by spaces; free(). */
char *ht_refactor_parameters(const ht_kernel *kernel);
void ht_refactor_report_table(const ht_refactor_row *rows, size_t count, FILE *out);
json_t *ht_refactor_row_json(const ht_refactor_row *row);

#endif
