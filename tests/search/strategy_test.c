/* The promises of every registered strategy, on random spaces. */
#include "spaces.h"

#include "base/memory.h"
#include "search/strategy.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SPACES = 60, MORE_THAN_ANY_SPACE = 4000 };

/* Answers that depend on the configuration alone. */
typedef enum answers { SOME_FAIL, MOST_FAIL, ALL_FAIL, ALL_EQUAL, NOISE, ANSWERS } answers;

static ht_outcome outcome_of(answers kind, const ht_config *config) {
    ht_outcome outcome = {.status = HT_OK, .cost = 1};
    uint64_t mixed = 0;
    for (size_t i = 0; i < config->count; ++i) {
        mixed = (mixed + config->choice[i] + 1) * UINT64_C(0x9e3779b97f4a7c15);
        if (kind != ALL_EQUAL)
            outcome.cost += (config->choice[i] * 7 + i * 3) % 11;
    }
    mixed ^= mixed >> 32;
    if (kind == NOISE)
        outcome.cost = (double)(mixed % 1000000) / 1e5;
    if (kind == ALL_FAIL || (kind == MOST_FAIL && mixed % 10 != 0) ||
        (kind == SOME_FAIL && mixed % 5 == 0))
        outcome = (ht_outcome){.status = HT_ERROR_COMPILE, .reason = "compile: no"};
    return outcome;
}

typedef struct drained {
    ht_config *asked; /* owned */
    size_t count;
} drained;

static ht_strategy *strategy_make(const char *name, const test_space *space,
                                  const ht_strategy_options *options) {
    ht_strategy *strategy;
    ht_error error;
    cr_assert_eq(ht_strategy_create(name, space->space, options, &strategy, &error), HT_OK, "%s",
                 error.message);
    return strategy;
}

/* Asks in batches of pseudo-random size up to `largest` until nothing comes. */
static drained drain(const char *name, const test_space *space, const ht_strategy_options *options,
                     answers kind, size_t largest) {
    ht_strategy *strategy = strategy_make(name, space, options);
    drained out = {.asked = ht_alloc(MORE_THAN_ANY_SPACE + largest, sizeof *out.asked)};
    ht_random random;
    ht_random_seed(&random, options->seed);
    size_t got = 1;
    while (got > 0 && out.count < MORE_THAN_ANY_SPACE) {
        size_t want = 1 + (size_t)ht_random_below(&random, largest);
        got = ht_strategy_ask(strategy, want, out.asked + out.count);
        cr_assert_leq(got, want, "%s gave more than was asked", name);
        for (size_t i = 0; i < got; ++i) {
            ht_outcome outcome = outcome_of(kind, &out.asked[out.count + i]);
            ht_strategy_tell(strategy, &out.asked[out.count + i], &outcome);
        }
        out.count += got;
    }
    cr_assert_eq(ht_strategy_ask(strategy, 1, out.asked + out.count), 0, "%s asks on after its end",
                 name);
    ht_strategy_free(strategy);
    return out;
}

static bool same_order(const drained *a, const drained *b) {
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; ++i)
        if (!ht_config_equal(&a->asked[i], &b->asked[i]))
            return false;
    return true;
}

static void expect_each_once(const char *name, const test_space *space, const drained *drained) {
    cr_assert_eq(drained->count, space->legal, "%s asked %zu of %zu", name, drained->count,
                 space->legal);
    for (size_t i = 0; i < drained->count; ++i) {
        bool legal = false;
        ht_error error;
        cr_assert_eq(ht_binding_legal(&space->binding, &drained->asked[i], &legal, NULL, &error),
                     HT_OK);
        cr_assert(legal, "%s asked for an illegal configuration", name);
        for (size_t j = 0; j < i; ++j)
            cr_assert_not(ht_config_equal(&drained->asked[i], &drained->asked[j]), "%s repeats",
                          name);
    }
}

static void check_each_once(bool listed, answers kind, size_t largest) {
    for (size_t s = 0; ht_strategy_classes[s]; ++s) {
        const char *name = ht_strategy_classes[s]->name;
        for (uint64_t seed = 1; seed <= SPACES; ++seed) {
            test_space space;
            test_space_random(&space, seed);
            if (!listed)
                test_space_unlist(&space);
            drained all = drain(name, &space, &(ht_strategy_options){.seed = seed}, kind, largest);
            expect_each_once(name, &space, &all);
            free(all.asked);
            test_space_free(&space);
        }
    }
}

Test(strategy, asks_every_legal_configuration_once_and_ends) {
    for (answers kind = SOME_FAIL; kind < ANSWERS; ++kind)
        check_each_once(true, kind, 9);
}

Test(strategy, asks_every_legal_configuration_once_one_at_a_time) {
    check_each_once(true, SOME_FAIL, 1);
}

