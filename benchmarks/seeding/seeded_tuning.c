/* The evaluations that knowledge of other problems saves. Tunes a template for problems that
 * nothing was learnt from, beginning in different ways (ways.h): from the default configuration
 * alone, from random configurations, from a constant portfolio, from what was best on the nearest
 * problems in the database, from the proposals of a sequence model and of a model of time; and
 * counts the evaluations that each needs to come within 5 % of the best time known of that problem.
 *
 *   seeded_tuning predict TEMPLATE PROBLEMS TABLES device=model:NAME [blocks=N]
 *       predicts the times of all legal configurations of each problem (a line "N=1 C=16 ..." each)
 *       into the database TABLES
 *   seeded_tuning collect TEMPLATE PROBLEMS DB [NAME=VALUE...]
 *       tunes each problem and keeps what it finds in DB, to train on:
 *       hiptemper train --db DB --template TEMPLATE --out MODEL
 *   seeded_tuning compare TEMPLATE PROBLEMS MODEL DB FOLDER [NAME=VALUE...]
 *       the comparison; DB is that of the training problems. FOLDER keeps the measurements: those
 *       that are there are not made again, so a stopped run resumes, and all ways of searching find
 *       the same time for the same configuration.
 *   seeded_tuning hard TEMPLATE PROBLEMS device=model:NAME tables=TABLES [NAME=VALUE...]
 *       prints the first problems of which few configurations are within 5 % of the best
 *   seeded_tuning summary LINES
 *       the tests over all that runs of compare have written to the file LINES
 *
 * Names: evals (45), repeats (1; searches with different seeds), seeds (10; of each way), device
 * (host), tables (a database of predicted times, for device=model:NAME: nothing is measured),
 * blocks (4; followed of a launch), cross (1: with tables, each problem's best configuration is
 * tried on all other problems), lines (a file that gets a line for each problem compared), count
 * (10; problems that `hard` prints at most), percent (7; of configurations near the best that it
 * allows). */
#include "benchmarks/timing_job.h"

#include "base/file.h"
#include "base/memory.h"
#include "benchmarks/seeding/compare.h"
#include "benchmarks/seeding/predicted.h"
#include "pipeline/times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLLECT_NEAREST = 5 };

typedef struct names {
    size_t evals, repeats, seeds, blocks, cross, count, percent;
    const char *device, *tables, *lines;
} names;

static bool text_take(names *names, const char *argument) {
    const struct {
        const char *name;
        const char **value;
    } known[] = {
        {"device=", &names->device}, {"tables=", &names->tables}, {"lines=", &names->lines}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (strncmp(argument, known[i].name, strlen(known[i].name)) != 0)
            continue;
        *known[i].value = argument + strlen(known[i].name);
        return true;
    }
    return false;
}

static bool number_take(names *names, const char *argument) {
    const struct {
        const char *name;
        size_t *value, most;
    } known[] = {{"evals", &names->evals, HT_SEEDED_EVALS},
                 {"repeats", &names->repeats, HT_SEEDED_REPEATS},
                 {"seeds", &names->seeds, HT_SEEDED_SEEDS - 2 * COLLECT_NEAREST},
                 {"blocks", &names->blocks, 1000},
                 {"cross", &names->cross, 1},
                 {"count", &names->count, 1000},
                 {"percent", &names->percent, 100}};
    size_t length = strcspn(argument, "=");
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (strncmp(known[i].name, argument, length) != 0 || known[i].name[length] ||
            argument[length] != '=')
            continue;
        *known[i].value = strtoul(argument + length + 1, NULL, 10);
        return *known[i].value > 0 && *known[i].value <= known[i].most;
    }
    return false;
}

static void names_read(names *names, int argc, char **argv, int first) {
    for (int i = first; i < argc; ++i) {
        if (text_take(names, argv[i]) || number_take(names, argv[i]))
            continue;
        fprintf(stderr, "seeded_tuning: '%s'?\n", argv[i]);
        exit(2);
    }
}

/* Returns true if the problem is in the database, with as many evaluations. */
static bool collected(const ht_seeded_setup *setup, const char *database, size_t problem) {
    ht_database_earlier jobs = {0};
    ht_error error = {0};
    bool done = false;
    if (!ht_file_exists(database))
        return false;
    char *text = ht_seeded_problem(setup, problem);
    bench_check(
        ht_times_jobs(database, ht_seeded_template(setup)->name, setup->code, &jobs, &error),
        &error);
    for (size_t i = 0; i < jobs.count; ++i)
        done |= strcmp(jobs.runs[i].problem, text) == 0 && jobs.runs[i].count >= setup->evals;
    ht_database_earlier_free(&jobs);
    free(text);
    return done;
}

/* Keeps what a table answered, as a job keeps what it measures. */
static void cost_keep(const ht_seeded_run *run, ht_database *database, const ht_config *config,
                      double cost) {
    ht_evaluation evaluation = {.config = ht_config_string(run->binding.template, config),
                                .status = isfinite(cost) ? HT_OK : HT_ERROR_LAUNCH,
                                .reason = isfinite(cost) ? NULL : (char *)"not predicted",
                                .cost = isfinite(cost) ? cost : 0,
                                .samples = &cost,
                                .sample_count = isfinite(cost)};
    ht_error error = {0};
    bench_check(ht_database_put(database, &run->key, &evaluation, &error), &error);
    free(evaluation.config);
}

