#include "cli/command.h"
#include "cli/reports/replay_report.h"
#include "pipeline/progress.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "search/launch_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_EVALUATIONS = 200, LEAST_RANDOM = 300 };
static const double quiet_seconds = 2;

typedef struct replay_options {
    const char *space;
    const char *cache;
    ht_option_list strategies;
    uint64_t max_evaluations;
    uint64_t repeats;
    uint64_t seed;
    ht_option_list seeds_from;
    uint64_t seed_count;
    bool worst_seeds;
    ht_option_list sources;
    uint64_t source_evals;
    bool worst_sources;
    bool no_facts;
    uint64_t batch;
    uint64_t threads;
    bool partial;
    const char *curve;
    const char *json;
} replay_options;

static const ht_option options[] = {
    {"space", HT_OPTION_TEXT, offsetof(replay_options, space), "T1.json",
     .help = "The search space: parameters and conditions in the T1 format (docs/space.md)."},
    {"cache", HT_OPTION_TEXT, offsetof(replay_options, cache), "RUN",
     .help = "The recorded run: a Kernel Tuner cache file or T4 results, plain or gzip."},
    {"strategy", HT_OPTION_LIST, offsetof(replay_options, strategies), "NAME",
     .help = "Search strategy; may be repeated. 'all' is every one (default: auto)."},
    {"max-evals", HT_OPTION_COUNT, offsetof(replay_options, max_evaluations), "N", .min = 1,
     .help = "Ends a search after N evaluations (default: when the budget that P is measured in is "
             "spent, and after 200)."},
    {"repeats", HT_OPTION_COUNT, offsetof(replay_options, repeats), "R", .fallback = "20", .min = 1,
     .help = "Searches of each strategy; they differ in their random numbers."},
    {"seed", HT_OPTION_COUNT, offsetof(replay_options, seed), "K", .fallback = "1",
     .help = "Seed of the random numbers."},
    {"seeds-from", HT_OPTION_LIST, offsetof(replay_options, seeds_from), "RUN",
     .help = "Begins every search with what was best in another run on the same space, such as of "
             "another device; may be repeated, and then ranks are averaged."},
    {"seed-count", HT_OPTION_COUNT, offsetof(replay_options, seed_count), "N", .fallback = "5",
     .min = 1, .help = "How many configurations to begin with."},
    {"worst-seeds", HT_OPTION_FLAG, offsetof(replay_options, worst_seeds),
     .help = "Begins with the worst that succeeded instead: how much harm does bad advice do?"},
    {"sources", HT_OPTION_LIST, offsetof(replay_options, sources), "RUN",
     .help = "Expects of a configuration what another run on the same space says of it, such as of "
             "another device, as far as outcomes agree; may be repeated (docs/search.md)."},
    {"source-evals", HT_OPTION_COUNT, offsetof(replay_options, source_evals), "N", .min = 1,
     .help = "Takes only N evaluations of each of --sources, drawn by the seed (default: all)."},
    {"worst-sources", HT_OPTION_FLAG, offsetof(replay_options, worst_sources),
     .help = "Takes the N slowest that succeeded instead: how much harm do bad sources do?"},
    {"no-facts", HT_OPTION_FLAG, offsetof(replay_options, no_facts),
     .help = "Expects nothing of a configuration before it is tried: not that tiles should divide "
             "the problem, nor that wavefronts should be full."},
    {"batch", HT_OPTION_COUNT, offsetof(replay_options, batch), "B", .fallback = "1", .min = 1,
     .help = "Asks the strategy for B configurations at once."},
    {"threads", HT_OPTION_COUNT, offsetof(replay_options, threads), "T", .min = 1,
     .help = "Searches at the same time (default: the processors). Results do not depend on it."},
    {"partial", HT_OPTION_FLAG, offsetof(replay_options, partial),
     .help = "Takes a run that lacks legal configurations; they count as failures when asked for."},
    {"curve", HT_OPTION_TEXT, offsetof(replay_options, curve), "FILE.tsv", .writes = true,
     .help = "Writes the curve after every evaluation: strategy, evaluations, mean, median, tenth "
             "percentile."},
    {"json", HT_OPTION_JSON, offsetof(replay_options, json), "FILE",
     .help = "Writes the report as JSON: to standard output, or to FILE. docs/replay.md describes "
             "it."},
    {0},
};

