/* The report of a database as a page: one file that loads nothing. */
#ifndef HT_CLI_REPORTS_DATABASE_PAGE_H
#define HT_CLI_REPORTS_DATABASE_PAGE_H

#include <jansson.h>

enum { HT_PAGE_DRAWN = 40 }; /* kernels that have plots, the first ones */

/* Returns the page of a report (document.h); free(). Without gnuplot it has no plots, says so, and
 * so does a warning. */
char *ht_database_page(const json_t *document);

#endif