Test(strategy, asks_every_legal_configuration_once_in_large_batches) {
    check_each_once(true, NOISE, 200);
}

Test(strategy, asks_every_legal_configuration_once_without_a_list) {
    for (answers kind = SOME_FAIL; kind < ANSWERS; ++kind)
        check_each_once(false, kind, 9);
}

/* Every third configuration is known, twice, and one that is not legal. */
Test(strategy, what_is_known_is_not_asked_and_the_rest_once) {
    test_space space;
    test_space_parse(&space, "#pragma tune unit\n#pragma tune kernel(k)\n"
                             "#pragma tune param(A : 0..7 = 0)\n#pragma tune param(B : 0..5 = 0)\n"
                             "#pragma tune require(A != B)\n"
                             "#pragma tune block(1)\n#pragma tune grid(1)\n"
                             "#pragma tune arg(out : out float[64])\n"
                             "template <int A, int B> __global__ void k(float *out) {}\n");
    enum { LEGAL = 42, KNOWN = 14 };
    cr_assert_eq(ht_space_count(space.space), LEGAL);
    ht_trial known[2 * KNOWN + 1] = {{.config = ht_space_at(space.space, 0)}};
    known[0].config.choice[0] = known[0].config.choice[1] = 0;
    for (size_t i = 0; i < 2 * KNOWN; ++i) {
        known[1 + i].config = ht_space_at(space.space, 3 * (i / 2));
        known[1 + i].outcome = outcome_of(SOME_FAIL, &known[1 + i].config);
    }
    for (size_t k = 0; ht_strategy_classes[k]; ++k) {
        const char *name = ht_strategy_classes[k]->name;
        const ht_config seed = known[1].config;
        ht_strategy_options options = {.seed = k, .seeds = &seed, .seed_count = 1};
        ht_strategy *strategy = strategy_make(name, &space, &options);
        bool seen[LEGAL] = {false};
        size_t asked = 0;
        ht_config config;
        cr_expect_eq(ht_strategy_learn(strategy, known, 2 * KNOWN + 1), KNOWN, "%s", name);
        for (; ht_strategy_ask(strategy, 1, &config); ++asked) {
            uint64_t index = 0;
            cr_assert(ht_space_find(space.space, &config, &index));
            cr_expect_not(seen[index] || index % 3 == 0, "%s asks again", name);
            seen[index] = true;
            ht_outcome outcome = outcome_of(SOME_FAIL, &config);
            ht_strategy_tell(strategy, &config, &outcome);
        }
        cr_expect_eq(asked, LEGAL - KNOWN, "%s asked %zu", name, asked);
        ht_strategy_free(strategy);
    }
    test_space_free(&space);
}

/* An evaluator may be slow to answer: asks go on without a single outcome. */
Test(strategy, asks_do_not_wait_for_tells) {
    for (size_t s = 0; ht_strategy_classes[s]; ++s) {
        const char *name = ht_strategy_classes[s]->name;
        for (uint64_t seed = 1; seed <= SPACES; ++seed) {
            test_space space;
            test_space_random(&space, seed);
            ht_strategy *strategy =
                strategy_make(name, &space, &(ht_strategy_options){.seed = seed});
            drained all = {.asked = ht_alloc(space.legal + 7, sizeof *all.asked)};
            size_t got;
            while ((got = ht_strategy_ask(strategy, 7, all.asked + all.count)) > 0)
                all.count += got;
            expect_each_once(name, &space, &all);
            ht_strategy_free(strategy);
            free(all.asked);
            test_space_free(&space);
        }
    }
}

Test(strategy, same_seed_gives_the_same_order) {
    for (size_t s = 0; ht_strategy_classes[s]; ++s) {
        const char *name = ht_strategy_classes[s]->name;
        for (uint64_t seed = 1; seed <= SPACES; ++seed) {
            test_space space;
            test_space_random(&space, seed);
            if (seed % 2)
                test_space_unlist(&space);
            ht_strategy_options options = {.seed = 77 + seed};
            drained first = drain(name, &space, &options, NOISE, 5);
            drained second = drain(name, &space, &options, NOISE, 5);
            cr_assert(same_order(&first, &second), "%s, space %lu", name, (unsigned long)seed);
            free(first.asked);
            free(second.asked);
            test_space_free(&space);
        }
    }
}

