#include "benchmarks/search_settings/misled.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A kind of source that misleads, as trial_set takes it. */
typedef struct misleading {
    const char *name;
    const char *sources, *evaluations;
} misleading;

static const misleading kinds[] = {
    {"the 200 slowest of each", "sources=worst", "source_evals=200"},
    {"another kernel's run", "sources=kernel", "source_evals=0"},
    {"noise", "sources=noise", "source_evals=0"},
};

enum { KINDS = sizeof kinds / sizeof *kinds, UNTIL = 100 };
static const double NORMAL = 1.96; /* 95 % */

/* The mean of differences of pairs, and its standard error. */
typedef struct difference {
    double mean[AT_COUNT], error[AT_COUNT];
    bool valid;
} difference;

static double share_at(const run *run, const ht_replay_trace *trace, uint64_t evaluations) {
    size_t done = evaluations < trace->count ? (size_t)evaluations : trace->count;
    return done ? run->score.optimum / trace->best[done - 1] : 0;
}

static difference differences_of(const run *run, const ht_replay_trace *alone,
                                 const ht_replay_trace *with, size_t count) {
    difference all = {.valid = true};
    for (int a = 0; a < AT_COUNT; ++a) {
        double sum = 0, squares = 0, n = (double)count;
        for (size_t i = 0; i < count; ++i) {
            double apart =
                share_at(run, &with[i], measured_at[a]) - share_at(run, &alone[i], measured_at[a]);
            sum += apart;
            squares += apart * apart;
        }
        all.mean[a] = sum / n;
        all.error[a] = sqrt(fmax(0, squares - sum * sum / n) / (n - 1) / n);
    }
    return all;
}

static void row_print(const char *first, const char *second, const difference *row) {
    printf("| %s | %s |", first, second);
    for (int a = 0; a < AT_COUNT && measured_at[a] <= UNTIL; ++a)
        printf(" %+.3f ± %.3f |", row->mean[a], NORMAL * row->error[a]);
    printf("\n");
    fflush(stdout);
}

static void traces_free(ht_replay_trace *traces, size_t count) {
    for (size_t i = 0; i < count; ++i)
        ht_replay_trace_free(&traces[i]);
}

/* Measures one run with all kinds: results[kind]. */
static void run_compare(const run *run, const trial *given, difference *out_results) {
    trial trial = *given;
    size_t all = (size_t)trial.repeats * (size_t)trial.draws;
    ht_replay_trace *alone = ht_alloc(all + 1, sizeof *alone), *with = ht_alloc(all, sizeof *with);
    char name[sizeof run->kernel + sizeof run->device + 2];
    snprintf(name, sizeof name, "%s, %s", run->kernel, run->device);
    trial.evals = UNTIL;
    trial.sources = NULL;
    run_searches(run, &trial, alone);
    for (size_t k = 0; k < KINDS; ++k) {
        trial_set(&trial, kinds[k].sources);
        trial_set(&trial, kinds[k].evaluations);
        if (!run_searches(run, &trial, with))
            continue;
        out_results[k] = differences_of(run, alone, with, all);
        row_print(kinds[k].name, name, &out_results[k]);
        traces_free(with, all);
    }
    traces_free(alone, all);
    free(alone);
    free(with);
}

/* Prints the mean over the runs that have this kind; its error is that of these very runs. */
static void mean_print(const char *kind, const difference *results) {
    difference mean = {0};
    char runs_text[48];
    size_t count = 0;
    for (size_t r = 0; r < run_count; ++r) {
        if (!results[r].valid)
            continue;
        ++count;
        for (int a = 0; a < AT_COUNT; ++a) {
            mean.mean[a] += results[r].mean[a];
            mean.error[a] = hypot(mean.error[a], results[r].error[a]);
        }
    }
    for (int a = 0; a < AT_COUNT && count; ++a) {
        mean.mean[a] /= (double)count;
        mean.error[a] /= (double)count;
    }
    snprintf(runs_text, sizeof runs_text, "**mean of %zu**", count);
    if (count)
        row_print(kind, runs_text, &mean);
}

void misled_print(const trial *trial) {
    static difference results[RUNS_MAX][KINDS], by_kind[RUNS_MAX];
    printf("| source | run |");
    for (int a = 0; a < AT_COUNT && measured_at[a] <= UNTIL; ++a)
        printf(" %d |", (int)measured_at[a]);
    printf("\n|---|---|---|---|---|---|\n");
    for (size_t r = 0; r < run_count; ++r)
        if (run_wanted(&runs[r], trial))
            run_compare(&runs[r], trial, results[r]);
    for (size_t k = 0; k < KINDS; ++k) {
        for (size_t r = 0; r < run_count; ++r)
            by_kind[r] = results[r][k];
        mean_print(kinds[k].name, by_kind);
    }
}
