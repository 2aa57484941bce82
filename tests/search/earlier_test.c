/* Earlier runs as expectations: what they say is what was measured, or near it where nothing was;
 * searches make use of true ones at once, and false ones cost them next to nothing. */
#include "search/earlier.h"
#include "search/strategy.h"
#include "search/trust.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

/* 2,880 configurations. */
static const char space_text[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"[1, 2, 4, 8, 16, 32, 64, 128]\", "
    "\"Default\": 1},"
    "{\"Name\": \"b\", \"Type\": \"int\", \"Values\": \"[1, 2, 3, 4, 6, 8]\", \"Default\": 1},"
    "{\"Name\": \"c\", \"Type\": \"int\", \"Values\": \"[1, 2, 3, 4, 5]\", \"Default\": 1},"
    "{\"Name\": \"d\", \"Type\": \"int\", \"Values\": \"[0, 1, 2, 3]\", \"Default\": 0},"
    "{\"Name\": \"e\", \"Type\": \"int\", \"Values\": \"[0, 1, 2]\", \"Default\": 0}],"
    "\"Conditions\": []}}";

static ht_space *space_make(void) {
    ht_space *space;
    ht_error error = {0};
    cr_assert_eq(ht_space_parse_t1(space_text, "T1.json", 0, &space, &error), HT_OK, "%s",
                 error.message);
    return space;
}

/* Smooth, but for a roughness that no model knows; its optimum depends on the device. */
static double cost_of(const ht_config *config, int device) {
    double a = config->choice[0] - 3.0 - device, b = config->choice[1] - 2.0, sum = 0;
    unsigned rough = config->choice[0] * 7U + config->choice[1] * 13U + config->choice[2] * 29U +
                     config->choice[3] * 31U + config->choice[4] * 3U;
    sum += 0.06 * a * a + 0.05 * b * b + 0.15 * config->choice[3] * (config->choice[2] % 2);
    sum += 0.2 * fabs(config->choice[2] - 3.0) + 0.1 * config->choice[4];
    return exp(sum + 0.15 * (rough % 11) / 10.0);
}

/* Adds a run of every `step`-th configuration; `sign` -1: what is fast there is slow here. */
static bool run_add(ht_earlier *earlier, const ht_space *space, int device, size_t step,
                    double sign) {
    size_t count = 0;
    ht_earlier_outcome *outcomes = calloc(ht_space_count(space), sizeof *outcomes);
    for (size_t i = 0; i < ht_space_count(space); i += step) {
        ht_config config = ht_space_at(space, i);
        outcomes[count++] = (ht_earlier_outcome){config, exp(sign * log(cost_of(&config, device)))};
    }
    bool added = ht_earlier_add(earlier, outcomes, count);
    free(outcomes);
    return added;
}

Test(earlier, a_run_says_what_was_measured_in_standard_units) {
    ht_space *space = space_make();
    ht_earlier *earlier = ht_earlier_create(space);
    cr_assert(run_add(earlier, space, 0, 1, 1));
    double sum = 0, squares = 0, n = (double)ht_space_count(space);
    double least = INFINITY, fastest = INFINITY, value;
    ht_config liked = {0}, best;
    for (uint64_t i = 0; i < ht_space_count(space); ++i) {
        ht_config config = ht_space_at(space, i);
        ht_earlier_values(earlier, &config, 1, &value);
        sum += value / n;
        squares += value * value / n;
        if (value < least)
            liked = config;
        least = fmin(least, value);
        fastest = fmin(fastest, cost_of(&config, 0));
    }
    cr_expect_float_eq(sum, 0, 1e-4);
    cr_expect_float_eq(squares, 1, 1e-3);
    cr_expect_float_eq(cost_of(&liked, 0), fastest, 1e-12);
    const double weight = 0.3;
    cr_expect_eq(ht_earlier_best(earlier, &weight, 1, &best), 1);
    cr_expect_float_eq(cost_of(&best, 0), fastest, 1e-12);
    ht_earlier_free(earlier);
    ht_space_free(space);
}

Test(earlier, failures_count_as_the_slowest) {
    ht_space *space = space_make();
    ht_earlier *earlier = ht_earlier_create(space);
    ht_earlier_outcome outcomes[5];
    double values[5];
    ht_config configs[5];
    for (size_t i = 0; i < 5; ++i) {
        configs[i] = outcomes[i].config = ht_space_at(space, i * 100);
        outcomes[i].cost = i == 2 ? INFINITY : 1 + (double)i;
    }
    cr_assert(ht_earlier_add(earlier, outcomes, 5));
    ht_earlier_values(earlier, configs, 5, values);
    for (size_t i = 0; i < 5; ++i)
        cr_expect(values[i] <= values[2]);
    cr_expect_float_eq(values[2], values[4], 1e-6);
    ht_earlier_free(earlier);
    ht_space_free(space);
}

/* Too little to learn from: two successes, or three that took the same time. */
Test(earlier, runs_that_say_nothing_are_not_taken) {
    ht_space *space = space_make();
    ht_earlier *earlier = ht_earlier_create(space);
    ht_earlier_outcome outcomes[4];
    for (size_t i = 0; i < 4; ++i)
        outcomes[i] = (ht_earlier_outcome){ht_space_at(space, i), 2};
    cr_expect_not(ht_earlier_add(earlier, outcomes, 4));
    outcomes[1].cost = 3;
    outcomes[2].cost = outcomes[3].cost = INFINITY;
    cr_expect_not(ht_earlier_add(earlier, outcomes, 4));
    outcomes[3] = outcomes[0]; /* there twice: two successes all the same */
    cr_expect_not(ht_earlier_add(earlier, outcomes, 4));
    cr_expect_eq(ht_earlier_count(earlier), 0);
    for (int i = 0; i < HT_EARLIER_MAX; ++i)
        cr_expect(run_add(earlier, space, 0, 100, 1));
    cr_expect_not(run_add(earlier, space, 0, 100, 1));
    ht_earlier_free(earlier);
    ht_space_free(space);
}

/* 300 outcomes that do not depend on the configurations; as many of a run are taken, and a few of
 * which nothing can be known. */
Test(earlier, outcomes_that_cannot_be_learnt_from_are_not_taken) {
    ht_space *space = space_make();
    uint64_t legal = ht_space_count(space);
    enum { COUNT = 300, FEW = 50 };
    cr_assert(legal >= COUNT);
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        ht_earlier *earlier = ht_earlier_create(space);
        ht_earlier_outcome noise[COUNT];
        ht_random random;
        ht_random_seed(&random, seed);
        for (size_t i = 0; i < COUNT; ++i)
            noise[i] = (ht_earlier_outcome){ht_space_at(space, i * legal / COUNT),
                                            exp(3 * ht_random_unit(&random))};
        cr_expect_not(ht_earlier_add(earlier, noise, COUNT));
        cr_expect_eq(ht_earlier_count(earlier), 0);
        cr_expect(ht_earlier_add(earlier, noise, FEW));
        cr_expect(run_add(earlier, space, (int)seed % 2, 9, 1));
        ht_earlier_free(earlier);
    }
    ht_space_free(space);
}

