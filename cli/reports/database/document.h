/* The report of a tuning database: one document, which all its forms are written from. */
#ifndef HT_CLI_REPORTS_DATABASE_DOCUMENT_H
#define HT_CLI_REPORTS_DATABASE_DOCUMENT_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>

enum { HT_DOCUMENT_SEARCHES = 100 }; /* with all details, of a database without nights */

/* Reads a database; *out_document is the object that docs/json.md describes, new reference. */
ht_status ht_database_document(const char *path, json_t **out_document, ht_error *error);

/* Returns true if a kernel's original became slower than the night before. */
bool ht_report_original_slower(const json_t *row);

#endif
