/* Knowledge from before a search: facts of launches are those that counting threads gives;
 * weights follow outcomes and never mislead for long; the search makes use of them. */
#include "search/bayes.h"
#include "search/earlier.h"
#include "search/launch_facts.h"
#include "search/strategy.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char launches[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"block_size_x\", \"Type\": \"int\", \"Values\": \"[1, 8, 16, 24, 32, 48, 64, "
    "96]\", "
    "\"Default\": 8},"
    "{\"Name\": \"block_size_y\", \"Type\": \"int\", \"Values\": \"[1, 2, 3, 4, 8]\", \"Default\": "
    "1},"
    "{\"Name\": \"tile_size_x\", \"Type\": \"int\", \"Values\": \"[1, 2, 3, 4]\", \"Default\": 1},"
    "{\"Name\": \"tile_size_y\", \"Type\": \"int\", \"Values\": \"[1, 2, 5]\", \"Default\": 1},"
    "{\"Name\": \"other\", \"Type\": \"int\", \"Values\": \"[0, 1, 2]\", \"Default\": 0}],"
    "\"Conditions\": []}}";

static ht_space *space_of(const char *text) {
    ht_space *space;
    ht_error error = {0};
    cr_assert_eq(ht_space_parse_t1(text, "T1.json", 0, &space, &error), HT_OK, "%s", error.message);
    return space;
}

static size_t number(const ht_space *space, size_t dimension, const ht_config *config) {
    return (size_t)ht_space_dimension(space, dimension)->numbers[config->choice[dimension]];
}

/* Counts on one axis: covers the problem by whole tiles and sees whether the last one sticks out.
 */
static bool sticks_out(size_t extent, size_t tile) {
    size_t covered = 0;
    while (covered < extent)
        covered += tile;
    return covered != extent;
}

Test(prior, facts_are_those_that_counting_gives) {
    enum { WIDTH = 192, HEIGHT = 40, WAVE = 64 };
    ht_space *space = space_of(launches);
    ht_launch_facts facts;
    cr_assert(ht_launch_facts_of_space(space, "[192, 40]", "AMD Instinct MI50", &facts));
    for (uint64_t i = 0; i < ht_space_count(space); ++i) {
        ht_config config = ht_space_at(space, i);
        double values[HT_FACTS];
        ht_launch_facts_values(&facts, &config, values);
        size_t x = number(space, 0, &config), y = number(space, 1, &config);
        size_t waves = 0, idle, doublings = 0, halvings = 0;
        while (waves * WAVE < x * y)
            ++waves;
        idle = waves * WAVE - x * y;
        while (256U << (doublings + 1) <= x * y)
            ++doublings;
        while (x << (halvings + 1) <= WAVE)
            ++halvings;
        cr_expect_eq(values[HT_FACT_PARTIAL_X], sticks_out(WIDTH, x * number(space, 2, &config)));
        cr_expect_eq(values[HT_FACT_PARTIAL_YZ], sticks_out(HEIGHT, y * number(space, 3, &config)));
        cr_expect_eq(values[HT_FACT_PARTIAL_WAVE], idle > 0);
        cr_expect_float_eq(exp(values[HT_FACT_IDLE_LANES]), 1 + (double)idle / (double)(x * y),
                           1e-9);
        cr_expect_eq(floor(values[HT_FACT_LARGE_BLOCK]), doublings);
        cr_expect_eq(floor(values[HT_FACT_NARROW_BLOCK]), halvings);
        cr_expect_float_eq(exp2(values[HT_FACT_WIDE_TILE]), (double)number(space, 2, &config),
                           1e-9);
    }
    ht_space_free(space);
}