/* The state of one run of the command; all owned but `given`. */
typedef struct replaying {
    const replay_options *given;
    ht_space *space;
    ht_recording *recording;
    ht_replay *replay;
    ht_score score;
    ht_launch_facts facts;
    bool has_facts;
    ht_config *seeds;
    size_t seed_count;
    ht_earlier *sources; /* NULL: none */
    const char **names;
    size_t name_count;
    ht_replayed *runs;
    double random_performance;
    ht_progress *progress;
    double begun;
    size_t repeats; /* of what runs now */
} replaying;

static ht_status names_take(replaying *job, ht_error *error) {
    const ht_option_list *given = &job->given->strategies;
    for (size_t i = 0; i < given->count || (!given->count && !i); ++i) {
        const char *name = given->count ? given->items[i] : "auto";
        bool all = !strcmp(name, "all"), found = all;
        for (size_t c = 0; ht_strategy_classes[c]; ++c) {
            const char *known = ht_strategy_classes[c]->name;
            if (!all && strcmp(known, name) != 0)
                continue;
            found = true;
            HT_GROW(job->names, job->name_count);
            job->names[job->name_count++] = known;
        }
        if (!found) { /* an unknown name: this says which there are */
            ht_strategy *none = NULL;
            return ht_strategy_create(name, job->space, &(ht_strategy_options){0}, &none, error);
        }
    }
    return HT_OK;
}

static ht_status load(replaying *job, ht_error *error) {
    const replay_options *given = job->given;
    if (!given->space || !given->cache)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "options --space and --cache are needed (see 'hiptemper replay "
                            "--help')");
    ht_status status = ht_space_read_t1(given->space, 0, &job->space, error);
    if (status == HT_OK)
        status = names_take(job, error);
    if (status == HT_OK)
        status = ht_recording_read(given->cache, HT_RECORDING_GUESS, &job->recording, error);
    if (status == HT_OK)
        status = ht_replay_create(job->space, job->recording, given->partial, &job->replay, error);
    if (status == HT_OK)
        ht_score_make(job->replay, &job->score);
    job->has_facts = status == HT_OK && !given->no_facts &&
                     ht_launch_facts_of_space(job->space, job->recording->problem,
                                              job->recording->device, &job->facts);
    return status;
}

/* Loads the seeds. The other runs need not be whole: configurations that they lack have the last
 * rank. */
static ht_status load_seeds(replaying *job, ht_error *error) {
    const ht_option_list *paths = &job->given->seeds_from;
    ht_recording **recordings = ht_alloc(paths->count, sizeof *recordings);
    ht_replay **others = ht_alloc(paths->count, sizeof *others);
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < paths->count; ++i) {
        status = ht_recording_read(paths->items[i], HT_RECORDING_GUESS, &recordings[i], error);
        if (status == HT_OK)
            status = ht_replay_create(job->space, recordings[i], true, &others[i], error);
    }
    if (status == HT_OK && paths->count) {
        uint64_t count = ht_space_count(job->space);
        size_t want = (size_t)(job->given->seed_count < count ? job->given->seed_count : count);
        job->seeds = ht_alloc(want, sizeof *job->seeds);
        job->seed_count = ht_replay_rank((const ht_replay *const *)others, paths->count,
                                         job->given->worst_seeds, want, job->seeds);
    }
    for (size_t i = 0; i < paths->count; ++i) {
        ht_replay_free(others[i]);
        ht_recording_free(recordings[i]);
    }
    free(others);
    free(recordings);
    return status;
}

