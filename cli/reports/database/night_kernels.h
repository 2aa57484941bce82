/* Nights and kernels of a tuning database, as the report has them (docs/json.md). */
#ifndef HT_CLI_REPORTS_DATABASE_NIGHT_KERNELS_H
#define HT_CLI_REPORTS_DATABASE_NIGHT_KERNELS_H

#include "runtime/store/archive.h"

#include <jansson.h>

enum { HT_KERNEL_HISTORY = 100 }; /* nights of a kernel, at most, the last ones */

/* Sets "nights", "kernels" and "errors" of a document: of each job its latest night, and of each
 * kernel its latest result with its verdict, the gravest first. Verdicts are those that the night
 * gave; a night that was killed gave none, so its results are compared here. */
ht_status ht_night_kernels_add(ht_archive *archive, json_t *document, ht_error *error);

#endif
