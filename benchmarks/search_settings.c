/* The results of the settings of `auto` on recorded tuning runs, and the settings that would be
 * chosen without the run that they are judged on.
 *
 *   search_settings FOLDER [NAME=VALUE...]           one table: a row for each recorded run
 *   search_settings FOLDER choose [NAME=VALUE...]    each alternative below, leaving one GPU out
 * and leaving one kernel out FOLDER has a folder for each kernel, with its space (T1.json) and its
 * runs (*.json.gz). Names: repeats, evals, batch, seeds (of the other GPUs; 0: none), worst (1:
 * their worst), facts (0: without those of launches), sources (of the search: full, the other GPUs'
 * runs; worst, the worst of each; kernel, another kernel's run; noise), source_evals (evaluations
 * of each, drawn; 0: all), threads, strategy, and the settings of search/bayes.h.
 */
#include "search/bayes.h"
#include "search/earlier.h"
#include "search/launch_facts.h"
#include "search/replay_run.h"
#include "search/score.h"

#include "base/memory.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 64, AT_COUNT = 5, SEEDS_MAX = 64 };
static const uint64_t AT[AT_COUNT] = {10, 25, 50, 100, 200};

typedef struct run {
    char kernel[64], device[64];
    ht_space *space; /* each run has its own: they live until the end */
    ht_recording *recording;
    ht_replay *replay;
    ht_score score;
} run;

typedef struct trial {
    ht_bayes_settings bayes;
    double threads, repeats, evals, batch, seeds, worst, seed, facts;
    double source_evals; /* of each source; 0: all */
    const char *sources; /* which; NULL: none */
    const char *strategy;
} trial;

typedef struct result {
    double share[AT_COUNT], tenth[AT_COUNT];
    double performance, overhead;
    bool valid;
} result;

static run runs[RUNS_MAX];
static size_t run_count;

static void fail(const ht_error *error) {
    fprintf(stderr, "search_settings: %s\n", error->message);
    exit(1);
}

static void run_load(const char *folder, const char *kernel, const char *file) {
    ht_error error = {0};
    run *run = &runs[run_count];
    char *space = ht_format("%s/%s/T1.json", folder, kernel);
    char *path = ht_format("%s/%s/%s", folder, kernel, file);
    if (run_count == RUNS_MAX)
        return;
    snprintf(run->kernel, sizeof run->kernel, "%.60s", kernel);
    snprintf(run->device, sizeof run->device, "%.*s", (int)strcspn(file, "."), file);
    if (ht_space_read_t1(space, 0, &run->space, &error) != HT_OK ||
        ht_recording_read(path, HT_RECORDING_GUESS, &run->recording, &error) != HT_OK ||
        ht_replay_create(run->space, run->recording, false, &run->replay, &error) != HT_OK)
        fail(&error);
    ht_score_make(run->replay, &run->score);
    ++run_count;
    free(space);
    free(path);
}

static void kernel_load(const char *folder, const char *kernel) {
    char *path = ht_format("%s/%s", folder, kernel);
    struct dirent **files = NULL;
    int count = scandir(path, &files, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        size_t length = strlen(files[i]->d_name);
        /* But for the T4 copies of a run. */
        if (length > 8 && !strcmp(files[i]->d_name + length - 8, ".json.gz") &&
            !strstr(files[i]->d_name, "_T4"))
            run_load(folder, kernel, files[i]->d_name);
        free(files[i]);
    }
    free(files);
    free(path);
}

static void folder_load(const char *folder) {
    struct dirent **kernels = NULL;
    int count = scandir(folder, &kernels, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        char *space = ht_format("%s/%s/T1.json", folder, kernels[i]->d_name);
        FILE *file = fopen(space, "r");
        if (file) {
            fclose(file);
            kernel_load(folder, kernels[i]->d_name);
        }
        free(space);
        free(kernels[i]);
    }
    free(kernels);
}

static size_t seeds_of(const run *run, const trial *trial, ht_config *out_seeds) {
    const ht_replay *others[RUNS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < run_count; ++i)
        if (&runs[i] != run && !strcmp(runs[i].kernel, run->kernel))
            others[count++] = runs[i].replay;
    if (count == 0)
        return 0;
    return ht_replay_rank(others, count, trial->worst != 0, (size_t)trial->seeds, out_seeds);
}

/* Makes a source that says nothing: of another kernel's run, configuration by configuration in the
 * order of the two spaces, or of noise. */
