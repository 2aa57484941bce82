/* The evaluations that a model's proposals save. Tunes a template for problems that the model was
 * not trained on, from the default configuration alone, from the model's proposals, and from what
 * was best on the nearest problems in the database, and counts the evaluations that each needs to
 * come within 5 % of the best time known of that problem.
 *
 *   seeded_tuning collect TEMPLATE PROBLEMS DB [NAME=VALUE...]
 *       tunes each problem (a line "N=1 C=16 ..." each) and keeps what it finds in DB, to train on:
 *       hiptemper train --db DB --template TEMPLATE --out MODEL
 *   seeded_tuning compare TEMPLATE PROBLEMS MODEL DB FOLDER [NAME=VALUE...]
 *       the comparison; DB is that of the training problems, for the nearest ones. FOLDER keeps the
 * measurements: those that are there are not made again, so a stopped run resumes, and all ways of
 *       searching find the same time for the same configuration.
 *
 * Names: evals (45), repeats (1; searches with different seeds), seeds (10; of the model), nearest
 * (5), device (host). */
#include "benchmarks/timing_job.h"

#include "base/file.h"
#include "base/memory.h"
#include "predictor/data/match.h"
#include "predictor/predictor.h"
#include "runtime/store/database_export.h"
#include "search/strategy.h"
#include "templates/space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 3, EVALS_MAX = 500, REPEATS_MAX = 20, SEEDS_MAX = 100, AT_COUNT = 4 };
static const char *const way_names[WAYS] = {"unseeded", "model", "nearest"};
static const size_t at_evaluations[AT_COUNT] = {5, 10, 20, 40};
static const double near_best = 1.05;

typedef struct setup {
    ht_template *templates;
    size_t template_count;
    ht_device device;
    char **problems;
    size_t problem_count;
    size_t evals, repeats, seeds, nearest;
    ht_predictor *predictor;
    ht_match *match;
    ht_database *training;
    const char *folder;
} setup;

/* A search: its costs in the order of evaluation, infinite where it failed. */
typedef struct searched {
    double costs[EVALS_MAX];
    size_t count;
} searched;

/* One problem under way. */
typedef struct run {
    const setup *setup;
    ht_problem problem;
    ht_binding binding;
    ht_space *space;
    ht_job *job;
    ht_database *database;
} run;

static void lines_read(const char *path, setup *setup) {
    char *text = NULL;
    ht_error error = {0};
    bench_check(ht_file_read(path, 0, &text, NULL, &error), &error);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '#')
            continue;
        HT_GROW(setup->problems, setup->problem_count);
        setup->problems[setup->problem_count++] = ht_strdup(line);
    }
    free(text);
}

static void names_read(setup *setup, int argc, char **argv, int first, const char **out_device) {
    const struct {
        const char *name;
        size_t *value, most;
    } names[] = {{"evals", &setup->evals, EVALS_MAX},
                 {"repeats", &setup->repeats, REPEATS_MAX},
                 {"seeds", &setup->seeds, SEEDS_MAX},
                 {"nearest", &setup->nearest, SEEDS_MAX}};
    for (int i = first; i < argc; ++i) {
        size_t length = strcspn(argv[i], "=");
        bool known = false;
        if (strncmp(argv[i], "device=", 7) == 0) {
            *out_device = argv[i] + 7;
            continue;
        }
        for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
            if (strncmp(names[n].name, argv[i], length) != 0 || names[n].name[length] ||
                argv[i][length] != '=')
                continue;
            *names[n].value = strtoul(argv[i] + length + 1, NULL, 10);
            known = *names[n].value > 0 && *names[n].value <= names[n].most;
        }
        if (!known) {
            fprintf(stderr, "seeded_tuning: '%s'?\n", argv[i]);
            exit(2);
        }
    }
}

static void setup_open(setup *setup, const char *template, const char *problems,
                       const char *device) {
    ht_error error = {0};
    bench_check(ht_template_load(template, &setup->templates, &setup->template_count, &error),
                &error);
    bench_check(ht_device_find(device, &setup->device, &error), &error);
    lines_read(problems, setup);
}

static void run_open(run *run, const setup *setup, size_t problem, const char *database) {
    const ht_template *template = &setup->templates[0];
    ht_error error = {0};
    *run = (struct run){.setup = setup};
    bench_check(
        ht_problem_parse(&template->problem, setup->problems[problem], &run->problem, &error),
        &error);
    run->binding = (ht_binding){
        .template = template, .problem = &run->problem, .device = &setup->device.fields};
    bench_check(ht_space_build(&run->binding, 0, &run->space, &error), &error);
    bench_check(ht_database_open(database, &run->database, &error), &error);
    ht_job_options options = {.seed = 1, .database = run->database};
    bench_check(ht_job_start(&run->binding, &setup->device, &options, &run->job, &error), &error);
}

static void run_close(run *run) {
    ht_job_free(run->job);
    ht_database_close(run->database);
    ht_space_free(run->space);
    ht_problem_free(&run->problem);
}