/* Nothing is shared between two strategies: taking turns changes neither. */
Test(strategy, strategies_do_not_disturb_each_other) {
    for (size_t s = 0; ht_strategy_classes[s]; ++s) {
        const char *name = ht_strategy_classes[s]->name;
        for (uint64_t seed = 1; seed <= SPACES; ++seed) {
            test_space space;
            test_space_random(&space, seed);
            ht_strategy_options options = {.seed = seed};
            drained alone = drain(name, &space, &options, NOISE, 1);
            ht_strategy *pair[2] = {strategy_make(name, &space, &options),
                                    strategy_make(name, &space, &options)};
            for (size_t i = 0; i < 2 * alone.count; ++i) {
                ht_config config;
                cr_assert_eq(ht_strategy_ask(pair[i % 2], 1, &config), 1);
                cr_assert(ht_config_equal(&config, &alone.asked[i / 2]), "%s at %zu", name, i / 2);
                ht_outcome outcome = outcome_of(NOISE, &config);
                ht_strategy_tell(pair[i % 2], &config, &outcome);
            }
            ht_strategy_free(pair[0]);
            ht_strategy_free(pair[1]);
            free(alone.asked);
            test_space_free(&space);
        }
    }
}

static void check_seeds(const char *name, uint64_t seed, size_t largest) {
    test_space space;
    test_space_random(&space, seed);
    if (seed % 2)
        test_space_unlist(&space);
    ht_random random;
    ht_random_seed(&random, seed);
    ht_config a = ht_space_sample(space.space, &random);
    ht_config b = ht_space_sample(space.space, &random);
    ht_config illegal = a;
    illegal.choice[0] = 60000;
    ht_config short_one = {.count = 0};
    ht_config seeds[] = {illegal, a, a, short_one, b, a};
    drained all =
        drain(name, &space, &(ht_strategy_options){.seed = seed, .seeds = seeds, .seed_count = 6},
              SOME_FAIL, largest);
    cr_assert(ht_config_equal(&all.asked[0], &a));
    if (!ht_config_equal(&a, &b))
        cr_assert(ht_config_equal(&all.asked[1], &b));
    expect_each_once(name, &space, &all);
    free(all.asked);
    test_space_free(&space);
}

Test(strategy, seeds_come_first_without_illegal_and_double_ones) {
    for (size_t s = 0; ht_strategy_classes[s]; ++s) {
        for (uint64_t seed = 1; seed <= SPACES; ++seed) {
            check_seeds(ht_strategy_classes[s]->name, seed, 1);
            check_seeds(ht_strategy_classes[s]->name, seed, 9);
        }
    }
}

Test(strategy, unknown_name_lists_what_there_is) {
    test_space space;
    test_space_random(&space, 1);
    ht_strategy *strategy = NULL;
    ht_error error;
    cr_assert_eq(
        ht_strategy_create("rando", space.space, &(ht_strategy_options){0}, &strategy, &error),
        HT_ERROR_INPUT);
    for (size_t s = 0; ht_strategy_classes[s]; ++s)
        cr_assert(strstr(error.message, ht_strategy_classes[s]->name));
    test_space_free(&space);
}

/* A space of four million: asking must not cost time or memory in proportion to it. */
static const char large[] =
    "#pragma tune unit\n#pragma tune kernel(k)\n"
    "#pragma tune param(A : 1..200 = 1)\n#pragma tune param(B : 1..200 = 1)\n"
    "#pragma tune param(C : 1..90 = 1)\n"
    "#pragma tune block(A)\n#pragma tune grid(1)\n"
    "#pragma tune arg(out : out float[64])\n"
    "template <int A, int B, int C> __global__ void k(float *out) {}\n";

Test(random, is_uniform_over_a_large_space_and_differs_by_seed) {
    test_space space;
    test_space_parse(&space, large);
    cr_assert_eq(ht_space_count(space.space), 3600000);
    size_t bins[12] = {0};
    size_t same_first = 0;
    ht_config first = {0};
    for (uint64_t seed = 0; seed < 200; ++seed) {
        ht_strategy *strategy;
        ht_config asked[60];
        cr_assert_eq(ht_strategy_create("random", space.space, &(ht_strategy_options){.seed = seed},
                                        &strategy, NULL),
                     HT_OK);
        cr_assert_eq(ht_strategy_ask(strategy, 60, asked), 60);
        for (size_t i = 0; i < 60; ++i) {
            uint64_t index;
            cr_assert(ht_space_find(space.space, &asked[i], &index));
            ++bins[index * 12 / 3600000];
        }
        same_first += seed > 0 && ht_config_equal(&first, &asked[0]);
        first = asked[0];
        ht_strategy_free(strategy);
    }
    double chi = 0;
    for (size_t i = 0; i < 12; ++i)
        chi += ((double)bins[i] - 1000) * ((double)bins[i] - 1000) / 1000;
    cr_assert_lt(chi, 31.3, "chi squared %g with 11 degrees of freedom", chi); /* p = .001 */
    cr_assert_lt(same_first, 2);
    test_space_free(&space);
}
