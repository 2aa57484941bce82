/* Results of nights, gathered by kernel. */
#ifndef HT_CLI_REPORTS_DATABASE_NIGHT_HISTORY_H
#define HT_CLI_REPORTS_DATABASE_NIGHT_HISTORY_H

#include "runtime/store/archive.h"

#include <jansson.h>

/* A kernel's times in one night. 0: not known. */
typedef struct ht_history_point {
    int64_t night;
    double when;                /* seconds since 1970 */
    double incumbent, original; /* medians of multiples of the calibration kernel's time */
    double speedup, lo, hi;
    double tuned_ms, original_ms;
} ht_history_point;

/* A kernel with a problem on a device, in a file. All is owned. */
typedef struct ht_history_kernel {
    char *job, *kernel, *problem, *device, *file;
    char *source_key, *kernel_key, *document; /* of its latest result */
    char *before_key, *before;                /* of the one before that; NULL: there is none */
    int64_t night;                            /* of its latest result */
    bool gone;
    bool former; /* the job does not have it any more, under this name */
    ht_history_point *points;
    size_t point_count;
} ht_history_kernel;

/* {0} is empty. */
typedef struct ht_night_past {
    ht_history_kernel *kernels;
    size_t count;
    json_t *index; /* identity to number in `kernels`; NULL while empty */
} ht_night_past;

/* Adds a result; `context` is the ht_night_past (for ht_archive_results). Rows of sources, without
 * a kernel, are left out. */
void ht_night_past_add(void *context, const ht_night_result *result);
/* Puts the points of a kernel's former name before its own. */
void ht_history_inherit(ht_history_kernel *kernel, const ht_history_kernel *former);
void ht_night_past_free(ht_night_past *past);

#endif