static size_t model_seeds(const run *run, ht_config *out_seeds) {
    const setup *setup = run->setup;
    size_t most = setup->seeds, kept = 0;
    int64_t fields[HT_SCHEMA_FIELDS_MAX];
    ht_proposal proposals[SEEDS_MAX];
    ht_proposer *proposer = NULL;
    ht_beam_settings beam = {.width = most, .constrained = true};
    ht_error error = {0};
    bench_check(ht_match_fields(setup->match, &run->problem, &setup->device.fields, fields, &error),
                &error);
    bench_check(ht_proposer_new(setup->predictor, NULL, &beam, &proposer, &error), &error);
    size_t count = ht_proposer_propose(proposer, fields, most, proposals);
    for (size_t i = 0; i < count; ++i)
        out_seeds[kept++] = ht_match_config(setup->match, proposals[i].choice);
    ht_proposer_free(proposer);
    return kept;
}

static size_t nearest_seeds(const run *run, ht_database *database, ht_config *out_seeds) {
    char **texts = NULL;
    size_t count = 0, kept = 0;
    ht_error error = {0};
    bench_check(ht_database_nearest(database, ht_job_key(run->job), run->setup->nearest, &texts,
                                    &count, &error),
                &error);
    for (size_t i = 0; i < count; ++i) {
        if (ht_config_parse(run->binding.template, texts[i], &out_seeds[kept], NULL) == HT_OK)
            ++kept;
        free(texts[i]);
    }
    free(texts);
    return kept;
}

static void search(const run *run, const ht_config *seeds, size_t seed_count, uint64_t seed,
                   searched *out) {
    ht_strategy_options options = {.seed = seed, .seeds = seeds, .seed_count = seed_count};
    ht_search_options limits = {.budget = {.max_evaluations = run->setup->evals}};
    ht_strategy *strategy = NULL;
    ht_search_result result = {0};
    ht_error error = {0};
    bench_check(ht_strategy_create("auto", run->space, &options, &strategy, &error), &error);
    bench_check(ht_search_run(strategy, ht_job_evaluator(run->job), &limits, &result, &error),
                &error);
    out->count = result.trial_count < EVALS_MAX ? result.trial_count : EVALS_MAX;
    for (size_t i = 0; i < out->count; ++i) {
        const ht_outcome *outcome = &result.trials[i].outcome;
        out->costs[i] = outcome->status == HT_OK ? outcome->cost : INFINITY;
    }
    ht_search_result_free(&result);
    ht_strategy_free(strategy);
}

static double best_of(const searched *searched, size_t evaluations) {
    double best = INFINITY;
    for (size_t i = 0; i < searched->count && i < evaluations; ++i)
        best = fmin(best, searched->costs[i]);
    return best;
}

/* Returns the evaluations until one is within 5 % of `best`; one more than there were when none
 * is. */
static size_t needed(const searched *searched, double best) {
    size_t i = 0;
    while (i < searched->count && searched->costs[i] > best * near_best)
        ++i;
    return i + 1;
}

/* Returns true if the problem is in the database, with as many evaluations. */
static bool collected(const setup *setup, const char *database, size_t problem) {
    const ht_template *template = &setup->templates[0];
    ht_problem parsed;
    ht_recording *recording = NULL;
    ht_error error = {0};
    bench_check(ht_problem_parse(&template->problem, setup->problems[problem], &parsed, &error),
                &error);
    char *text = ht_problem_string(&template->problem, &parsed);
    ht_database_choice choice = {.kernel = template->name, .problem = text};
    bool done = ht_file_exists(database) &&
                ht_database_export(database, &choice, &recording, &error) == HT_OK;
    done = done && recording->record_count >= setup->evals;
    ht_recording_free(recording);
    ht_problem_free(&parsed);
    free(text);
    return done;
}

static void collect(const setup *setup, const char *database) {
    for (size_t p = 0; p < setup->problem_count; ++p) {
        if (collected(setup, database, p))
            continue;
        run run;
        run_open(&run, setup, p, database);
        ht_config seeds[1 + SEEDS_MAX] = {ht_config_default(run.binding.template)};
        size_t count = 1 + nearest_seeds(&run, run.database, seeds + 1);
        searched found;
        search(&run, seeds, count, 1, &found);
        double original = ht_job_baseline(run.job).median_ms;
        printf("[%zu/%zu] %s: %zu evaluations, original %.4g ms, best %.4g ms\n", p + 1,
               setup->problem_count, setup->problems[p], found.count, original,
               best_of(&found, found.count));
        run_close(&run);
    }
}

