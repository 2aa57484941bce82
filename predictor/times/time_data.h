/* Times of many configurations, from any number of jobs (a problem on a device), as columns to
 * learn from. Columns are joined by name: where a job lacks one its rows are NaN. */
#ifndef HT_PREDICTOR_TIMES_TIME_DATA_H
#define HT_PREDICTOR_TIMES_TIME_DATA_H

#include "predictor/times/columns.h"

typedef struct ht_time_column {
    char *name;    /* owned, like all below */
    float *values; /* [rows] */
} ht_time_column;

typedef struct ht_time_job {
    size_t first, count; /* rows */
    size_t device;
} ht_time_job;

typedef struct ht_time_data {
    ht_time_column *columns;
    size_t column_count;
    double *costs; /* [rows]: any unit, the same within a job; INFINITY: it failed */
    size_t row_count;
    ht_time_job *jobs;
    size_t job_count;
    char **devices; /* names */
    size_t device_count;
} ht_time_data; /* {0} is empty */

/* Adds a job. Returns false, and adds nothing, when fewer than 3 configurations succeeded: that
 * says next to nothing of which is faster. */
bool ht_time_data_add(ht_time_data *data, const ht_columns *columns, const char *device,
                      const ht_config *configs, const double *costs, size_t count);
void ht_time_data_free(ht_time_data *data); /* leaves {0} */

/* Writes targets [count] of a job's costs: logarithms of how much longer each took than the
 * fastest, softly clipped far above it; of what failed more than the slowest. And weights: the
 * slower, the less it matters how slow. */
void ht_time_targets(const double *costs, size_t count, float *out_targets, float *out_weights);

#endif
