#include "benchmarks/search_settings/runs.h"

#include "base/memory.h"
#include "search/earlier.h"
#include "search/launch_facts.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS_MAX = 64 };
const uint64_t measured_at[AT_COUNT] = {10, 25, 50, 100, 200};
run runs[RUNS_MAX];
size_t run_count;

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

void runs_load(const char *folder) {
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
                           const trial *trial, uint64_t seed) {
    size_t count = (size_t)ht_space_count(run->space);
    ht_earlier_outcome *outcomes = ht_alloc(count, sizeof *outcomes);
    ht_random random;
    ht_random_seed(&random, seed);
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

/* Makes the sources of a run: of the other GPUs, or one that misleads. Those that say nothing are
 * refused (search/earlier.h), so that there may be none left. NULL: there were none. */
static ht_earlier *sources_of(const run *run, const trial *trial, uint64_t seed) {
    bool misleads = !strcmp(trial->sources, "kernel") || !strcmp(trial->sources, "noise");
    ht_earlier *sources = ht_earlier_create(run->space);
    size_t offered = 0;
    for (size_t i = 0; i < run_count; ++i) {
        bool family = !strncmp(runs[i].kernel, run->kernel, 8);
        bool other = &runs[i] != run && !strcmp(runs[i].kernel, run->kernel);
        if (misleads && !family && offered++ == 0)
            source_mislead(sources, run, &runs[i], trial, seed);
        else if (!misleads && other && ++offered)
            ht_replay_source(runs[i].replay, (size_t)trial->source_evals,
                             !strcmp(trial->sources, "worst"), seed, sources);
    }
    if (offered)
        return sources;
    ht_earlier_free(sources);
    return NULL;
}

/* Runs the searches of one seed; false: the run has no such seeds or sources. */
static bool searches_run(const run *run, const trial *trial, uint64_t seed,
                         ht_replay_trace *traces) {
    ht_config seeds[SEEDS_MAX];
    ht_error error = {0};
    ht_launch_facts facts;
    ht_prior prior;
    ht_replay_options options = {.strategy = trial->strategy,
                                 .seed = seed,
                                 .repeats = (size_t)trial->repeats,
                                 .max_evaluations = (uint64_t)trial->evals,
                                 .batch = (size_t)trial->batch,
                                 .threads = (size_t)trial->threads,
                                 .seeds = seeds,
                                 .seed_count = trial->seeds ? seeds_of(run, trial, seeds) : 0,
                                 .bayes = &trial->bayes};
    if (trial->facts && ht_launch_facts_of_space(run->space, run->recording->problem,
                                                 run->recording->device, &facts)) {
        prior = ht_launch_facts_prior(&facts);
        options.prior = &prior;
    }
    if (trial->seeds && !options.seed_count)
        return false;
    ht_earlier *sources = trial->sources ? sources_of(run, trial, seed) : NULL;
    if (trial->sources && !sources)
        return false;
    options.sources = sources;
    if (ht_replay_run(run->replay, &options, traces, &error) != HT_OK)
        fail(&error);
    ht_earlier_free(sources);
    return true;
}

bool run_wanted(const run *run, const trial *trial) {
    char name[sizeof run->kernel + sizeof run->device + 1];
    snprintf(name, sizeof name, "%s/%s", run->kernel, run->device);
    return !trial->only || strstr(name, trial->only);
}

bool run_searches(const run *run, const trial *trial, ht_replay_trace *traces) {
    size_t repeats = (size_t)trial->repeats, all = repeats * (size_t)trial->draws;
    for (size_t first = 0; first < all; first += repeats)
        if (!searches_run(run, trial, (uint64_t)trial->seed + first / repeats, traces + first))
            return false;
    return true;
}

result run_measure(const run *run, const trial *trial) {
    size_t all = (size_t)trial->repeats * (size_t)trial->draws;
    ht_replay_trace *traces = ht_alloc(all + 1, sizeof *traces);
    result result = {.valid = run_wanted(run, trial) && run_searches(run, trial, traces)};
    for (int a = 0; result.valid && a < AT_COUNT; ++a) {
        ht_score_share share = ht_score_at(&run->score, traces, all, measured_at[a]);
        result.share[a] = share.mean;
        result.tenth[a] = share.tenth;
        result.error[a] = share.error;
    }
    if (result.valid)
        result.performance = ht_score_performance(&run->score, traces, all);
    for (size_t i = 0; i < all; ++i) {
        if (result.valid)
            result.overhead += traces[i].overhead * 1e3 / (double)traces[i].count / (double)all;
        ht_replay_trace_free(&traces[i]);
    }
    free(traces);
    return result;
}

bool is_convolution(const run *run) {
    return strncmp(run->kernel, "convolution", strlen("convolution")) == 0;
}

bool is_other_kernel(const run *run) {
    return !is_convolution(run);
}

bool is_any(const run *run) {
    (void)run;
    return true;
}

result results_mean(const result *results, run_filter *filter) {
    result mean = {0};
    double count = 0;
    for (size_t i = 0; i < run_count; ++i) {
        if (!results[i].valid || !filter(&runs[i]))
            continue;
        for (int a = 0; a < AT_COUNT; ++a) {
            mean.share[a] += results[i].share[a];
            mean.tenth[a] += results[i].tenth[a];
            mean.error[a] += results[i].error[a] * results[i].error[a];
        }
        mean.performance += results[i].performance;
        mean.overhead += results[i].overhead;
        ++count;
    }
    for (int a = 0; a < AT_COUNT && count > 0; ++a) {
        mean.share[a] /= count;
        mean.tenth[a] /= count;
        mean.error[a] = sqrt(mean.error[a]) / count;
    }
    mean.valid = count > 0;
    mean.performance /= count;
    mean.overhead /= count;
    return mean;
}