/* A space that is listed, but larger than the tables that sources keep of smaller ones. */
Test(earlier, answer_in_a_space_that_is_listed_and_too_large_for_a_table) {
    static const char large[] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": ["
        "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"list(range(1, 201))\", \"Default\": 1},"
        "{\"Name\": \"b\", \"Type\": \"int\", \"Values\": \"list(range(1, 201))\", \"Default\": "
        "1}],"
        "\"Conditions\": []}}";
    ht_space *space;
    ht_error error = {0};
    cr_assert_eq(ht_space_parse_t1(large, "T1.json", 0, &space, &error), HT_OK, "%s",
                 error.message);
    cr_assert(ht_space_listed(space) && ht_space_count(space) > 32768);
    ht_earlier *earlier = ht_earlier_create(space);
    ht_earlier_outcome outcomes[40];
    for (size_t i = 0; i < 40; ++i)
        outcomes[i] = (ht_earlier_outcome){ht_space_at(space, i * 997), 1 + (double)((i * 7) % 40)};
    cr_assert(ht_earlier_add(earlier, outcomes, 40));
    const double weight = 1;
    ht_config best;
    double values[2];
    cr_assert_eq(ht_earlier_best(earlier, &weight, 1, &best), 1);
    cr_expect(ht_config_equal(&best, &outcomes[0].config));
    const ht_config two[2] = {outcomes[0].config, outcomes[17].config};
    ht_earlier_values(earlier, two, 2, values);
    cr_expect_lt(values[0], values[1]);
    ht_earlier_free(earlier);
    ht_space_free(space);
}

