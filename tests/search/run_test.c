/* The search loop: budget, events, interruption, failing evaluators, ranking. */
#include "spaces.h"

#include "base/memory.h"
#include "search/strategy.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Costs are the index's distance from `optimum`; indices divisible by 7 fail. */
typedef struct bowl {
    const ht_space *space;
    uint64_t optimum;
    uint64_t calls;
    uint64_t dies_after; /* evaluations; 0: never */
    ht_status death;
    volatile int *raises; /* set after `raise_after` evaluations */
    uint64_t raise_after;
} bowl;

static ht_status bowl_evaluate(void *self, const ht_config *configs, size_t count,
                               ht_outcome *outcomes, size_t *out_done, ht_error *error) {
    bowl *bowl = self;
    for (size_t i = 0; i < count; ++i) {
        if (bowl->dies_after && bowl->calls >= bowl->dies_after) {
            *out_done = i;
            return ht_error_set(error, bowl->death, "the device fell off");
        }
        uint64_t index = 0;
        cr_assert(ht_space_find(bowl->space, &configs[i], &index));
        double distance = (double)index - (double)bowl->optimum;
        outcomes[i] = (ht_outcome){.status = HT_OK, .cost = 1 + distance * distance};
        if (index % 7 == 0)
            outcomes[i] = (ht_outcome){.status = HT_ERROR_CRASH, .reason = "crash: signal 11"};
        ++bowl->calls;
        if (bowl->raises && bowl->calls >= bowl->raise_after)
            *bowl->raises = 1;
    }
    *out_done = count;
    return HT_OK;
}

static const char hundred[] =
    "#pragma tune unit\n#pragma tune kernel(k)\n"
    "#pragma tune param(A : 1..10 = 1)\n#pragma tune param(B : 1..10 = 1)\n"
    "#pragma tune block(A)\n#pragma tune grid(1)\n"
    "#pragma tune arg(out : out float[64])\n"
    "template <int A, int B> __global__ void k(float *out) { out[threadIdx.x] = A * B; }\n";

typedef struct fixture {
    test_space space;
    bowl bowl;
    ht_evaluator evaluator;
    ht_strategy *strategy;
} fixture;

static void fixture_make(fixture *f, const char *strategy, size_t batch) {
    test_space_parse(&f->space, hundred);
    f->bowl = (bowl){.space = f->space.space, .optimum = 40};
    f->evaluator = (ht_evaluator){&f->bowl, bowl_evaluate, batch};
    cr_assert_eq(ht_strategy_create(strategy, f->space.space, &(ht_strategy_options){.seed = 1},
                                    &f->strategy, NULL),
                 HT_OK);
}

static void fixture_free(fixture *f, ht_search_result *result) {
    ht_search_result_free(result);
    ht_strategy_free(f->strategy);
    test_space_free(&f->space);
}

typedef struct events {
    uint64_t count;
    double best;
    uint64_t failures;
} events;

static void event_check(void *context, const ht_search_event *event) {
    events *seen = context;
    cr_assert_eq(event->evaluated, ++seen->count, "events come one by one, in order");
    cr_assert_eq(event->space, 100);
    if (event->outcome->status != HT_OK) {
        ++seen->failures;
    } else if (seen->best == 0 || event->outcome->cost < seen->best) {
        seen->best = event->outcome->cost;
        cr_assert(ht_config_equal(event->best, event->config));
    }
    cr_assert_eq(event->best != NULL, seen->best != 0);
    if (event->best)
        cr_assert_eq(event->best_cost, seen->best);
}

Test(run, whole_space_is_exhausted_and_the_best_is_found) {
    fixture f;
    fixture_make(&f, "exhaustive", 7);
    events seen = {0};
    ht_search_options options = {.on_event = event_check, .context = &seen};
    ht_search_result result;
    cr_assert_eq(ht_search_run(f.strategy, &f.evaluator, &options, &result, NULL), HT_OK);
    cr_assert(result.exhausted);
    cr_assert_eq(result.trial_count, 100);
    cr_assert_eq(seen.count, 100);
    cr_assert_eq(seen.failures, 15);
    size_t best[5];
    cr_assert_eq(ht_search_result_best(&result, 5, best), 5);
    cr_assert_eq(result.trials[best[0]].outcome.cost, 1);
    for (size_t i = 1; i < 5; ++i)
        cr_assert_geq(result.trials[best[i]].outcome.cost, result.trials[best[i - 1]].outcome.cost);
    fixture_free(&f, &result);
}

