/* How good the choices of members are on what they left out. */
#include "predictor/times/time_internal.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A job that a member left out, with what it says of it. */
typedef struct left {
    const ht_time_model *model;
    const ht_time_table *table;
    const ht_time_job *job;
    float *logs;
} left;

static void left_ask(left *left, size_t member) {
    size_t inputs = left->model->input_count;
    const uint8_t **columns = ht_alloc(inputs + 1, sizeof *columns);
    for (size_t c = 0; c < inputs; ++c)
        columns[c] = left->table->columns[c] + left->job->first;
    left->logs = ht_alloc(left->job->count + 1, sizeof *left->logs);
    memcpy(left->logs, left->table->lanes + left->job->first,
           left->job->count * sizeof *left->logs);
    ht_boost_add(left->model->members[member], columns, left->job->count, left->logs);
    free(columns);
}

/* Returns the best time over that of the first choice. */
static double efficiency_of(const left *left) {
    const double *costs = left->table->data->costs + left->job->first;
    size_t first = 0;
    double best = INFINITY;
    for (size_t i = 0; i < left->job->count; ++i) {
        first = left->logs[i] < left->logs[first] ? i : first;
        best = fmin(best, costs[i]);
    }
    return isfinite(costs[first]) ? best / costs[first] : 0;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static ht_time_check check_of(double *found, size_t count) {
    ht_time_check check = {.jobs = count};
    for (size_t i = 0; i < count; ++i)
        check.mean += found[i] / (double)count;
    if (count) {
        qsort(found, count, sizeof *found, by_size);
        check.low = found[count / 10];
    }
    return check;
}

static ht_time_check kind_check(ht_time_model *model, const ht_time_table *table,
                                ht_time_left_out kind) {
    const ht_time_data *data = table->data;
    double *found = ht_alloc(data->job_count * model->member_count + 1, sizeof *found);
    size_t count = 0;
    for (size_t m = 0; m < model->member_count; ++m) {
        for (size_t j = 0; j < data->job_count; ++j) {
            if (ht_time_left_of(data, m) != kind ||
                !ht_time_leaves_out(data, model->member_count, m, j))
                continue;
            left left = {.model = model, .table = table, .job = &data->jobs[j]};
            left_ask(&left, m);
            found[count++] = efficiency_of(&left);
            free(left.logs);
        }
    }
    ht_time_check check = check_of(found, count);
    free(found);
    return check;
}

void ht_time_model_check(ht_time_model *model, const ht_time_table *table) {
    model->facts.problems = kind_check(model, table, HT_LEFT_PROBLEMS);
    model->facts.machines = kind_check(model, table, HT_LEFT_MACHINES);
}