/* Blocks of M_THREADS x N_THREADS compute M x N outputs: no name says so. */
#define DECLARED_PARAMETERS                                                                        \
    "{\"ConfigurationSpace\": {\"TuningParameters\": ["                                            \
    "{\"Name\": \"M\", \"Type\": \"int\", \"Values\": \"[16, 48, 128]\", \"Default\": 16},"        \
    "{\"Name\": \"N\", \"Type\": \"int\", \"Values\": \"[16, 128]\", \"Default\": 16},"            \
    "{\"Name\": \"M_THREADS\", \"Type\": \"int\", \"Values\": \"[8, 16]\", \"Default\": 8},"       \
    "{\"Name\": \"N_THREADS\", \"Type\": \"int\", \"Values\": \"[4, 8]\", \"Default\": 8},"        \
    "{\"Name\": \"block_size_x\", \"Type\": \"int\", \"Values\": \"[32, 64]\", \"Default\": 32}]," \
    "\"Conditions\": []}, \"KernelSpecification\": {"
#define DECLARED(local_size, grid_y)                                                               \
    DECLARED_PARAMETERS "\"LocalSize\": " local_size                                               \
                        ", \"GridDivX\": [\"M\"], \"GridDivY\": " grid_y "}}"

Test(prior, facts_of_a_declared_launch_need_no_names) {
    ht_space *space =
        space_of(DECLARED("{\"X\": \"M_THREADS\", \"Y\": \"N_THREADS * 1\", \"Z\": 1}", "[\"N\"]"));
    ht_launch_facts facts;
    cr_assert(ht_launch_facts_of_space(space, "[256, 256]", "MI50", &facts));
    for (uint64_t i = 0; i < ht_space_count(space); ++i) {
        ht_config config = ht_space_at(space, i);
        double values[HT_FACTS];
        ht_launch_facts_values(&facts, &config, values);
        size_t m = number(space, 0, &config), threads = number(space, 2, &config);
        cr_expect_eq(values[HT_FACT_PARTIAL_X], sticks_out(256, m));
        cr_expect_eq(values[HT_FACT_PARTIAL_YZ], 0);
        cr_expect_eq(values[HT_FACT_PARTIAL_WAVE], threads * number(space, 3, &config) < 64);
        cr_expect_eq(values[HT_FACT_WIDE_TILE], 0);
    }
    ht_space_free(space);
}

/* Only where a block covers its size times a tile are a thread's outputs known to lie side by side:
 * what it covers by a parameter of its own may be shared out in any way. */
Test(prior, wide_tiles_are_those_of_threads) {
    static const char *const covered[] = {"[\"M_THREADS\", \"M\"]", "[\"M\", \"M_THREADS\"]",
                                          "[\"M * M_THREADS\"]", "[\"M\"]"};
    for (size_t t = 0; t < sizeof covered / sizeof *covered; ++t) {
        char *text = ht_format(DECLARED_PARAMETERS
                               "\"LocalSize\": {\"X\": \"M_THREADS\", \"Y\": \"N_THREADS\"}, "
                               "\"GridDivX\": %s, \"GridDivY\": [\"N\"]}}",
                               covered[t]);
        ht_space *space = space_of(text);
        ht_launch_facts facts;
        cr_assert(ht_launch_facts_of_space(space, "[256, 256]", "MI50", &facts));
        for (uint64_t i = 0; i < ht_space_count(space); ++i) {
            double values[HT_FACTS];
            ht_config config = ht_space_at(space, i);
            ht_launch_facts_values(&facts, &config, values);
            cr_expect_float_eq(exp2(values[HT_FACT_WIDE_TILE]),
                               t == 3 ? 1 : (double)number(space, 0, &config), 1e-9);
        }
        ht_space_free(space);
        free(text);
    }
}