Test(run, best_agrees_with_sorting_everything) {
    for (size_t want = 1; want <= 100; want += 11) {
        fixture f;
        fixture_make(&f, "random", 4);
        ht_search_result result;
        cr_assert_eq(
            ht_search_run(f.strategy, &f.evaluator, &(ht_search_options){0}, &result, NULL), HT_OK);
        size_t best[100];
        size_t count = ht_search_result_best(&result, want, best);
        cr_assert_eq(count, want < 85 ? want : 85, "85 of 100 succeed");
        for (size_t i = 0; i < count; ++i) {
            size_t cheaper = 0;
            for (size_t j = 0; j < result.trial_count; ++j)
                cheaper += result.trials[j].outcome.status == HT_OK &&
                           result.trials[j].outcome.cost < result.trials[best[i]].outcome.cost;
            cr_assert_leq(cheaper, i, "rank %zu has %zu cheaper ones", i, cheaper);
        }
        fixture_free(&f, &result);
    }
}

Test(run, evaluation_budget_is_exact_whatever_the_batch) {
    for (size_t batch = 1; batch < 12; ++batch) {
        fixture f;
        fixture_make(&f, "random", batch);
        ht_search_options options = {.budget = {.max_evaluations = 23}};
        ht_search_result result;
        cr_assert_eq(ht_search_run(f.strategy, &f.evaluator, &options, &result, NULL), HT_OK);
        cr_assert_eq(result.trial_count, 23);
        cr_assert_eq(f.bowl.calls, 23);
        cr_assert_not(result.exhausted);
        fixture_free(&f, &result);
    }
}

Test(run, spent_time_ends_the_search) {
    fixture f;
    fixture_make(&f, "random", 1);
    ht_search_options options = {.budget = {.max_seconds = 1e-12}};
    ht_search_result result;
    cr_assert_eq(ht_search_run(f.strategy, &f.evaluator, &options, &result, NULL), HT_OK);
    cr_assert_lt(result.trial_count, 100);
    cr_assert_not(result.interrupted);
    fixture_free(&f, &result);
}

/* A search that a killed process began is done again by one that does not know yet how long a
 * configuration takes. */
Test(run, asks_for_the_same_whatever_is_known_of_how_long_one_takes) {
    enum { BUDGET = 40 };
    ht_search_result results[2];
    fixture f[2];
    for (int known = 0; known < 2; ++known) {
        fixture_make(&f[known], "genetic", 8);
        ht_search_options options = {.budget = {.max_seconds = 600,
                                                .max_evaluations = BUDGET,
                                                .each_seconds = known ? 1e-3 : 0}};
        cr_assert_eq(
            ht_search_run(f[known].strategy, &f[known].evaluator, &options, &results[known], NULL),
            HT_OK);
        cr_assert_eq(results[known].trial_count, BUDGET);
    }
    for (size_t i = 0; i < BUDGET; ++i)
        cr_assert(ht_config_equal(&results[0].trials[i].config, &results[1].trials[i].config),
                  "number %zu is another", i);
    for (int known = 0; known < 2; ++known)
        fixture_free(&f[known], &results[known]);
}

Test(run, interruption_keeps_what_was_done) {
    fixture f;
    fixture_make(&f, "random", 5);
    volatile int flag = 0;
    f.bowl.raises = &flag;
    f.bowl.raise_after = 12;
    ht_search_options options = {.interrupted = &flag};
    ht_search_result result;
    cr_assert_eq(ht_search_run(f.strategy, &f.evaluator, &options, &result, NULL), HT_OK);
    cr_assert(result.interrupted);
    cr_assert_eq(result.trial_count, 15, "the batch under way is finished");
    fixture_free(&f, &result);
}

Test(run, evaluator_that_is_interrupted_in_a_batch_keeps_its_answers) {
    fixture f;
    fixture_make(&f, "random", 5);
    f.bowl.dies_after = 13;
    f.bowl.death = HT_ERROR_INTERRUPTED;
    ht_search_result result;
    cr_assert_eq(ht_search_run(f.strategy, &f.evaluator, &(ht_search_options){0}, &result, NULL),
                 HT_OK);
    cr_assert(result.interrupted);
    cr_assert_eq(result.trial_count, 13);
    fixture_free(&f, &result);
}

Test(run, dead_evaluator_ends_the_search_with_its_error_and_the_trials) {
    fixture f;
    fixture_make(&f, "random", 5);
    f.bowl.dies_after = 13;
    f.bowl.death = HT_ERROR_LAUNCH;
    ht_search_result result;
    ht_error error;
    cr_assert_eq(ht_search_run(f.strategy, &f.evaluator, &(ht_search_options){0}, &result, &error),
                 HT_ERROR_LAUNCH);
    cr_assert_str_eq(error.message, "the device fell off");
    cr_assert_eq(result.trial_count, 13);
    cr_assert_not(result.interrupted);
    fixture_free(&f, &result);
}