/* Where a run has nothing, what it says of others there is near the truth: correlated at 0.8 at
 * least, where one in 29 is known. */
Test(earlier, what_is_not_known_is_estimated) {
    ht_space *space = space_make();
    ht_earlier *sparse = ht_earlier_create(space), *full = ht_earlier_create(space);
    cr_assert(run_add(sparse, space, 0, 29, 1));
    cr_assert(run_add(full, space, 0, 1, 1));
    double xy = 0, xx = 0, yy = 0, x = 0, y = 0, n = 0;
    for (uint64_t i = 0; i < ht_space_count(space); ++i) {
        double guess, truth;
        ht_config config = ht_space_at(space, i);
        ht_earlier_values(sparse, &config, 1, &guess);
        ht_earlier_values(full, &config, 1, &truth);
        if (i % 29 == 0)
            continue;
        x += guess;
        y += truth;
        xy += guess * truth;
        xx += guess * guess;
        yy += truth * truth;
        ++n;
    }
    double correlation = (xy - x * y / n) / sqrt((xx - x * x / n) * (yy - y * y / n));
    cr_expect_gt(correlation, 0.8, "%g", correlation);
    ht_earlier_free(sparse);
    ht_earlier_free(full);
    ht_space_free(space);
}

/* ---- searches */

/* Returns the mean over searches of the optimum over the best after some evaluations in batches. */
static double share_after(const ht_space *space, const ht_earlier *earlier, size_t evaluations,
                          size_t batch) {
    enum { SEARCHES = 40, BATCH_MAX = 16 };
    double optimum = INFINITY, sum = 0;
    for (uint64_t i = 0; i < ht_space_count(space); ++i) {
        ht_config config = ht_space_at(space, i);
        optimum = fmin(optimum, cost_of(&config, 0));
    }
    for (uint64_t seed = 0; seed < SEARCHES; ++seed) {
        const ht_strategy_options options = {.seed = seed, .sources = earlier};
        ht_strategy *strategy;
        ht_config configs[BATCH_MAX];
        double best = INFINITY;
        cr_assert_eq(ht_strategy_create("auto", space, &options, &strategy, NULL), HT_OK);
        for (size_t done = 0; done < evaluations; done += batch) {
            cr_assert_eq(ht_strategy_ask(strategy, batch, configs), batch);
            for (size_t i = 0; i < batch; ++i) {
                ht_outcome outcome = {.status = HT_OK, .cost = cost_of(&configs[i], 0)};
                best = fmin(best, outcome.cost);
                ht_strategy_tell(strategy, &configs[i], &outcome);
            }
        }
        ht_strategy_free(strategy);
        sum += optimum / best / SEARCHES;
    }
    return sum;
}

Test(earlier, a_run_of_the_same_device_finds_the_optimum_at_once) {
    ht_space *space = space_make();
    ht_earlier *earlier = ht_earlier_create(space);
    cr_assert(run_add(earlier, space, 0, 1, 1));
    cr_expect_float_eq(share_after(space, earlier, 1, 1), 1, 1e-9);
    ht_earlier_free(earlier);
    ht_space_free(space);
}

Test(earlier, runs_of_other_devices_help_even_if_sparse) {
    ht_space *space = space_make();
    ht_earlier *earlier = ht_earlier_create(space);
    cr_assert(run_add(earlier, space, 1, 29, 1));
    cr_assert(run_add(earlier, space, -1, 29, 1));
    double with = share_after(space, earlier, 8, 1), without = share_after(space, NULL, 8, 1);
    cr_expect_gt(with, without + 0.03, "%g, without %g", with, without);
    with = share_after(space, earlier, 8, 8);
    without = share_after(space, NULL, 8, 8);
    cr_expect_gt(with, without + 0.03, "in one batch: %g, without %g", with, without);
    ht_earlier_free(earlier);
    ht_space_free(space);
}