/* The space is read all the same, and the block is found by its name. */
Test(prior, a_declared_launch_of_more_than_products_is_passed_over) {
    static const char *const texts[] = {
        DECLARED("{\"X\": \"M_THREADS + 1\", \"Y\": \"N_THREADS\"}", "[\"N\"]"),
        DECLARED("{\"X\": \"THREADS\"}", "[\"N\"]"),
        DECLARED("{\"X\": \"M_THREADS\"}", "[\"N // 2\"]"),
        DECLARED("{\"X\": \"M_THREADS\"}", "[2.5]"),
        DECLARED("{\"X\": \"M_THREADS *\"}", "[]"),
        DECLARED("{\"X\": \"M * M * M * M * M\"}", "[]"),
        DECLARED("{\"X\": \"64\"}", "null"),
        DECLARED("null", "[]"),
        DECLARED("[]", "{}"),
    };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) {
        ht_space *space = space_of(texts[t]);
        ht_config config = ht_space_at(space, 0);
        ht_launch_facts facts;
        double values[HT_FACTS];
        cr_expect_null(ht_space_declared_launch(space), "%zu", t);
        cr_assert(ht_launch_facts_of_space(space, "[256, 256]", "MI50", &facts));
        ht_launch_facts_values(&facts, &config, values);
        cr_expect_float_eq(exp(values[HT_FACT_IDLE_LANES]), 2, 1e-9, "%zu", t);
        ht_space_free(space);
    }
}

Test(prior, a_space_without_blocks_has_no_facts) {
    ht_space *space = space_of(
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"MWG\", \"Type\": \"int\", "
        "\"Values\": \"[16, 32]\", \"Default\": 16}, {\"Name\": \"block_size_xy\", \"Type\": "
        "\"int\", \"Values\": \"[1, 2]\", \"Default\": 1}], \"Conditions\": []}}");
    ht_launch_facts facts;
    cr_expect_not(ht_launch_facts_of_space(space, "[16]", "", &facts));
    ht_space_free(space);
}

/* Where threads have several outputs along x alone, there is no other way to have them. */
Test(prior, tiles_along_x_alone_are_no_fact) {
    ht_space *space = space_of(
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"block_size_x\", \"Type\": "
        "\"int\", \"Values\": \"[32, 64]\", \"Default\": 32}, {\"Name\": \"tile_size\", \"Type\": "
        "\"int\", \"Values\": \"[1, 2, 4]\", \"Default\": 1}], \"Conditions\": []}}");
    ht_launch_facts facts;
    cr_assert(ht_launch_facts_of_space(space, "[1024]", "", &facts));
    for (uint64_t i = 0; i < ht_space_count(space); ++i) {
        double values[HT_FACTS];
        ht_config config = ht_space_at(space, i);
        ht_launch_facts_values(&facts, &config, values);
        cr_expect_eq(values[HT_FACT_WIDE_TILE], 0);
    }
    ht_space_free(space);
}

/* A problem that is not a list of numbers leaves its extents unknown, and no tile is partial. */
Test(prior, what_is_not_known_of_the_problem_is_no_fact) {
    static const char *const problems[] = {"", "\"large\"", "[\"a\", null]", "[", "{}", NULL};
    ht_space *space = space_of(launches);
    for (const char *const *problem = problems; *problem; ++problem) {
        ht_launch_facts facts;
        double values[HT_FACTS];
        cr_assert(ht_launch_facts_of_space(space, *problem, "", &facts));
        for (uint64_t i = 0; i < ht_space_count(space); i += 7) {
            ht_config config = ht_space_at(space, i);
            ht_launch_facts_values(&facts, &config, values);
            cr_expect_eq(values[HT_FACT_PARTIAL_X] + values[HT_FACT_PARTIAL_YZ], 0);
        }
    }
    ht_space_free(space);
}

Test(prior, wavefronts_are_as_wide_as_the_device_has_them) {
    static const char *const wide[] = {"MI250X", "AMD Instinct MI100", "gfx90a:sramecc+:xnack-",
                                       "AMD Radeon VII", "Radeon RX Vega"};
    static const char *const narrow[] = {"AMD Radeon PRO W7800",
                                         "NVIDIA GeForce RTX 3090",
                                         "gfx1100",
                                         "NVIDIA GeForce GTX TITAN",
                                         "MIX",
                                         "SUMI4",
                                         ""};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; ++i)
        cr_expect_eq(ht_wavefront_of_name(wide[i]), 64, "%s", wide[i]);
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; ++i)
        cr_expect_eq(ht_wavefront_of_name(narrow[i]), 32, "%s", narrow[i]);
}

/* ---- weights */

enum { ROWS = 40 };

