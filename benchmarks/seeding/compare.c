#include "benchmarks/seeding/compare.h"

#include "benchmarks/timing_job.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "runtime/measure/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_COUNT = 4 };
static const size_t at_evaluations[AT_COUNT] = {5, 10, 20, 40};
const double ht_seeded_near_best = 1.05;
static const double CONFIDENCE = 0.95;

/* Sums over problems and repeats. */
typedef struct totals {
    double *needed[HT_WAYS]; /* [problems]: mean over repeats */
    size_t searches, reached[HT_WAYS];
    double log_ratio[HT_WAYS][AT_COUNT]; /* best so far over best known */
} totals;

/* Returns the evaluations until one is within 5 % of `best`; one more than there were when none
 * is. */
static size_t needed(const ht_seeded_search *search, double best) {
    size_t i = 0;
    while (i < search->count && search->costs[i] > best * ht_seeded_near_best)
        ++i;
    return i + 1;
}

static void search_count(const ht_seeded_setup *setup, const ht_seeded_search *search,
                         ht_seeded_way way, double best, totals *totals, double *out_needed) {
    size_t n = needed(search, best);
    *out_needed += (double)n / (double)setup->repeats;
    totals->reached[way] += n <= search->count;
    for (size_t at = 0; at < AT_COUNT; ++at)
        totals->log_ratio[way][at] += log(ht_seeded_search_best(search, at_evaluations[at]) / best);
}

static void problem_compare(const ht_seeded_setup *setup, const ht_seeded_knowledge *knowledge,
                            size_t problem, const char *folder, FILE *lines, totals *totals) {
    static ht_seeded_search found[HT_WAYS][HT_SEEDED_REPEATS];
    char *path = ht_format("%s/problem-%zu.sqlite", folder, problem + 1);
    ht_seeded_run run;
    ht_seeded_begin(&run, setup, problem, path);
    free(path);
    double best = ht_seeded_best(&run);
    for (size_t r = 0; r < setup->repeats; ++r) {
        for (size_t way = 0; way < HT_WAYS; ++way) {
            ht_seeded_way_search(knowledge, &run, (ht_seeded_way)way, r + 1, &found[way][r]);
            best = fmin(best, ht_seeded_search_best(&found[way][r], HT_SEEDED_EVALS));
        }
    }
    printf("%-52.52s %9.4g", setup->problems[problem], best);
    fprintf(lines, "%s\t%s", ht_seeded_template(setup)->name, setup->problems[problem]);
    for (size_t way = 0; way < HT_WAYS; ++way) {
        double *mean = &totals->needed[way][problem];
        for (size_t r = 0; r < setup->repeats; ++r)
            search_count(setup, &found[way][r], (ht_seeded_way)way, best, totals, mean);
        printf(" %9.1f", *mean);
        fprintf(lines, "\t%.6g", *mean);
    }
    printf("\n");
    /* The problem's share of what was spent on learning. */
    fprintf(lines, "\t%.6g\n", (double)knowledge->evaluations / (double)setup->problem_count);
    totals->searches += setup->repeats;
    ht_seeded_end(&run);
}

static double mean_of(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += values[i] / (double)count;
    return sum;
}

static void totals_print(const ht_seeded_setup *setup, const totals *totals) {
    printf("\n%-10s %10s %8s %8s   best so far / best known (geometric mean) after", "",
           "reached %", "mean", "median");
    for (size_t at = 0; at < AT_COUNT; ++at)
        printf(" %zu", at_evaluations[at]);
    printf("\n");
    for (size_t way = 0; way < HT_WAYS; ++way) {
        double count = (double)totals->searches;
        printf("%-10s %10.1f %8.1f %8.1f  ", ht_seeded_way_names[way],
               100 * (double)totals->reached[way] / count,
               mean_of(totals->needed[way], setup->problem_count),
               ht_stats_median(totals->needed[way], setup->problem_count));
        for (size_t at = 0; at < AT_COUNT; ++at)
            printf(" %.3f", exp(totals->log_ratio[way][at] / count));
        printf("\n");
    }
}

/* Returns the probability of a mean difference at least as large if the sign of each problem's were
 * drawn by lot (Fisher 1935), from random draws. */
static double flip_test(const double *ours, const double *theirs, size_t count) {
    enum { DRAWS = 100000 };
    double seen = fabs(mean_of(ours, count) - mean_of(theirs, count)) * (double)count;
    size_t as_large = 1;
    ht_random random;
    ht_random_seed(&random, 1);
    for (size_t d = 0; d < DRAWS; ++d) {
        double sum = 0;
        for (size_t i = 0; i < count; ++i)
            sum += ht_random_next(&random) & 1 ? ours[i] - theirs[i] : theirs[i] - ours[i];
        as_large += fabs(sum) >= seen - 1e-9;
    }
    return (double)as_large / (DRAWS + 1);
}

/* Prints how many evaluations one way needs next to another: the ratio of the means with its
 * probability by flipped signs, the centre of the problems' ratios with the interval that inverts
 * Wilcoxon's signed-rank test, and after how many problems training has paid. */