static void source_mislead(ht_earlier *sources, const run *run, const struct run *other,
                           const trial *trial) {
    size_t count = (size_t)ht_space_count(run->space);
    ht_earlier_outcome *outcomes = ht_alloc(count, sizeof *outcomes);
    ht_random random;
    ht_random_seed(&random, (uint64_t)trial->seed);
    for (size_t i = 0; i < count; ++i) {
        uint64_t there = i * ht_space_count(other->space) / count;
        const ht_record *record = ht_replay_record(other->replay, there);
        double cost = record->status == HT_OK ? record->cost : INFINITY;
        if (!strcmp(trial->sources, "noise"))
            cost = exp(ht_random_unit(&random) * 3);
        outcomes[i] = (ht_earlier_outcome){.config = ht_space_at(run->space, i), .cost = cost};
    }
    ht_earlier_add(sources, outcomes, count);
    free(outcomes);
}

/* Makes the sources of a run: of the other GPUs, or one that misleads. NULL: there are none. */
static ht_earlier *sources_of(const run *run, const trial *trial) {
    bool misleads = !strcmp(trial->sources, "kernel") || !strcmp(trial->sources, "noise");
    ht_earlier *sources = ht_earlier_create(run->space);
    for (size_t i = 0; i < run_count; ++i) {
        bool family = !strncmp(runs[i].kernel, run->kernel, 8);
        if (misleads && !family && ht_earlier_count(sources) == 0)
            source_mislead(sources, run, &runs[i], trial);
        else if (!misleads && &runs[i] != run && !strcmp(runs[i].kernel, run->kernel))
            ht_replay_source(runs[i].replay, (size_t)trial->source_evals,
                             !strcmp(trial->sources, "worst"), (uint64_t)trial->seed, sources);
    }
    if (ht_earlier_count(sources))
        return sources;
    ht_earlier_free(sources);
    return NULL;
}

static result measure(const run *run, const trial *trial) {
    ht_config seeds[SEEDS_MAX];
    size_t repeats = (size_t)trial->repeats;
    result result = {0};
    ht_error error = {0};
    ht_replay_options options = {.strategy = trial->strategy,
                                 .seed = (uint64_t)trial->seed,
                                 .repeats = repeats,
                                 .max_evaluations = (uint64_t)trial->evals,
                                 .batch = (size_t)trial->batch,
                                 .threads = (size_t)trial->threads,
                                 .seeds = seeds,
                                 .seed_count = trial->seeds ? seeds_of(run, trial, seeds) : 0,
                                 .bayes = &trial->bayes};
    ht_launch_facts facts;
    ht_prior prior;
    if (trial->facts && ht_launch_facts_of_names(run->space, run->recording->problem,
                                                 run->recording->device, &facts)) {
        prior = ht_launch_facts_prior(&facts);
        options.prior = &prior;
    }
    if (trial->seeds && !options.seed_count)
        return result;
    ht_earlier *sources = trial->sources ? sources_of(run, trial) : NULL;
    if (trial->sources && !sources)
        return result;
    options.sources = sources;
    ht_replay_trace *traces = ht_alloc(repeats, sizeof *traces);
    if (ht_replay_run(run->replay, &options, traces, &error) != HT_OK)
        fail(&error);
    for (int a = 0; a < AT_COUNT; ++a) {
        ht_score_share share = ht_score_at(&run->score, traces, repeats, AT[a]);
        result.share[a] = share.mean;
        result.tenth[a] = share.tenth;
    }
    result.performance = ht_score_performance(&run->score, traces, repeats);
    for (size_t i = 0; i < repeats; ++i) {
        result.overhead += traces[i].overhead * 1e3 / (double)traces[i].count / (double)repeats;
        ht_replay_trace_free(&traces[i]);
    }
    free(traces);
    ht_earlier_free(sources);
    result.valid = true;
    return result;
}

static void row_print(const char *kernel, const char *device, const result *result) {
    printf("%-20s %-18s", kernel, device);
    for (int a = 0; a < AT_COUNT; ++a)
        printf(" %.3f (%.3f)", result->share[a], result->tenth[a]);
    printf("  %6.3f  %6.3f\n", result->performance, result->overhead);
    fflush(stdout);
}

/* Returns the mean over the runs whose kernel begins with `prefix`. */
static result mean_of(const result *results, const char *prefix) {
    result mean = {0};
    double count = 0;
    for (size_t i = 0; i < run_count; ++i) {
        if (!results[i].valid || strncmp(runs[i].kernel, prefix, strlen(prefix)) != 0)
            continue;
        for (int a = 0; a < AT_COUNT; ++a) {
            mean.share[a] += results[i].share[a];
            mean.tenth[a] += results[i].tenth[a];
        }
        mean.performance += results[i].performance;
        mean.overhead += results[i].overhead;
        ++count;
    }
    for (int a = 0; a < AT_COUNT; ++a) {
        mean.share[a] /= count;
        mean.tenth[a] /= count;
    }
    mean.performance /= count;
    mean.overhead /= count;
    return mean;
}