static void rows_draw(double *facts, double *y, size_t count, const double *truth, uint64_t seed) {
    ht_random random;
    ht_random_seed(&random, seed);
    for (size_t i = 0; i < count; ++i) {
        y[i] = 3;
        for (size_t k = 0; k < 2; ++k) {
            facts[i * 2 + k] = ht_random_unit(&random);
            y[i] += truth[k] * facts[i * 2 + k];
        }
    }
}

Test(prior, without_outcomes_weights_are_those_expected) {
    const ht_prior prior = {.count = 2, .weight = {0.7, 0.3}};
    ht_prior_weights weights;
    ht_prior_learn(&prior, NULL, NULL, 0, 0.25, 10, &weights);
    cr_expect_eq(weights.weight[0], 0.7);
    cr_expect_eq(weights.weight[1], 0.3);
}

/* The density is tried at every point of a grid. */
Test(prior, weights_have_the_highest_density) {
    const ht_prior prior = {.count = 2, .weight = {0.7, 0.3}};
    static const double truths[][2] = {{0.2, 0.9}, {1.4, 0.1}, {-0.5, 0.4}, {-1, -1}};
    for (size_t t = 0; t < sizeof truths / sizeof *truths; ++t) {
        double facts[2 * ROWS], y[ROWS], best = INFINITY, at[2] = {0};
        ht_prior_weights weights;
        rows_draw(facts, y, ROWS, truths[t], 5 + t);
        ht_prior_learn(&prior, facts, y, ROWS, 0.25, ROWS, &weights);
        for (int a = 0; a <= 150; ++a)
            for (int b = 0; b <= 150; ++b) {
                double w[2] = {a / 100.0, b / 100.0}, rest[ROWS], mean = 0, loss = 0;
                for (size_t i = 0; i < ROWS; ++i) {
                    rest[i] = y[i] - w[0] * facts[2 * i] - w[1] * facts[2 * i + 1];
                    mean += rest[i] / ROWS;
                }
                for (size_t i = 0; i < ROWS; ++i)
                    loss += (rest[i] - mean) * (rest[i] - mean) / (2 * 0.25 * 0.25);
                for (size_t k = 0; k < 2; ++k)
                    loss += pow((w[k] - prior.weight[k]) / prior.weight[k], 2) / 2;
                if (loss < best) {
                    best = loss;
                    memcpy(at, w, sizeof w);
                }
            }
        for (size_t k = 0; k < 2; ++k)
            cr_expect_float_eq(weights.weight[k], at[k], 0.011, "%zu: %g, by trying %g", t,
                               weights.weight[k], at[k]);
    }
}

Test(prior, weights_fade_with_outcomes) {
    const ht_prior prior = {.count = 2, .weight = {0.7, 0.3}};
    static const double truth[] = {0.7, 0.3};
    double facts[2 * ROWS], y[ROWS], sum = 0;
    ht_prior_weights kept, faded;
    rows_draw(facts, y, ROWS, truth, 1);
    ht_prior_learn(&prior, facts, y, ROWS, 0.25, ROWS, &kept);
    ht_prior_learn(&prior, facts, y, ROWS, 0.25, 10, &faded);
    cr_expect_float_eq(faded.weight[0], kept.weight[0] * 10 / ROWS, 1e-12);
    for (size_t i = 0; i < ROWS; ++i) /* the constant leaves no mean error all the same */
        sum += y[i] - faded.constant - faded.weight[0] * facts[2 * i] -
               faded.weight[1] * facts[2 * i + 1];
    cr_expect_float_eq(sum, 0, 1e-9);
}

/* ---- searches */

/* Times that facts explain but for a tenth, with this sign. */
static double cost_of(const ht_launch_facts *facts, double sign, const ht_config *config) {
    double values[HT_FACTS], sum = 0.1 * config->choice[4];
    const ht_prior prior = ht_launch_facts_prior(facts);
    ht_launch_facts_values(facts, config, values);
    for (size_t k = 0; k < HT_FACTS; ++k)
        sum += sign * prior.weight[k] * values[k];
    return exp(sum);
}

