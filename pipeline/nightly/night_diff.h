/* Two results of nights next to each other: databases, or reports as JSON. */
#ifndef HT_PIPELINE_NIGHTLY_NIGHT_DIFF_H
#define HT_PIPELINE_NIGHTLY_NIGHT_DIFF_H

#include "base/error.h"

#include <jansson.h>

/* Loads the kernels of a database (the latest result of each) or of a report of `hiptemper run
 * --json`, as an array of the report's rows (docs/json.md). New reference. */
ht_status ht_night_rows_load(const char *path, json_t **out_rows, ht_error *error);

/* Compares two such arrays: an array of rows with a verdict each, in the order of `now`, then those
 * that are gone. A kernel is the one of its name, problem, device and file before; else that of its
 * key; else the only one of its name, problem and device. New reference. */
json_t *ht_night_diff(const json_t *then, const json_t *now, double least);

#endif
