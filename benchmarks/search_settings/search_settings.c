/* The results of the settings of `auto` on recorded tuning runs, and the settings that would be
 * chosen without the run that they are judged on.
 *
 *   search_settings FOLDER [NAME=VALUE...]           one table: a row for each recorded run
 *   search_settings FOLDER bars [NAME=VALUE...]      means over the runs: alone, in batches, with
 *                                                    sources that help and sources that mislead
 *   search_settings FOLDER misled [NAME=VALUE...]    sources that mislead against none, search by
 *                                                    search of the same seeds, with intervals
 *   search_settings FOLDER choose [NAME=VALUE...]    each alternative below, leaving one GPU out
 *                                                    and leaving one kernel out
 *
 * FOLDER has a folder for each kernel, with its space (T1.json) and its runs (*.json.gz). Names:
 * repeats, evals, batch, seed, draws (seeds from `seed` on, with `repeats` searches each), seeds
 * (of the other GPUs; 0: none), worst (1: their worst), facts (0: without those of launches),
 * sources (of the search: full, the other GPUs' runs; worst, the worst of each; kernel, another
 * kernel's run; noise), only (runs whose KERNEL/DEVICE has this text), source_evals (evaluations of
 * each, drawn; 0: all), threads, strategy, and the settings of search/bayes.h.
 */
#include "benchmarks/search_settings/bars.h"
#include "benchmarks/search_settings/misled.h"

#include <stdio.h>
#include <string.h>

static void row_print(const char *kernel, const char *device, const result *result) {
    printf("%-20s %-18s", kernel, device);
    for (int a = 0; a < AT_COUNT; ++a)
        printf(" %.3f +-%.3f (%.3f)", result->share[a], result->error[a], result->tenth[a]);
    printf("  %6.3f  %6.3f\n", result->performance, result->overhead);
    fflush(stdout);
}

static void table(const trial *trial) {
    result results[RUNS_MAX];
    printf("%-39s", "optimum / best (10th percentile) after");
    for (int a = 0; a < AT_COUNT; ++a)
        printf(" %20d", (int)measured_at[a]);
    printf("       P  ms/eval\n");
    for (size_t i = 0; i < run_count; ++i) {
        results[i] = run_measure(&runs[i], trial);
        if (results[i].valid)
            row_print(runs[i].kernel, runs[i].device, &results[i]);
    }
    result convolutions = results_mean(results, is_convolution);
    result others = results_mean(results, is_other_kernel), all = results_mean(results, is_any);
    row_print("mean", "convolutions", &convolutions);
    row_print("mean", "others", &others);
    row_print("mean", "all", &all);
}

/* The alternatives to the defaults, one change each. */
static const char *const alternatives[] = {
    "design=10",     "design=7",          "design=14",
    "spread=1",      "spread=10",         "clip=0",
    "clip=2",        "clip=0.5",          "features=1",
    "features=17",   "features=19",       "features=21",
    "features=23",   "length_spread=0.6", "length_spread=2",
    "size=0",        "size=1.2",          "divisibility=0.6",
    "term=0",        "term=1.2",          "term_divisibility=0.6",
    "choice=0.3",    "choice=2",          "noise=-4",
    "refit_share=0", "refit_share=0.3",   "fit_points=60",
};
enum { ALTERNATIVES = sizeof alternatives / sizeof *alternatives };

/* Returns one number for a row: the mean of what was found after 25, 50, 100 and 200. */
static double worth(const result *result) {
    return (result->share[1] + result->share[2] + result->share[3] + result->share[4]) / 4;
}

/* Returns the alternative that is best in the mean over the runs that do not share `text` with the
 * run. */
static size_t chosen_without(result (*results)[RUNS_MAX], const run *left, bool by_kernel) {
    size_t best = 0;
    double highest = -1;
    for (size_t a = 0; a < ALTERNATIVES; ++a) {
        double sum = 0;
        for (size_t i = 0; i < run_count; ++i) {
            bool same = by_kernel ? !strncmp(runs[i].kernel, left->kernel, 8)
                                  : !strcmp(runs[i].device, left->device);
            sum += same ? 0 : worth(&results[a][i]);
        }
        if (sum > highest) {
            highest = sum;
            best = a;
        }
    }
    return best;
}

static void left_out(result (*results)[RUNS_MAX], bool by_kernel) {
    result judged[RUNS_MAX];
    printf("\nchosen leaving one %s out\n", by_kernel ? "kernel" : "GPU");
    for (size_t i = 0; i < run_count; ++i) {
        size_t choice = chosen_without(results, &runs[i], by_kernel);
        judged[i] = results[choice][i];
        printf("%-20s %-18s %s\n", runs[i].kernel, runs[i].device, alternatives[choice]);
    }
    result convolutions = results_mean(judged, is_convolution), all = results_mean(judged, is_any);
    row_print("mean", "convolutions", &convolutions);
    row_print("mean", "all", &all);
}

static void choose(const trial *base) {
    static result results[ALTERNATIVES][RUNS_MAX];
    for (size_t a = 0; a < ALTERNATIVES; ++a) {
        trial trial = *base;
        trial_set(&trial, alternatives[a]);
        for (size_t i = 0; i < run_count; ++i)
            results[a][i] = run_measure(&runs[i], &trial);
        result convolutions = results_mean(results[a], is_convolution),
               all = results_mean(results[a], is_any);
        row_print(alternatives[a], "convolutions", &convolutions);
        row_print("", "all", &all);
    }
    left_out(results, false);
    left_out(results, true);
}

int main(int argc, char **argv) {
    trial trial = {.bayes = ht_bayes_defaults,
                   .repeats = 20,
                   .draws = 1,
                   .threads = 2,
                   .evals = 200,
                   .batch = 1,
                   .facts = 1,
                   .strategy = "auto"};
    const char *mode = argc > 2 && !strchr(argv[2], '=') ? argv[2] : "table";
    bool given = argc > 2 && mode == argv[2];
    if (argc < 2 || (given && strcmp(mode, "choose") != 0 && strcmp(mode, "bars") != 0 &&
                     strcmp(mode, "misled") != 0)) {
        fprintf(stderr, "usage: search_settings FOLDER [choose|bars|misled] [NAME=VALUE...]\n");
        return 2;
    }
    for (int i = 2 + given; i < argc; ++i)
        if (!trial_set(&trial, argv[i])) {
            fprintf(stderr, "search_settings: unknown setting '%s'\n", argv[i]);
            return 2;
        }
    runs_load(argv[1]);
    if (!strcmp(mode, "choose"))
        choose(&trial);
    else if (!strcmp(mode, "bars"))
        bars_print(&trial);
    else if (!strcmp(mode, "misled"))
        misled_print(&trial);
    else
        table(&trial);
    return 0;
}