/* Returns the mean over searches of best / optimum's inverse after some evaluations. */
static double share_of(const ht_space *space, const ht_launch_facts *facts, double sign, bool given,
                       size_t evaluations) {
    enum { SEARCHES = 12 };
    const ht_prior prior = ht_launch_facts_prior(facts);
    double optimum = INFINITY, sum = 0;
    for (uint64_t i = 0; i < ht_space_count(space); ++i) {
        ht_config config = ht_space_at(space, i);
        optimum = fmin(optimum, cost_of(facts, sign, &config));
    }
    for (uint64_t seed = 0; seed < SEARCHES; ++seed) {
        const ht_strategy_options options = {.seed = seed, .prior = given ? &prior : NULL};
        ht_strategy *strategy;
        double best = INFINITY;
        cr_assert_eq(ht_strategy_create("auto", space, &options, &strategy, NULL), HT_OK);
        for (size_t i = 0; i < evaluations; ++i) {
            ht_config config;
            cr_assert_eq(ht_strategy_ask(strategy, 1, &config), 1);
            ht_outcome outcome = {.status = HT_OK, .cost = cost_of(facts, sign, &config)};
            best = fmin(best, outcome.cost);
            ht_strategy_tell(strategy, &config, &outcome);
        }
        ht_strategy_free(strategy);
        sum += optimum / best / SEARCHES;
    }
    return sum;
}

Test(prior, facts_that_are_true_help_at_once_and_false_ones_are_seen_through) {
    ht_space *space = space_of(launches);
    ht_launch_facts facts;
    cr_assert(ht_launch_facts_of_space(space, "[192, 40]", "", &facts));
    cr_expect_gt(share_of(space, &facts, 1, true, 8), share_of(space, &facts, 1, false, 8) + 0.02);
    cr_expect_gt(share_of(space, &facts, -1, true, 40),
                 share_of(space, &facts, -1, false, 40) - 0.03);
    ht_space_free(space);
}

enum { FIRST = 9 };

/* Asks for the first ones, where `alone` come before the model is asked. */
static void first_asked(const ht_space *space, const ht_launch_facts *facts, int alone,
                        const ht_earlier *sources, uint64_t *out_asked) {
    ht_bayes_settings settings = ht_bayes_defaults;
    settings.design_alone = alone;
    const ht_prior prior = ht_launch_facts_prior(facts);
    const ht_strategy_options options = {
        .seed = 4, .prior = &prior, .bayes = &settings, .sources = sources};
    ht_strategy *strategy;
    cr_assert_eq(ht_strategy_create("bayes", space, &options, &strategy, NULL), HT_OK);
    for (size_t i = 0; i < FIRST; ++i) {
        ht_config config;
        cr_assert_eq(ht_strategy_ask(strategy, 1, &config), 1);
        cr_assert(ht_space_find(space, &config, &out_asked[i]));
        ht_outcome outcome = {.status = HT_OK, .cost = 2 + config.choice[0] % 3};
        ht_strategy_tell(strategy, &config, &outcome);
    }
    ht_strategy_free(strategy);
}

/* Makes a source that says what outcomes will, or the opposite. */
static ht_earlier *source_make(const ht_space *space, bool opposite) {
    ht_earlier *sources = ht_earlier_create(space);
    size_t count = (size_t)ht_space_count(space);
    ht_earlier_outcome *outcomes = ht_alloc(count, sizeof *outcomes);
    for (size_t i = 0; i < count; ++i) {
        outcomes[i].config = ht_space_at(space, i);
        outcomes[i].cost = 2 + outcomes[i].config.choice[0] % 3;
        if (opposite)
            outcomes[i].cost = 6 - outcomes[i].cost;
    }
    cr_assert(ht_earlier_add(sources, outcomes, count));
    free(outcomes);
    return sources;
}

/* Six stand for what the facts like (five parameters and one). With four of them alone the model
 * picks the fifth; sources keep all six in front, unless outcomes are against them. */