static void table(const trial *trial) {
    result results[RUNS_MAX];
    printf("%-39s %13d %13d %13d %13d %13d       P  ms/eval\n",
           "optimum / best after: mean (10th pct.)", 10, 25, 50, 100, 200);
    for (size_t i = 0; i < run_count; ++i) {
        results[i] = measure(&runs[i], trial);
        if (results[i].valid)
            row_print(runs[i].kernel, runs[i].device, &results[i]);
    }
    result convolutions = mean_of(results, "convolution"), all = mean_of(results, "");
    row_print("mean", "convolutions", &convolutions);
    row_print("mean", "all", &all);
}

typedef struct name {
    const char *text;
    size_t offset; /* in trial */
    bool integer;
} name;

#define DOUBLE(field) {#field, offsetof(trial, field), false}
#define BAYES(field) {#field, offsetof(trial, bayes.field), false}
#define BAYES_INT(field) {#field, offsetof(trial, bayes.field), true}
#define LENGTH(text, kind) {text, offsetof(trial, bayes.length) + (kind) * sizeof(double), false}
static const name names[] = {
    DOUBLE(threads),
    DOUBLE(repeats),
    DOUBLE(evals),
    DOUBLE(batch),
    DOUBLE(seeds),
    DOUBLE(worst),
    DOUBLE(seed),
    DOUBLE(facts),
    DOUBLE(source_evals),
    BAYES_INT(design_led),
    BAYES_INT(design_further),
    BAYES(led),
    BAYES(prior_noise),
    BAYES(prior_fade),
    BAYES(source_fade),
    BAYES_INT(first_batch),
    BAYES(trusted),
    BAYES_INT(features),
    BAYES_INT(design),
    BAYES_INT(design_seeded),
    BAYES_INT(spread),
    BAYES(clip),
    BAYES(length_spread),
    BAYES(noise),
    BAYES_INT(refit),
    BAYES(refit_share),
    BAYES_INT(fit_points),
    BAYES_INT(first_steps),
    BAYES_INT(steps),
    BAYES_INT(processes),
    BAYES_INT(processes_until),
    BAYES(bag),
    BAYES_INT(patience),
    BAYES(daring),
    BAYES_INT(pool),
    LENGTH("size", HT_FEATURE_SIZE),
    LENGTH("divisibility", HT_FEATURE_DIVISIBILITY),
    LENGTH("term", HT_FEATURE_TERM),
    LENGTH("term_divisibility", HT_FEATURE_TERM_DIVISIBILITY),
    LENGTH("choice", HT_FEATURE_CHOICE),
};

static bool set(trial *trial, const char *text) {
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (equals && length == 8 && !strncmp(text, "strategy", 8)) {
        trial->strategy = equals + 1;
        return true;
    }
    if (equals && length == 7 && !strncmp(text, "sources", 7)) {
        trial->sources = equals + 1;
        return true;
    }
    for (size_t i = 0; equals && i < sizeof names / sizeof *names; ++i) {
        if (strlen(names[i].text) != length || strncmp(names[i].text, text, length) != 0)
            continue;
        double value = strtod(equals + 1, NULL);
        char *field = (char *)trial + names[i].offset;
        if (names[i].integer)
            *(int *)field = (int)value;
        else
            *(double *)field = value;
        return true;
    }
    return false;
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
    result convolutions = mean_of(judged, "convolution"), all = mean_of(judged, "");
    row_print("mean", "convolutions", &convolutions);
    row_print("mean", "all", &all);
}

static void choose(const trial *base) {
    static result results[ALTERNATIVES][RUNS_MAX];
    for (size_t a = 0; a < ALTERNATIVES; ++a) {
        trial trial = *base;
        set(&trial, alternatives[a]);
        for (size_t i = 0; i < run_count; ++i)
            results[a][i] = measure(&runs[i], &trial);
        result convolutions = mean_of(results[a], "convolution"), all = mean_of(results[a], "");
        row_print(alternatives[a], "convolutions", &convolutions);
        row_print("", "all", &all);
    }
    left_out(results, false);
    left_out(results, true);
}

int main(int argc, char **argv) {
    trial trial = {.bayes = ht_bayes_defaults,
                   .repeats = 20,
                   .threads = 2,
                   .evals = 200,
                   .batch = 1,
                   .facts = 1,
                   .strategy = "auto"};
    bool choosing = argc > 2 && !strcmp(argv[2], "choose");
    if (argc < 2) {
        fprintf(stderr, "usage: search_settings FOLDER [choose] [NAME=VALUE...]\n");
        return 2;
    }
    for (int i = 2 + choosing; i < argc; ++i)
        if (!set(&trial, argv[i])) {
            fprintf(stderr, "search_settings: unknown setting '%s'\n", argv[i]);
            return 2;
        }
    folder_load(argv[1]);
    choosing ? choose(&trial) : table(&trial);
    return 0;
}
