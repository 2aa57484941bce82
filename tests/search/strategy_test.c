/* What every registered strategy promises, on random spaces. */
#include "spaces.h"

#include "base/memory.h"
#include "search/strategy.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SPACES = 60, MORE_THAN_ANY_SPACE = 4000 };

/* An answer that depends on the configuration alone; some fail. */
static ht_outcome outcome_of(const ht_config *config) {
    ht_outcome outcome = {.status = HT_OK, .cost = 1};
    for (size_t i = 0; i < config->count; ++i)
        outcome.cost += (config->choice[i] * 7 + i * 3) % 11;
    if ((int)outcome.cost % 5 == 0)
        outcome = (ht_outcome){.status = HT_ERROR_COMPILE, .reason = "compile: no"};
    return outcome;
}

/* Asks in batches of pseudo-random size until nothing comes; owned array. */
static ht_config *drain(const char *name, const test_space *space,
                        const ht_strategy_options *options, uint64_t batch_seed,
                        size_t *out_count) {
    ht_strategy *strategy;
    ht_error error;
    cr_assert_eq(ht_strategy_create(name, space->space, options, &strategy, &error), HT_OK, "%s",
                 error.message);
    ht_config *asked = ht_alloc(MORE_THAN_ANY_SPACE + 16, sizeof *asked);
    ht_random random;
    ht_random_seed(&random, batch_seed);
    size_t count = 0;
    while (count < MORE_THAN_ANY_SPACE) {
        size_t want = 1 + (size_t)ht_random_below(&random, 9);
        size_t got = ht_strategy_ask(strategy, want, asked + count);
        cr_assert_leq(got, want, "%s gave more than was asked", name);
        for (size_t i = 0; i < got; ++i) {
            ht_outcome outcome = outcome_of(&asked[count + i]);
            ht_strategy_tell(strategy, &asked[count + i], &outcome);
        }
        count += got;
        if (got == 0)
            break;
    }
    cr_assert_eq(ht_strategy_ask(strategy, 4, asked + count), 0, "%s asks on after its end", name);
    ht_strategy_free(strategy);
    *out_count = count;
    return asked;
}

Test(strategy, asks_every_legal_configuration_once_and_ends) {
    for (size_t s = 0; ht_strategy_classes[s]; ++s) {
        const char *name = ht_strategy_classes[s]->name;
        for (uint64_t seed = 1; seed <= SPACES; ++seed) {
            test_space space;
            test_space_random(&space, seed);
            size_t count;
            ht_config *asked =
                drain(name, &space, &(ht_strategy_options){.seed = seed}, seed, &count);
            cr_assert_eq(count, ht_space_count(space.space), "%s, space %lu: asked %zu of %lu",
                         name, (unsigned long)seed, count,
                         (unsigned long)ht_space_count(space.space));
            for (size_t i = 0; i < count; ++i) {
                bool legal = false;
                ht_error error;
                cr_assert_eq(ht_binding_legal(&space.binding, &asked[i], &legal, NULL, &error),
                             HT_OK);
                cr_assert(legal, "%s asked for an illegal configuration", name);
                for (size_t j = 0; j < i; ++j)
                    cr_assert_not(ht_config_equal(&asked[i], &asked[j]), "%s repeats", name);
            }
            free(asked);
            test_space_free(&space);
        }
    }
}

Test(strategy, same_seed_gives_the_same_order) {
    for (size_t s = 0; ht_strategy_classes[s]; ++s) {
        for (uint64_t seed = 1; seed <= SPACES; ++seed) {
            test_space space;
            test_space_random(&space, seed);
            size_t first_count, second_count;
            ht_strategy_options options = {.seed = 77 + seed};
            const char *name = ht_strategy_classes[s]->name;
            ht_config *first = drain(name, &space, &options, 5, &first_count);
            ht_config *second = drain(name, &space, &options, 5, &second_count);
            cr_assert_eq(first_count, second_count);
            for (size_t i = 0; i < first_count; ++i)
                cr_assert(ht_config_equal(&first[i], &second[i]), "%s differs at %zu", name, i);
            free(first);
            free(second);
            test_space_free(&space);
        }
    }
}

Test(strategy, seeds_come_first_without_illegal_and_double_ones) {
    for (size_t s = 0; ht_strategy_classes[s]; ++s) {
        for (uint64_t seed = 1; seed <= SPACES; ++seed) {
            test_space space;
            test_space_random(&space, seed);
            ht_random random;
            ht_random_seed(&random, seed);
            ht_config a = ht_space_sample(space.space, &random);
            ht_config b = ht_space_sample(space.space, &random);
            ht_config illegal = a;
            illegal.choice[0] = 60000;
            ht_config short_one = {.count = 0};
            ht_config seeds[] = {illegal, a, a, short_one, b, a};
            size_t count;
            ht_config *asked =
                drain(ht_strategy_classes[s]->name, &space,
                      &(ht_strategy_options){.seed = seed, .seeds = seeds, .seed_count = 6}, seed,
                      &count);
            cr_assert(ht_config_equal(&asked[0], &a));
            if (!ht_config_equal(&a, &b))
                cr_assert(ht_config_equal(&asked[1], &b));
            cr_assert_eq(count, ht_space_count(space.space), "seeds are asked once in all");
            free(asked);
            test_space_free(&space);
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