Test(earlier, a_run_that_misleads_costs_little) {
    ht_space *space = space_make();
    for (size_t step = 1; step <= 29; step += 28) {
        ht_earlier *earlier = ht_earlier_create(space);
        cr_assert(run_add(earlier, space, 0, step, -1));
        double with = share_after(space, earlier, 25, 1), without = share_after(space, NULL, 25, 1);
        cr_expect_gt(with, without - 0.02, "every %zu: %g, without %g", step, with, without);
        ht_earlier_free(earlier);
    }
    ht_space_free(space);
}

/* By the end of a search its trust is in the run that is like this device, not in its opposite. */
Test(earlier, trust_is_in_what_outcomes_agree_with) {
    ht_space *space = space_make();
    ht_earlier *earlier = ht_earlier_create(space);
    cr_assert(run_add(earlier, space, 0, 3, -1));
    cr_assert(run_add(earlier, space, 1, 3, 1));
    const ht_strategy_options options = {.seed = 1, .sources = earlier};
    static const char *const names[] = {"bayes", "auto"};
    for (size_t n = 0; n < 2; ++n) {
        ht_strategy *strategy;
        ht_trust trust;
        cr_assert_eq(ht_strategy_create(names[n], space, &options, &strategy, NULL), HT_OK);
        for (size_t i = 0; i < 15; ++i) {
            ht_config config;
            cr_assert_eq(ht_strategy_ask(strategy, 1, &config), 1);
            ht_strategy_tell(strategy, &config,
                             &(ht_outcome){.status = HT_OK, .cost = cost_of(&config, 0)});
        }
        cr_assert(ht_strategy_trust(strategy, &trust));
        cr_expect_lt(trust.weight[0], 1e-6);
        cr_expect_gt(trust.weight[1], 0.05);
        cr_expect_gt(trust.any, 0.9);
        ht_strategy_free(strategy);
    }
    ht_strategy *strategy;
    ht_trust trust;
    cr_assert_eq(ht_strategy_create("random", space, &options, &strategy, NULL), HT_OK);
    cr_expect_not(ht_strategy_trust(strategy, &trust));
    cr_expect_not(ht_strategy_expects("random"));
    cr_expect(ht_strategy_expects("auto"));
    ht_strategy_free(strategy);
    ht_earlier_free(earlier);
    ht_space_free(space);
}

/* A space too large to be listed has no tables: runs say the same there. */
Test(earlier, spaces_that_are_not_listed_have_expectations_too) {
    ht_space *listed = space_make(), *space;
    ht_error error = {0};
    cr_assert_eq(ht_space_parse_t1(space_text, "T1.json", 100, &space, &error), HT_OK, "%s",
                 error.message);
    if (ht_space_listed(space))
        cr_skip_test("the limit of a listed space is not in the caller's hands");
    ht_earlier *earlier = ht_earlier_create(space), *tables = ht_earlier_create(listed);
    cr_assert(run_add(tables, listed, 0, 7, 1));
    size_t count = 0;
    ht_earlier_outcome outcomes[500];
    for (size_t i = 0; i < ht_space_count(listed); i += 7) {
        ht_config config = ht_space_at(listed, i);
        outcomes[count++] = (ht_earlier_outcome){config, cost_of(&config, 0)};
    }
    cr_assert(ht_earlier_add(earlier, outcomes, count));
    for (size_t i = 0; i < count; ++i) {
        double one, other;
        ht_earlier_values(earlier, &outcomes[i].config, 1, &one);
        ht_earlier_values(tables, &outcomes[i].config, 1, &other);
        cr_expect_float_eq(one, other, 1e-5);
    }
    double fastest = INFINITY;
    for (size_t i = 0; i < count; ++i)
        fastest = fmin(fastest, outcomes[i].cost);
    const ht_strategy_options options = {.seed = 1, .sources = earlier};
    ht_strategy *strategy;
    ht_config first;
    cr_assert_eq(ht_strategy_create("auto", space, &options, &strategy, NULL), HT_OK);
    cr_assert_eq(ht_strategy_ask(strategy, 1, &first), 1);
    cr_expect_float_eq(cost_of(&first, 0), fastest, 1e-12);
    ht_strategy_free(strategy);
    ht_earlier_free(earlier);
    ht_earlier_free(tables);
    ht_space_free(space);
    ht_space_free(listed);
}
