#include "predictor/times/time_data.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESSES_LEAST = 3 };
/* Beyond CLIP above the best, a difference d counts as CLIP * (1 + log(d / CLIP)). A failure counts
 * as FAILED above the slowest. The weight falls by e for each FADE above the best, to WEIGHT_LEAST.
 */
static const double CLIP = 0.5, FAILED = 0.3, FADE = 0.5, WEIGHT_LEAST = 0.1;

static size_t column_find(ht_time_data *data, const char *name) {
    for (size_t c = 0; c < data->column_count; ++c)
        if (strcmp(data->columns[c].name, name) == 0)
            return c;
    HT_GROW(data->columns, data->column_count);
    ht_time_column *column = &data->columns[data->column_count];
    column->name = ht_strdup(name);
    column->values = ht_alloc(data->row_count + 1, sizeof *column->values);
    for (size_t i = 0; i < data->row_count; ++i)
        column->values[i] = NAN;
    return data->column_count++;
}

static size_t device_find(ht_time_data *data, const char *name) {
    for (size_t d = 0; d < data->device_count; ++d)
        if (strcmp(data->devices[d], name) == 0)
            return d;
    HT_GROW(data->devices, data->device_count);
    data->devices[data->device_count] = ht_strdup(name);
    return data->device_count++;
}

static void rows_add(ht_time_data *data, const ht_columns *columns, const ht_config *configs,
                     size_t count) {
    size_t width = ht_columns_count(columns), before = data->row_count;
    float *values = ht_alloc(width * count + 1, sizeof *values);
    ht_columns_fill(columns, configs, count, NULL, values);
    for (size_t c = 0; c < width; ++c)
        column_find(data, ht_columns_name(columns, c));
    for (size_t c = 0; c < data->column_count; ++c) {
        ht_time_column *column = &data->columns[c];
        column->values = ht_realloc(column->values, before + count, sizeof *column->values);
        for (size_t i = 0; i < count; ++i)
            column->values[before + i] = NAN;
    }
    for (size_t c = 0; c < width; ++c)
        memcpy(data->columns[column_find(data, ht_columns_name(columns, c))].values + before,
               values + c * count, count * sizeof *values);
    free(values);
}

bool ht_time_data_add(ht_time_data *data, const ht_columns *columns, const char *device,
                      const ht_config *configs, const double *costs, size_t count) {
    size_t successes = 0;
    for (size_t i = 0; i < count; ++i)
        successes += isfinite(costs[i]) && costs[i] > 0;
    if (successes < SUCCESSES_LEAST)
        return false;
    rows_add(data, columns, configs, count);
    data->costs = ht_realloc(data->costs, data->row_count + count, sizeof *data->costs);
    for (size_t i = 0; i < count; ++i)
        data->costs[data->row_count + i] = isfinite(costs[i]) && costs[i] > 0 ? costs[i] : INFINITY;
    HT_GROW(data->jobs, data->job_count);
    data->jobs[data->job_count++] =
        (ht_time_job){data->row_count, count, device_find(data, device)};
    data->row_count += count;
    return true;
}

void ht_time_data_free(ht_time_data *data) {
    for (size_t c = 0; c < data->column_count; ++c) {
        free(data->columns[c].name);
        free(data->columns[c].values);
    }
    for (size_t d = 0; d < data->device_count; ++d)
        free(data->devices[d]);
    free(data->columns);
    free(data->devices);
    free(data->costs);
    free(data->jobs);
    *data = (ht_time_data){0};
}

void ht_time_targets(const double *costs, size_t count, float *out_targets, float *out_weights) {
    double best = INFINITY, slowest = 0;
    for (size_t i = 0; i < count; ++i)
        best = fmin(best, costs[i]);
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(costs[i]))
            continue;
        double above = log(costs[i] / best);
        above = above > CLIP ? CLIP * (1 + log(above / CLIP)) : above;
        slowest = fmax(slowest, above);
        out_targets[i] = (float)above;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(costs[i]))
            out_targets[i] = (float)(slowest + FAILED);
        out_weights[i] = (float)fmax(WEIGHT_LEAST, exp(-fmax(0, (double)out_targets[i]) / FADE));
    }
}