static int compare_sizes(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Sums over problems and repeats. */
typedef struct totals {
    size_t *needed[WAYS]; /* of every search */
    size_t count, reached[WAYS];
    double log_ratio[WAYS][AT_COUNT]; /* best so far over best known */
} totals;

static void problem_compare(const setup *setup, size_t problem, totals *totals) {
    char *path = ht_format("%s/problem-%zu.sqlite", setup->folder, problem + 1);
    run run;
    run_open(&run, setup, problem, path);
    free(path);
    static searched found[WAYS][REPEATS_MAX];
    double best = INFINITY;
    for (size_t r = 0; r < setup->repeats; ++r) {
        for (size_t way = 0; way < WAYS; ++way) {
            ht_config seeds[1 + SEEDS_MAX] = {ht_config_default(run.binding.template)};
            size_t count = 1;
            if (way == 1)
                count += model_seeds(&run, seeds + 1);
            if (way == 2)
                count += nearest_seeds(&run, setup->training, seeds + 1);
            search(&run, seeds, count, r + 1, &found[way][r]);
            best = fmin(best, best_of(&found[way][r], EVALS_MAX));
        }
    }
    printf("%-62s %9.4g %9.4g", setup->problems[problem], ht_job_baseline(run.job).median_ms, best);
    for (size_t way = 0; way < WAYS; ++way) {
        size_t sum = 0;
        for (size_t r = 0; r < setup->repeats; ++r) {
            const searched *one = &found[way][r];
            size_t n = needed(one, best);
            sum += n;
            totals->needed[way][totals->count + r] = n;
            totals->reached[way] += n <= one->count;
            for (size_t at = 0; at < AT_COUNT; ++at)
                totals->log_ratio[way][at] += log(best_of(one, at_evaluations[at]) / best);
        }
        printf(" %9.1f", (double)sum / (double)setup->repeats);
    }
    putchar('\n');
    totals->count += setup->repeats;
    run_close(&run);
}

static void totals_print(const setup *setup, totals *totals) {
    printf("\n%-10s %10s %8s %8s   best so far / best known (geometric mean) after", "",
           "reached %", "mean", "median");
    for (size_t at = 0; at < AT_COUNT; ++at)
        printf(" %zu", at_evaluations[at]);
    putchar('\n');
    for (size_t way = 0; way < WAYS; ++way) {
        double sum = 0, count = (double)totals->count;
        qsort(totals->needed[way], totals->count, sizeof(size_t), compare_sizes);
        for (size_t i = 0; i < totals->count; ++i)
            sum += (double)totals->needed[way][i];
        printf("%-10s %10.1f %8.1f %8zu  ", way_names[way],
               100 * (double)totals->reached[way] / count, sum / count,
               totals->needed[way][totals->count / 2]);
        for (size_t at = 0; at < AT_COUNT; ++at)
            printf(" %.3f", exp(totals->log_ratio[way][at] / count));
        putchar('\n');
    }
    printf("Evaluations to come within 5 %% of the best known; a search that never does counts as "
           "one more than the %zu it had.\n",
           setup->evals);
}

static void compare(setup *setup, const char *model, const char *database) {
    ht_error error = {0};
    const ht_template *template = &setup->templates[0];
    bench_check(ht_predictor_find(model, template->name, &setup->predictor, &error), &error);
    bench_check(
        ht_match_make(ht_predictor_schema(setup->predictor), template, &setup->match, &error),
        &error);
    bench_check(ht_database_open(database, &setup->training, &error), &error);
    bench_check(ht_dir_make(setup->folder, &error), &error);
    totals totals = {0};
    for (size_t way = 0; way < WAYS; ++way)
        totals.needed[way] = ht_alloc(setup->problem_count * setup->repeats + 1, sizeof(size_t));
    printf("%s, device %s; %zu evaluations, %zu repeats\n%-62s %9s %9s", template->name,
           setup->device.name, setup->evals, setup->repeats, "problem", "original", "best");
    for (size_t way = 0; way < WAYS; ++way)
        printf(" %9s", way_names[way]);
    putchar('\n');
    for (size_t p = 0; p < setup->problem_count; ++p)
        problem_compare(setup, p, &totals);
    totals_print(setup, &totals);
    for (size_t way = 0; way < WAYS; ++way)
        free(totals.needed[way]);
    ht_database_close(setup->training);
    ht_match_free(setup->match);
    ht_predictor_free(setup->predictor);
}

int main(int argc, char **argv) {
    bench_worker(argc, argv);
    bool collecting = argc > 4 && strcmp(argv[1], "collect") == 0;
    bool comparing = argc > 6 && strcmp(argv[1], "compare") == 0;
    if (!collecting && !comparing) {
        fprintf(stderr, "usage: seeded_tuning collect TEMPLATE PROBLEMS DB [NAME=VALUE...]\n"
                        "       seeded_tuning compare TEMPLATE PROBLEMS MODEL DB FOLDER "
                        "[NAME=VALUE...]\n");
        return 2;
    }
    setup setup = {.evals = 45, .repeats = 1, .seeds = 10, .nearest = 5};
    const char *device = "host";
    names_read(&setup, argc, argv, collecting ? 5 : 7, &device);
    setup_open(&setup, argv[2], argv[3], device);
    if (collecting) {
        collect(&setup, argv[4]);
    } else {
        setup.folder = argv[6];
        compare(&setup, argv[4], argv[5]);
    }
    for (size_t i = 0; i < setup.problem_count; ++i)
        free(setup.problems[i]);
    free(setup.problems);
    ht_template_free(setup.templates, setup.template_count);
    return 0;
}
