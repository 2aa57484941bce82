/* The report of a database for continuous integration: JUnit's XML. */
#ifndef HT_CLI_REPORTS_DATABASE_JUNIT_H
#define HT_CLI_REPORTS_DATABASE_JUNIT_H

#include <jansson.h>

/* Returns a suite for each job with a case for each kernel: a failure if it or its original became
 * slower, an error if it failed or was not verified, skipped if it had no turn or is not timed.
 * A case's time is the kernel's. Searches are a suite of their own where there are no nights.
 * free(). */
char *ht_database_junit(const json_t *document);

#endif
