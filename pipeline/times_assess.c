#include "pipeline/times_assess.h"

#include "base/memory.h"
#include "pipeline/times_job.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10, RESAMPLES = 2000 };
const size_t ht_times_at[HT_TIMES_AT] = {1, 5, MOST};

/* The jobs so far: of each what the first choices reach, and whether the best is among them. */
typedef struct reached {
    double *of[HT_TIMES_AT];
    size_t exact[HT_TIMES_AT];
    size_t count, evaluations;
} reached;

static double cost_of(const ht_config *config, const ht_config *configs, const double *costs,
                      size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (ht_config_equal(config, &configs[i]))
            return costs[i];
    return INFINITY;
}

static void job_score(reached *to, const ht_time_choice *choices, size_t found,
                      const ht_config *configs, const double *costs, size_t count) {
    double best = INFINITY;
    for (size_t i = 0; i < count; ++i)
        best = fmin(best, costs[i]);
    for (size_t a = 0; a < HT_TIMES_AT; ++a) {
        double own = INFINITY;
        for (size_t c = 0; c < ht_times_at[a] && c < found; ++c)
            own = fmin(own, cost_of(&choices[c].config, configs, costs, count));
        to->of[a] = ht_grow(to->of[a], to->count, sizeof *to->of[a]);
        to->of[a][to->count] = isfinite(own) ? best / own : 0;
        to->exact[a] += own <= best;
    }
    ++to->count;
    to->evaluations += count;
}

/* A model next to a database. */
typedef struct asking {
    const ht_time_model *model;
    const ht_template *template;
    const ht_device *device;
    size_t least;
} asking;

static void job_ask(const asking *ask, const ht_database_earlier_run *run, reached *to) {
    ht_times_job job;
    ht_time_choice choices[MOST];
    if (!ht_times_job_open(ask->template, ask->device, run, &job))
        return;
    bool seen = ht_time_model_knows(ask->model, run->device);
    size_t found = job.count < ask->least
                       ? 0
                       : ht_time_model_choose_among(ask->model, job.columns, job.configs, job.count,
                                                    seen, MOST, choices);
    if (found)
        job_score(to, choices, found, job.configs, job.costs, job.count);
    ht_times_job_close(&job);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the mean of values drawn with replacement. */
static double mean_drawn(const double *values, size_t count, ht_random *random) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += values[ht_random_below(random, count)];
    return sum / (double)count;
}

static ht_times_reached summary(double *values, size_t count, size_t exact) {
    ht_times_reached out = {.exact = ht_share_of((double)exact / (double)count, count)};
    double *means = ht_alloc(RESAMPLES, sizeof *means);
    ht_random random;
    ht_random_seed(&random, 1);
    for (size_t i = 0; i < count; ++i)
        out.mean += values[i] / (double)count;
    for (size_t r = 0; r < RESAMPLES; ++r)
        means[r] = mean_drawn(values, count, &random);
    qsort(means, RESAMPLES, sizeof *means, by_size);
    qsort(values, count, sizeof *values, by_size);
    out.lo = means[RESAMPLES / 40];
    out.hi = means[RESAMPLES - 1 - RESAMPLES / 40];
    out.low = values[count / 10];
    free(means);
    return out;
}

ht_status ht_times_assess(const ht_time_model *model, const ht_template *template,
                          const ht_device *device, const char *database, size_t least,
                          ht_times_assessment *out_assessment, ht_error *error) {
    const asking ask = {model, template, device, least};
    ht_database_earlier jobs;
    reached to = {0};
    *out_assessment = (ht_times_assessment){0};
    ht_status status =
        ht_times_jobs(database, template->name, ht_time_model_facts(model)->code, &jobs, error);
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < jobs.count; ++i)
        job_ask(&ask, &jobs.runs[i], &to);
    ht_database_earlier_free(&jobs);
    if (to.count == 0)
        return ht_error_set_at(error, HT_ERROR_INPUT, database, 0, 0,
                               "has no problem of %s with %zu configurations that were tried",
                               template->name, least);
    out_assessment->jobs = to.count;
    out_assessment->evaluations = to.evaluations;
    for (size_t a = 0; a < HT_TIMES_AT; ++a) {
        out_assessment->at[a] = summary(to.of[a], to.count, to.exact[a]);
        free(to.of[a]);
    }
    return HT_OK;
}