static ht_status source_load(replaying *job, const char *path, ht_error *error) {
    const replay_options *given = job->given;
    ht_recording *recording = NULL;
    ht_replay *other = NULL;
    ht_status status = ht_recording_read(path, HT_RECORDING_GUESS, &recording, error);
    if (status == HT_OK)
        status = ht_replay_create(job->space, recording, true, &other, error);
    if (status == HT_OK && !ht_replay_source(other, (size_t)given->source_evals,
                                             given->worst_sources, given->seed, job->sources))
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "cannot be a source: it needs 3 configurations that succeeded in "
                                 "different times, and there may be %d sources",
                                 HT_EARLIER_MAX);
    ht_replay_free(other);
    ht_recording_free(recording);
    return status;
}

static ht_status load_sources(replaying *job, ht_error *error) {
    const ht_option_list *paths = &job->given->sources;
    ht_status status = HT_OK;
    if (job->given->worst_sources && !job->given->source_evals)
        return ht_error_set(error, HT_ERROR_INPUT, "option --worst-sources needs --source-evals");
    if (paths->count)
        job->sources = ht_earlier_create(job->space);
    for (size_t i = 0; status == HT_OK && i < paths->count; ++i)
        status = source_load(job, paths->items[i], error);
    return status;
}

static void on_repeat(void *context, size_t done) {
    replaying *job = context;
    if (ht_clock_seconds() - job->begun < quiet_seconds)
        return;
    char *phase = ht_format("%zu/%zu searches", done, job->repeats);
    ht_progress_phase(job->progress, phase);
    free(phase);
}

static size_t threads_of(const replay_options *given) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (given->threads)
        return (size_t)given->threads;
    return processors > 0 ? (size_t)processors : 1;
}

static ht_status run_strategy(replaying *job, const ht_replay_options *wanted,
                              ht_replay_trace **out_traces, ht_error *error) {
    *out_traces = ht_alloc(wanted->repeats, sizeof **out_traces);
    job->repeats = wanted->repeats;
    ht_progress_begin(job->progress, wanted->strategy);
    return ht_replay_run(job->replay, wanted, *out_traces, error);
}

static void traces_free(ht_replay_trace *traces, size_t count) {
    for (size_t r = 0; traces && r < count; ++r)
        ht_replay_trace_free(&traces[r]);
    free(traces);
}

/* Runs the strategies, then random search alone, without seeds, for its own P. */
static ht_status run_all(replaying *job, ht_error *error) {
    const replay_options *given = job->given;
    const ht_prior prior = ht_launch_facts_prior(&job->facts);
    ht_replay_options wanted = {
        .seed = given->seed,
        .repeats = (size_t)given->repeats,
        .max_evaluations = given->max_evaluations,
        .min_evaluations = LEAST_EVALUATIONS,
        .min_spent = job->score.budget_ms,
        .batch = (size_t)given->batch,
        .threads = threads_of(given),
        .seeds = job->seeds,
        .seed_count = job->seed_count,
        .prior = job->has_facts ? &prior : NULL,
        .sources = job->sources,
        .interrupted = &ht_interrupted,
        .on_repeat = on_repeat,
        .context = job,
    };
    ht_status status = HT_OK;
    job->runs = ht_alloc(job->name_count, sizeof *job->runs);
    for (size_t i = 0; i < job->name_count; ++i) {
        job->runs[i] = (ht_replayed){.strategy = job->names[i], .count = wanted.repeats};
        wanted.strategy = job->names[i];
        if (status == HT_OK)
            status = run_strategy(job, &wanted, &job->runs[i].traces, error);
        else
            job->runs[i].count = 0;
    }
    if (status != HT_OK)
        return status;
    ht_replay_trace *traces;
    wanted.strategy = "random";
    wanted.max_evaluations = 0;
    wanted.seed_count = 0;
    wanted.batch = 1;
    if (wanted.repeats < LEAST_RANDOM)
        wanted.repeats = LEAST_RANDOM;
    status = run_strategy(job, &wanted, &traces, error);
    if (status == HT_OK)
        job->random_performance = ht_score_performance(&job->score, traces, wanted.repeats);
    traces_free(traces, wanted.repeats);
    return status;
}

/* Leaves strategies without a complete search out of the report. */
static size_t runs_keep(replaying *job) {
    size_t kept = 0;
    for (size_t i = 0; i < job->name_count; ++i) {
        bool any = false;
        for (size_t r = 0; r < job->runs[i].count; ++r)
            any |= job->runs[i].traces[r].complete;
        ht_replayed run = job->runs[i];
        if (any) { /* swapped, so that all are freed at the end */
            job->runs[i] = job->runs[kept];
            job->runs[kept++] = run;
        }
    }
    return kept;
}