static void pair_print(const double *ours, const double *theirs, size_t count, const char *name,
                       const char *other, double trained) {
    ht_interval ratio = ht_stats_paired_ratio(ours, theirs, count, CONFIDENCE);
    double mine = mean_of(ours, count), its = mean_of(theirs, count);
    printf("  %-9s / %-9s %6.1f / %5.1f = %.2f (p = %.4f); centre %.2f [%.2f, %.2f]", name, other,
           mine, its, mine / its, flip_test(ours, theirs, count), ratio.median, ratio.lo, ratio.hi);
    if (trained > 0 && its > mine)
        printf("; training paid after %.0f problems", ceil(trained / (its - mine)));
    printf("\n");
}

static const struct {
    ht_seeded_way ours, theirs;
} pairs[] = {{HT_WAY_MODEL, HT_WAY_PORTFOLIO},   {HT_WAY_MODEL, HT_WAY_NEAREST},
             {HT_WAY_MODEL, HT_WAY_RANDOM},      {HT_WAY_TIMES, HT_WAY_PORTFOLIO},
             {HT_WAY_TIMES, HT_WAY_NEAREST},     {HT_WAY_TIMES, HT_WAY_RANDOM},
             {HT_WAY_NEAREST, HT_WAY_PORTFOLIO}, {HT_WAY_RANDOM, HT_WAY_UNSEEDED},
             {HT_WAY_LEARNT, HT_WAY_TUNE},       {HT_WAY_TUNE, HT_WAY_UNSEEDED}};

static void pairs_print(double *const *needed_by, size_t count, double trained) {
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        ht_seeded_way ours = pairs[i].ours, theirs = pairs[i].theirs;
        bool learns = theirs == HT_WAY_RANDOM || theirs == HT_WAY_UNSEEDED;
        pair_print(needed_by[ours], needed_by[theirs], count, ht_seeded_way_names[ours],
                   ht_seeded_way_names[theirs], learns && ours != HT_WAY_RANDOM ? trained : 0);
    }
}

void ht_seeded_compare(const ht_seeded_setup *setup, const ht_seeded_knowledge *knowledge,
                       const char *folder, const char *lines) {
    totals totals = {0};
    FILE *file = fopen(lines ? lines : "/dev/null", "a");
    if (!file) {
        fprintf(stderr, "seeded_tuning: %s: cannot be written\n", lines);
        exit(1);
    }
    for (size_t way = 0; way < HT_WAYS; ++way)
        totals.needed[way] = ht_alloc(setup->problem_count + 1, sizeof(double));
    printf("%s, %s; %zu evaluations, %zu repeats, %zu seeds; trained on %zu evaluations\n%-52s %9s",
           ht_seeded_template(setup)->name, setup->device_text, setup->evals, setup->repeats,
           setup->seeds, knowledge->evaluations, "problem", "best");
    for (size_t way = 0; way < HT_WAYS; ++way)
        printf(" %9s", ht_seeded_way_names[way]);
    printf("\n");
    for (size_t p = 0; p < setup->problem_count; ++p)
        problem_compare(setup, knowledge, p, folder, file, &totals);
    totals_print(setup, &totals);
    printf("Evaluations to come within 5 %% of the best known; a search that never does counts as "
           "one more than the %zu it had.\n",
           setup->evals);
    pairs_print(totals.needed, setup->problem_count, (double)knowledge->evaluations);
    for (size_t way = 0; way < HT_WAYS; ++way)
        free(totals.needed[way]);
    fclose(file);
}

/* Prints what each way needs with the evaluations that were spent on learning, spread over the
 * problems that were tuned with what was learnt, next to one that learnt nothing. */
static void spent_print(double *const *needed_by, const double *spent, size_t count) {
    double *with = ht_alloc(count, sizeof *with);
    printf("  with the evaluations spent on learning, %.1f a problem:\n", mean_of(spent, count));
    for (size_t way = HT_WAY_PORTFOLIO; way < HT_WAYS; ++way) {
        for (size_t i = 0; i < count; ++i)
            with[i] = needed_by[way][i] + spent[i];
        pair_print(with, needed_by[HT_WAY_UNSEEDED], count, ht_seeded_way_names[way],
                   ht_seeded_way_names[HT_WAY_UNSEEDED], 0);
    }
    free(with);
}

void ht_seeded_summary(const char *lines) {
    double *needed_by[HT_WAYS] = {0}, *spent = NULL;
    size_t count = 0;
    char *text = NULL, *rest = NULL;
    ht_error error = {0};
    bench_check(ht_file_read(lines, 0, &text, NULL, &error), &error);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *at = strchr(line, '\t');
        at = at ? strchr(at + 1, '\t') : NULL;
        for (size_t way = 0; way < HT_WAYS && at; ++way) {
            needed_by[way] = ht_grow(needed_by[way], count, sizeof(double));
            needed_by[way][count] = strtod(at + 1, &at);
        }
        if (!at)
            continue;
        spent = ht_grow(spent, count, sizeof *spent);
        spent[count++] = strtod(at, &at);
    }
    printf("%zu problems\n", count);
    for (size_t way = 0; way < HT_WAYS && count; ++way)
        printf("  %-10s mean %.1f, median %.1f\n", ht_seeded_way_names[way],
               mean_of(needed_by[way], count), ht_stats_median(needed_by[way], count));
    if (count) {
        pairs_print(needed_by, count, 0);
        spent_print(needed_by, spent, count);
    }
    for (size_t way = 0; way < HT_WAYS; ++way)
        free(needed_by[way]);
    free(spent);
    free(text);
}
