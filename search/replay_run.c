#include "search/replay_run.h"

#include "base/memory.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* The state that the threads share. */
typedef struct crew {
    const ht_replay *replay;
    const ht_replay_options *options;
    ht_replay_trace *traces;
    pthread_mutex_t lock; /* for all below */
    size_t next, done;
    ht_status status; /* of the first that failed */
    ht_error *error;
} crew;

/* One search under way. */
typedef struct search {
    const crew *crew;
    ht_strategy *strategy;
    ht_evaluator evaluator;
    ht_config *configs; /* of a batch */
    ht_outcome *outcomes;
    ht_replay_trace *trace;
} search;

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool interrupted(const crew *crew) {
    return crew->options->interrupted && *crew->options->interrupted;
}

/* Returns how many may still be asked; 0 at the end. */
static size_t room(const search *run) {
    const ht_replay_options *options = run->crew->options;
    const ht_replay_trace *trace = run->trace;
    if (options->max_evaluations) {
        uint64_t left = options->max_evaluations - trace->count;
        return left < options->batch ? (size_t)left : options->batch;
    }
    bool enough = trace->count >= options->min_evaluations && trace->count &&
                  trace->spent[trace->count - 1] >= options->min_spent;
    return enough ? 0 : options->batch;
}

static void trace_add(const search *run, const ht_config *config, const ht_outcome *outcome) {
    ht_replay_trace *trace = run->trace;
    size_t count = trace->count;
    uint64_t index = 0;
    ht_space_find(ht_replay_space(run->crew->replay), config, &index);
    HT_GROW(trace->best, count);
    HT_GROW(trace->spent, count);
    double best = count ? trace->best[count - 1] : INFINITY;
    trace->best[count] = outcome->status == HT_OK ? fmin(best, outcome->cost) : best;
    trace->spent[count] =
        (count ? trace->spent[count - 1] : 0) + ht_replay_spent(run->crew->replay, index);
    trace->failed += outcome->status != HT_OK;
    trace->missing += !ht_replay_record(run->crew->replay, index);
    ++trace->count;
}

static ht_status search_loop(search *run, ht_error *error) {
    size_t want;
    while ((want = room(run)) > 0) {
        size_t done = 0;
        if (interrupted(run->crew))
            return ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
        double begun = processor_seconds();
        size_t count = ht_strategy_ask(run->strategy, want, run->configs);
        run->trace->overhead += processor_seconds() - begun;
        if (!count)
            return HT_OK;
        ht_status status = run->evaluator.evaluate(run->evaluator.self, run->configs, count,
                                                   run->outcomes, &done, error);
        if (status != HT_OK)
            return status;
        begun = processor_seconds();
        for (size_t i = 0; i < count; ++i)
            ht_strategy_tell(run->strategy, &run->configs[i], &run->outcomes[i]);
        run->trace->overhead += processor_seconds() - begun;
        for (size_t i = 0; i < count; ++i)
            trace_add(run, &run->configs[i], &run->outcomes[i]);
    }
    return HT_OK;
}

static ht_status search_run(const crew *crew, size_t repeat, ht_error *error) {
    const ht_replay_options *options = crew->options;
    ht_random random;
    ht_random_stream(&random, options->seed, repeat);
    ht_strategy_options given = {.seed = ht_random_next(&random),
                                 .seeds = options->seeds,
                                 .seed_count = options->seed_count,
                                 .bayes = options->bayes,
                                 .prior = options->prior,
                                 .sources = options->sources};
    search run = {.crew = crew, .trace = &crew->traces[repeat]};
    double begun = processor_seconds();
    ht_status status = ht_strategy_create(options->strategy, ht_replay_space(crew->replay), &given,
                                          &run.strategy, error);
    if (status != HT_OK)
        return status;
    run.trace->overhead = processor_seconds() - begun;
    run.evaluator = ht_replay_evaluator(crew->replay, options->batch);
    run.configs = ht_alloc(options->batch, sizeof *run.configs);
    run.outcomes = ht_alloc(options->batch, sizeof *run.outcomes);
    status = search_loop(&run, error);
    run.trace->complete = status == HT_OK;
    free(run.configs);
    free(run.outcomes);
    ht_strategy_free(run.strategy);
    return status;
}

static void *work(void *data) {
    crew *crew = data;
    ht_error *error = ht_alloc(1, sizeof *error);
    pthread_mutex_lock(&crew->lock);
    while (crew->status == HT_OK && crew->next < crew->options->repeats) {
        size_t repeat = crew->next++;
        pthread_mutex_unlock(&crew->lock);
        ht_status status = search_run(crew, repeat, error);
        pthread_mutex_lock(&crew->lock);
        if (status != HT_OK && crew->status == HT_OK) {
            crew->status = status;
            if (crew->error)
                *crew->error = *error;
        }
        if (status == HT_OK && crew->options->on_repeat)
            crew->options->on_repeat(crew->options->context, ++crew->done);
    }
    pthread_mutex_unlock(&crew->lock);
    free(error);
    return NULL;
}

ht_status ht_replay_run(const ht_replay *replay, const ht_replay_options *options,
                        ht_replay_trace *traces, ht_error *error) {
    crew crew = {.replay = replay, .options = options, .traces = traces, .error = error};
    size_t helpers = options->threads < options->repeats ? options->threads : options->repeats;
    helpers = helpers ? helpers - 1 : 0;
    pthread_t *threads = ht_alloc(helpers, sizeof *threads);
    size_t started = 0;
    for (size_t r = 0; r < options->repeats; ++r)
        traces[r] = (ht_replay_trace){0};
    pthread_mutex_init(&crew.lock, NULL);
    while (started < helpers && pthread_create(&threads[started], NULL, work, &crew) == 0)
        ++started;
    work(&crew);
    for (size_t i = 0; i < started; ++i)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&crew.lock);
    free(threads);
    return crew.status;
}

void ht_replay_trace_free(ht_replay_trace *trace) {
    free(trace->best);
    free(trace->spent);
    *trace = (ht_replay_trace){0};
}