static int finish(replaying *job, bool interrupted, FILE *out) {
    const replay_options *given = job->given;
    ht_replay_report report = {
        .space_path = given->space,
        .cache_path = given->cache,
        .recording = job->recording,
        .replay = job->replay,
        .score = &job->score,
        .random_performance = job->random_performance,
        .seed = given->seed,
        .max_evaluations = given->max_evaluations,
        .batch = (size_t)given->batch,
        .seed_count = job->seed_count,
        .source_count = job->sources ? ht_earlier_count(job->sources) : 0,
        .facts = job->has_facts ? &job->facts : NULL,
        .interrupted = interrupted,
        .runs = job->runs,
        .run_count = runs_keep(job),
    };
    ht_replay_report_print(&report, out);
    json_t *document = ht_replay_report_json(&report);
    int code = ht_report_json(given->json, document);
    json_decref(document);
    if (given->curve && code == HT_EXIT_OK) {
        ht_text text = {0};
        ht_error error = {0};
        ht_replay_report_curve(&report, &text);
        if (ht_result_write(given->curve, text.data, text.length, &error) != HT_OK)
            code = ht_report_error(&error);
        ht_text_free(&text);
    }
    return interrupted ? HT_EXIT_INTERRUPTED : code;
}

static void replaying_free(replaying *job) {
    for (size_t i = 0; job->runs && i < job->name_count; ++i)
        traces_free(job->runs[i].traces, job->runs[i].count);
    ht_progress_free(job->progress);
    free(job->runs);
    free(job->names);
    free(job->seeds);
    ht_earlier_free(job->sources);
    ht_score_free(&job->score);
    ht_replay_free(job->replay);
    ht_recording_free(job->recording);
    ht_space_free(job->space);
}

static int run_replay(const ht_command_line *line) {
    replaying job = {.given = line->options, .random_performance = NAN};
    ht_error error = {0};
    FILE *out = ht_report_stream(job.given->json);
    ht_status status = load(&job, &error);
    if (status == HT_OK)
        status = load_seeds(&job, &error);
    if (status == HT_OK)
        status = load_sources(&job, &error);
    int code = HT_EXIT_OK;
    if (status == HT_OK) {
        job.begun = ht_clock_seconds();
        job.progress = ht_progress_new(stderr, job.name_count + 1);
        status = run_all(&job, &error);
        ht_progress_pause(job.progress);
    }
    if (status == HT_OK || (status == HT_ERROR_INTERRUPTED && job.runs))
        code = finish(&job, status == HT_ERROR_INTERRUPTED, out);
    else
        code = ht_report_error(&error);
    replaying_free(&job);
    return code;
}

const ht_command ht_command_replay = {
    .name = "replay",
    .summary = "compare search strategies on a recorded tuning run",
    .usage = "[OPTION]... --space T1.json --cache RUN",
    .description =
        "Searches a space whose configurations were all tried before, and answers from the "
        "recording instead of a device. Prints, for each strategy, how near the best found is to "
        "the optimum after 10 to 200 evaluations (mean and tenth percentile of optimum / best so "
        "far; failures and starting configurations count as evaluations), its performance P "
        "against "
        "random search over the recorded tuning time, and its own processor time.\n\n"
        "The same seed gives the same result, whatever the number of threads.",
    .examples =
        "hiptemper replay --space T1.json --cache A100.json.gz --strategy all --repeats 50\n"
        "hiptemper replay --space T1.json --cache MI250X.json.gz --strategy random \\\n"
        "    --max-evals 200 --seeds-from A100.json.gz --seeds-from W7800.json.gz\n"
        "hiptemper replay --space T1.json --cache MI250X.json.gz --sources A100.json.gz \\\n"
        "    --sources W7800.json.gz --source-evals 200",
    .options = options,
    .options_size = sizeof(replay_options),
    .run = run_replay,
};
