/* The search loop: asks, evaluates, hands over the outcomes, until the space or the budget ends. */
#include "search/strategy_internal.h"

#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct search {
    ht_strategy *strategy;
    ht_evaluator *evaluator;
    const ht_search_options *options;
    ht_search_result *result;
    double start;
    double each_seconds; /* that a configuration takes: as expected, then by the slowest batch */
    size_t best;         /* index of the best trial; SIZE_MAX before the first success */
} search;

static bool interrupted(const search *run) {
    return run->options->interrupted && *run->options->interrupted;
}

/* Returns how many of a batch the time that is left is likely to be enough for. */
static size_t batch_in_time(const search *run, size_t batch) {
    double left = run->options->budget.max_seconds - (ht_clock_seconds() - run->start);
    if (left <= 0)
        return 0;
    /* the first is the same whether or not another search said how long one takes: a search that is
     * done again, by another process, asks for the same */
    if (run->result->trial_count == 0)
        batch = batch > 1 ? batch / 2 : 1;
    if (run->each_seconds <= 0)
        return batch;
    size_t fit = (size_t)fmin(left / run->each_seconds, (double)batch);
    return fit == 0 && run->result->trial_count == 0 ? 1 : fit;
}

/* Returns how many configurations may be asked for now; 0 when the budget is spent, or would be
 * before another one is done. */
static size_t batch_size(const search *run) {
    const ht_search_budget *budget = &run->options->budget;
    size_t batch = run->evaluator->batch ? run->evaluator->batch : 1;
    if (budget->max_seconds > 0)
        batch = batch_in_time(run, batch);
    if (budget->max_evaluations == 0)
        return batch;
    uint64_t done = run->result->trial_count;
    uint64_t left = budget->max_evaluations > done ? budget->max_evaluations - done : 0;
    return left < batch ? (size_t)left : batch;
}

static void event_send(const search *run, const ht_trial *trial) {
    if (!run->options->on_event)
        return;
    const ht_trial *best = run->best == SIZE_MAX ? NULL : &run->result->trials[run->best];
    ht_search_event event = {
        .evaluated = run->result->trial_count,
        .space = ht_space_count(ht_strategy_space(run->strategy)),
        .config = &trial->config,
        .outcome = &trial->outcome,
        .best = best ? &best->config : NULL,
        .best_cost = best ? best->outcome.cost : 0,
        .seconds = ht_clock_seconds() - run->start,
    };
    run->options->on_event(run->options->context, &event);
}

static void trial_add(search *run, const ht_config *config, const ht_outcome *outcome) {
    ht_search_result *result = run->result;
    HT_GROW(result->trials, result->trial_count);
    ht_trial *trial = &result->trials[result->trial_count++];
    *trial = (ht_trial){.config = *config, .outcome = *outcome};
    if (trial->outcome.status == HT_OK &&
        (run->best == SIZE_MAX || trial->outcome.cost < result->trials[run->best].outcome.cost))
        run->best = result->trial_count - 1;
    ht_strategy_tell(run->strategy, config, outcome);
    event_send(run, trial);
}

static ht_status batch_run(search *run, ht_config *configs, ht_outcome *outcomes, size_t count,
                           ht_error *error) {
    size_t done = 0;
    double begun = ht_clock_seconds();
    ht_status status =
        run->evaluator->evaluate(run->evaluator->self, configs, count, outcomes, &done, error);
    double each = (ht_clock_seconds() - begun) / (double)count;
    bool slowest = each > run->each_seconds || run->result->trial_count == 0;
    run->each_seconds = slowest ? each : run->each_seconds;
    for (size_t i = 0; i < done && i < count; ++i)
        trial_add(run, &configs[i], &outcomes[i]);
    if (status == HT_ERROR_INTERRUPTED) {
        run->result->interrupted = true;
        return HT_OK;
    }
    if (status == HT_OK && done < count)
        return ht_error_set(error, HT_ERROR_INTERNAL,
                            "the evaluator answered %zu of %zu configurations", done, count);
    return status;
}

ht_status ht_search_run(ht_strategy *strategy, ht_evaluator *evaluator,
                        const ht_search_options *options, ht_search_result *out_result,
                        ht_error *error) {
    *out_result = (ht_search_result){0};
    search run = {
        .strategy = strategy,
        .evaluator = evaluator,
        .options = options,
        .result = out_result,
        .start = ht_clock_seconds(),
        .each_seconds = options->budget.each_seconds,
        .best = SIZE_MAX,
    };
    size_t room = evaluator->batch ? evaluator->batch : 1;
    size_t learnt = ht_strategy_learn(strategy, options->known, options->known_count);
    ht_config *configs = ht_alloc(room, sizeof *configs);
    ht_outcome *outcomes = ht_alloc(room, sizeof *outcomes);
    ht_status status = HT_OK;
    while (status == HT_OK && !out_result->interrupted) {
        if (interrupted(&run)) {
            out_result->interrupted = true;
            break;
        }
        size_t want = batch_size(&run);
        if (want == 0)
            break;
        size_t count = ht_strategy_ask(strategy, want, configs);
        if (count == 0)
            break;
        status = batch_run(&run, configs, outcomes, count, error);
    }
    out_result->each_seconds = run.each_seconds;
    out_result->exhausted =
        out_result->trial_count + learnt == ht_space_count(ht_strategy_space(strategy));
    free(configs);
    free(outcomes);
    return status;
}

void ht_search_result_free(ht_search_result *result) {
    free(result->trials);
    *result = (ht_search_result){0};
}

size_t ht_search_result_best(const ht_search_result *result, size_t want, size_t *out_indices) {
    size_t count = 0;
    for (size_t i = 0; i < result->trial_count; ++i) {
        const ht_outcome *outcome = &result->trials[i].outcome;
        if (outcome->status != HT_OK || isnan(outcome->cost))
            continue;
        /* Insertion into a short sorted list; of equal costs the earlier trial stays first. */
        size_t at = count;
        while (at > 0 && result->trials[out_indices[at - 1]].outcome.cost > outcome->cost)
            --at;
        if (at >= want)
            continue;
        size_t last = count < want ? count : want - 1;
        for (size_t j = last; j > at; --j)
            out_indices[j] = out_indices[j - 1];
        out_indices[at] = i;
        count += count < want;
    }
    return count;
}
