/* Hardware counters of kernels, a row for each counter of each launch: rocprofv3's
 * *_counter_collection.csv (`rocprofv3 --pmc NAMES --output-format csv -- PROGRAM`), or what Nsight
 * Compute prints (`ncu --csv --metrics NAMES PROGRAM`). */
#ifndef HT_PIPELINE_COUNTERS_H
#define HT_PIPELINE_COUNTERS_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_counter {
    char *kernel; /* as ht_profile_kernel_name; owned */
    char *name;   /* "SQ_WAVES", "dram__bytes.sum [byte]"; owned */
    double sum;   /* over its rows */
    uint64_t launches;
    char *last; /* the launch of the last row; owned */
} ht_counter;

typedef struct ht_counters {
    ht_counter *items; /* in the order in which they first come; owned */
    size_t count;
} ht_counters;

/* Reads a file. One without the columns, or with a value that is no number, is HT_ERROR_INPUT, with
 * its line. On an error nothing is to be freed. */
ht_status ht_counters_load(const char *path, ht_counters *out_counters, ht_error *error);
/* The same of a text; `path` is for messages. */
ht_status ht_counters_parse(const char *text, size_t length, const char *path,
                            ht_counters *out_counters, ht_error *error);
void ht_counters_free(ht_counters *counters);

/* {"SQ_WAVES": mean of a launch} of a kernel of a source; empty: the file has none of it. New
 * reference. */
json_t *ht_counters_json(const ht_counters *counters, const char *kernel);

#endif