static void problem_collect(const ht_seeded_setup *setup, const char *path, size_t problem,
                            ht_config *out_best) {
    static ht_seeded_search found;
    ht_seeded_run run;
    ht_database *database = NULL;
    ht_error error = {0};
    ht_seeded_begin(&run, setup, problem, path);
    bench_check(ht_database_open(path, &database, &error), &error);
    ht_config seeds[1 + HT_SEEDED_SEEDS] = {ht_config_default(run.binding.template)};
    size_t count = 1 + ht_seeded_nearest(&run, database, COLLECT_NEAREST, seeds + 1), best = 0;
    ht_seeded_search_run(&run, seeds, count, NULL, 1, &found);
    for (size_t i = 0; i < found.count; ++i) {
        best = found.costs[i] < found.costs[best] ? i : best;
        if (!run.job)
            cost_keep(&run, database, &found.configs[i], found.costs[i]);
    }
    *out_best = found.configs[best];
    printf("[%zu/%zu] %s: %zu evaluations, best %.4g ms\n", problem + 1, setup->problem_count,
           setup->problems[problem], found.count, found.costs[best]);
    ht_database_close(database);
    ht_seeded_end(&run);
}

/* Tries each problem's best configuration on all problems. */
static void cross_collect(const ht_seeded_setup *setup, const char *path, const ht_config *best) {
    ht_database *database = NULL;
    ht_error error = {0};
    bench_check(ht_database_open(path, &database, &error), &error);
    for (size_t p = 0; p < setup->problem_count; ++p) {
        ht_seeded_run run;
        ht_seeded_begin(&run, setup, p, path);
        for (size_t b = 0; b < setup->problem_count; ++b)
            if (ht_space_legal(run.space, &best[b]))
                cost_keep(&run, database, &best[b], ht_seeded_cost(&run, &best[b]));
        ht_seeded_end(&run);
    }
    ht_database_close(database);
}

static void collect(const ht_seeded_setup *setup, const char *path, bool cross) {
    ht_config *best = ht_alloc(setup->problem_count + 1, sizeof *best);
    for (size_t p = 0; p < setup->problem_count; ++p)
        if (setup->tables.count || !collected(setup, path, p))
            problem_collect(setup, path, p, &best[p]);
    if (cross && setup->tables.count)
        cross_collect(setup, path, best);
    free(best);
}

/* Returns true if at most `percent` in a hundred of a problem's configurations are near its best.
 */
static bool is_hard(const ht_seeded_setup *setup, size_t problem, size_t percent) {
    ht_seeded_run run;
    size_t near = 0;
    ht_seeded_begin(&run, setup, problem, NULL);
    double best = ht_seeded_best(&run);
    for (size_t i = 0; i < run.count; ++i)
        near += run.costs[i] <= best * ht_seeded_near_best;
    bool hard = isfinite(best) && 100 * near <= percent * run.count;
    ht_seeded_end(&run);
    return hard;
}

static void hard_print(const ht_seeded_setup *setup, size_t count, size_t percent) {
    size_t kept = 0;
    for (size_t p = 0; p < setup->problem_count && kept < count; ++p)
        if (is_hard(setup, p, percent) && ++kept)
            printf("%s\n", setup->problems[p]);
}

static void compare(const ht_seeded_setup *setup, const char *model, const char *database,
                    const char *folder, const char *lines) {
    ht_seeded_knowledge knowledge;
    ht_error error = {0};
    bench_check(ht_dir_make(folder, &error), &error);
    ht_seeded_knowledge_open(&knowledge, setup, model, database);
    ht_seeded_compare(setup, &knowledge, folder, lines);
    ht_seeded_knowledge_close(&knowledge);
}

static int usage(void) {
    fprintf(stderr, "usage: seeded_tuning predict TEMPLATE PROBLEMS TABLES device=model:NAME\n"
                    "       seeded_tuning collect TEMPLATE PROBLEMS DB [NAME=VALUE...]\n"
                    "       seeded_tuning compare TEMPLATE PROBLEMS MODEL DB FOLDER "
                    "[NAME=VALUE...]\n"
                    "       seeded_tuning hard TEMPLATE PROBLEMS device=model:NAME "
                    "tables=TABLES [NAME=VALUE...]\n"
                    "       seeded_tuning summary LINES\n");
    return 2;
}

int main(int argc, char **argv) {
    bench_worker(argc, argv);
    const char *command = argc > 2 ? argv[1] : "";
    bool predicting = argc > 4 && strcmp(command, "predict") == 0;
    bool collecting = argc > 4 && strcmp(command, "collect") == 0;
    bool comparing = argc > 6 && strcmp(command, "compare") == 0;
    bool sifting = argc > 5 && strcmp(command, "hard") == 0;
    if (argc == 3 && strcmp(command, "summary") == 0) {
        ht_seeded_summary(argv[2]);
        return 0;
    }
    if (!predicting && !collecting && !comparing && !sifting)
        return usage();
    names names = {.evals = 45,
                   .repeats = 1,
                   .seeds = 10,
                   .blocks = 4,
                   .count = 10,
                   .percent = 7,
                   .device = "host"};
    names_read(&names, argc, argv, comparing ? 7 : sifting ? 4 : 5);
    if (sifting && !names.tables)
        return usage();
    ht_seeded_setup setup = {.evals = names.evals, .repeats = names.repeats, .seeds = names.seeds};
    ht_seeded_open(&setup, argv[2], argv[3], names.device, predicting ? NULL : names.tables);
    if (predicting)
        ht_predicted_fill(ht_seeded_template(&setup), setup.code, setup.problems,
                          setup.problem_count, names.device, names.blocks, argv[4]);
    else if (sifting)
        hard_print(&setup, names.count, names.percent);
    else if (collecting)
        collect(&setup, argv[4], names.cross);
    else
        compare(&setup, argv[4], argv[5], argv[6], names.lines);
    ht_seeded_close(&setup);
    return 0;
}
