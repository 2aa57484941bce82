#include "benchmarks/search_settings/bars.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A way to search, by words for trial_set. */
typedef struct way {
    const char *name;
    const char *words[3];
} way;

static const way ways[] = {
    {"in batches of 32", {"batch=32"}},
    {"sources: the other GPUs' runs", {"sources=full"}},
    {"sources: 200 evaluations of each", {"sources=full", "source_evals=200"}},
    {"sources: the 200 slowest of each", {"sources=worst", "source_evals=200"}},
    {"sources: another kernel's run", {"sources=kernel"}},
    {"sources: noise", {"sources=noise"}},
};

enum { WAYS = sizeof ways / sizeof *ways, UNTIL = 100 };

static void line_begin(const char *name, const char *of) {
    printf("| %s | %s |", name, of);
}

/* `until`: evaluations of the searches. */
static void cells_print(const result *result, uint64_t until) {
    for (int a = 0; a < AT_COUNT; ++a)
        if (measured_at[a] <= until)
            printf(" %.3f ± %.3f (%.3f) |", result->share[a], result->error[a], result->tenth[a]);
        else
            printf(" |");
    printf(" %.2f |\n", result->overhead);
    fflush(stdout);
}

static void means_print(const char *name, const result *results, uint64_t until) {
    static const struct {
        const char *name;
        run_filter *filter;
    } means[] = {{"convolutions", is_convolution}, {"others", is_other_kernel}, {"all", is_any}};
    for (size_t m = 0; m < sizeof means / sizeof *means; ++m) {
        result mean = results_mean(results, means[m].filter);
        if (!mean.valid)
            continue;
        line_begin(name, means[m].name);
        cells_print(&mean, until);
    }
}

static void measure(const trial *trial, result *out_results) {
    for (size_t i = 0; i < run_count; ++i)
        out_results[i] = run_measure(&runs[i], trial);
}

/* Prints by how much searches are better than those alone: in the mean over all runs that have
 * both, and on the run that loses most. */
static void differences_print(const char *name, const result *alone, const result *results) {
    char losers[AT_COUNT][160];
    printf("| %s |", name);
    for (int a = 0; a < AT_COUNT && measured_at[a] <= UNTIL; ++a) {
        double sum = 0, squares = 0, lowest = INFINITY, count = 0;
        for (size_t i = 0; i < run_count; ++i) {
            if (!results[i].valid)
                continue;
            double gain = results[i].share[a] - alone[i].share[a];
            double error = hypot(results[i].error[a], alone[i].error[a]);
            sum += gain;
            squares += error * error;
            ++count;
            if (gain >= lowest)
                continue;
            lowest = gain;
            snprintf(losers[a], sizeof losers[a], "%+.3f ± %.3f, %.60s %.60s", gain, error,
                     runs[i].kernel, runs[i].device);
        }
        printf(" %+.3f ± %.3f (%s) |", sum / count, sqrt(squares) / count, losers[a]);
    }
    printf("\n");
}

static void way_measure(const way *way, const trial *given, result *out_results) {
    trial trial = *given;
    for (size_t w = 0; w < sizeof way->words / sizeof *way->words && way->words[w]; ++w)
        trial_set(&trial, way->words[w]);
    trial.evals = UNTIL;
    measure(&trial, out_results);
    means_print(way->name, out_results, UNTIL);
}

static void head_print(const char *first, uint64_t until, const char *last) {
    int columns = 0;
    printf("%s", first);
    for (; columns < AT_COUNT && measured_at[columns] <= until; ++columns)
        printf(" %d |", (int)measured_at[columns]);
    printf("%s\n|---|", last);
    for (const char *at = first + 1; *at; ++at)
        columns += *at == '|';
    for (columns += *last != '\0'; columns > 1; --columns)
        printf("---|");
    printf("\n");
}

void bars_print(const trial *trial) {
    static result alone[RUNS_MAX], results[WAYS][RUNS_MAX];
    head_print("| searches | runs |", 200, " ms an evaluation |");
    measure(trial, alone);
    for (size_t i = 0; i < run_count; ++i) {
        line_begin(runs[i].kernel, runs[i].device);
        cells_print(&alone[i], (uint64_t)trial->evals);
    }
    means_print("alone", alone, (uint64_t)trial->evals);
    for (size_t w = 0; w < WAYS; ++w)
        way_measure(&ways[w], trial, results[w]);
    printf("\nLess a search alone; in brackets the run that loses most:\n\n");
    head_print("| searches |", UNTIL, "");
    for (size_t w = 0; w < WAYS; ++w)
        differences_print(ways[w].name, alone, results[w]);
}