Test(prior, the_model_is_asked_between_those_that_the_facts_like) {
    ht_space *space = space_of(launches);
    ht_launch_facts facts;
    uint64_t all[FIRST], four[FIRST], more[FIRST];
    cr_assert(ht_launch_facts_of_space(space, "[192, 40]", "", &facts));
    first_asked(space, &facts, 6, NULL, all);
    first_asked(space, &facts, 4, NULL, four);
    first_asked(space, &facts, 60, NULL, more);
    cr_expect_arr_eq(all, four, 4 * sizeof *all);
    cr_expect_neq(all[4], four[4]);
    cr_expect_arr_eq(all, more, sizeof all);
    for (int opposite = 0; opposite < 2; ++opposite) {
        ht_earlier *sources = source_make(space, opposite);
        first_asked(space, &facts, 6, sources, all);
        first_asked(space, &facts, 4, sources, four);
        cr_expect_arr_eq(all, four, 4 * sizeof *all);
        cr_expect_eq(memcmp(all, four, sizeof all) == 0, !opposite);
        ht_earlier_free(sources);
    }
    ht_space_free(space);
}

/* Every configuration is asked for once, in any batches, in spite of expectations. */
Test(prior, every_configuration_is_asked_for_once) {
    ht_space *space = space_of(launches);
    ht_launch_facts facts;
    cr_assert(ht_launch_facts_of_space(space, "[192, 40]", "", &facts));
    const ht_prior prior = ht_launch_facts_prior(&facts);
    const ht_strategy_options options = {.seed = 3, .prior = &prior};
    static bool asked[8 * 5 * 4 * 3 * 3];
    cr_assert_eq(ht_space_count(space), sizeof asked);
    ht_strategy *strategy;
    cr_assert_eq(ht_strategy_create("bayes", space, &options, &strategy, NULL), HT_OK);
    size_t total = 0, count;
    ht_config configs[64];
    while ((count = ht_strategy_ask(strategy, total ? 64 : 32, configs)) > 0) {
        for (size_t i = 0; i < count; ++i) {
            uint64_t index;
            cr_assert(ht_space_find(space, &configs[i], &index));
            cr_expect_not(asked[index]);
            asked[index] = true;
            ht_outcome outcome = {.status = HT_OK, .cost = cost_of(&facts, 1, &configs[i])};
            ht_strategy_tell(strategy, &configs[i], &outcome);
        }
        total += count;
    }
    cr_expect_eq(total, sizeof asked);
    ht_strategy_free(strategy);
    ht_space_free(space);
}

/* However large the batches, ten configurations are asked for at first, then as many as there are
 * outcomes, failures too; one at a time to those who ask on without telling them. */
Test(prior, large_batches_wait_for_outcomes) {
    enum { BATCH = 64 };
    ht_space *space = space_of(launches);
    ht_launch_facts facts;
    cr_assert(ht_launch_facts_of_space(space, "[192, 40]", "", &facts));
    for (int failing = 0; failing < 2; ++failing) {
        const ht_strategy_options options = {.seed = 5};
        ht_strategy *strategy;
        ht_config configs[BATCH];
        size_t told = 0;
        cr_assert_eq(ht_strategy_create("auto", space, &options, &strategy, NULL), HT_OK);
        static const size_t expected[] = {10, 10, 20, 40, BATCH};
        for (size_t round = 0; round < sizeof expected / sizeof *expected; ++round) {
            size_t count = ht_strategy_ask(strategy, BATCH, configs);
            cr_expect_eq(count, expected[round], "round %zu: %zu", round, count);
            for (size_t i = 0; i < count; ++i) {
                ht_outcome outcome = {.status = failing ? HT_ERROR_COMPILE : HT_OK,
                                      .cost = cost_of(&facts, 1, &configs[i])};
                ht_strategy_tell(strategy, &configs[i], &outcome);
            }
            told += count;
        }
        cr_expect_eq(told, 10 + 10 + 20 + 40 + BATCH);
        cr_expect_eq(ht_strategy_ask(strategy, BATCH, configs), BATCH);
        cr_expect_gt(ht_strategy_ask(strategy, BATCH, configs), 0);
        ht_strategy_free(strategy);
    }
    ht_space_free(space);
}
