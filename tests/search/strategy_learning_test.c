/* Strategies that learn find better configurations than chance does, on a landscape that rewards
 * learning; good seeds help, and failures repel. */
#include "spaces.h"

#include "search/strategy.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#ifndef REPEATS
#define REPEATS 8 /* the deep suite has 20 */
#endif
enum { EVALUATIONS = 120 };

static const char large[] =
    "#pragma tune unit\n#pragma tune kernel(k)\n"
    "#pragma tune param(A : 1..12 = 1)\n#pragma tune param(B : 1..12 = 1)\n"
    "#pragma tune param(C : 1..12 = 1)\n#pragma tune param(D : 1..12 = 1)\n"
    "#pragma tune require((A + B) % 2 == 0)\n#pragma tune require(C * D <= 80)\n"
    "#pragma tune block(A)\n#pragma tune grid(1)\n"
    "#pragma tune arg(out : out float[64])\n"
    "template <int A, int B, int C, int D> __global__ void k(float *out) {}\n";

/* A tilted bowl whose bottom is a random legal configuration; beyond some distance a third fail. */
typedef struct bowl {
    ht_config bottom;
} bowl;

static ht_outcome bowl_at(const bowl *bowl, const ht_config *config) {
    double cost = 1;
    size_t sum = 0;
    for (size_t i = 0; i < config->count; ++i) {
        double off = (double)config->choice[i] - bowl->bottom.choice[i];
        cost += (double)(i + 1) * off * off;
        sum += config->choice[i];
    }
    if (cost > 60 && sum % 3 == 0)
        return (ht_outcome){.status = HT_ERROR_COMPILE, .reason = "compile: no"};
    return (ht_outcome){.status = HT_OK, .cost = cost};
}

static bool learns(const ht_strategy_class *class) {
    return class->tell != NULL;
}

/* Returns the mean over repeats of the best cost after EVALUATIONS. */
static double mean_best(const char *name, const ht_space *space, bool seeded, size_t batch) {
    double sum = 0;
    for (uint64_t repeat = 0; repeat < REPEATS; ++repeat) {
        ht_random random;
        ht_random_seed(&random, 1000 + repeat); /* not what the strategy draws */
        bowl bowl = {ht_space_sample(space, &random)};
        ht_config near[200];
        size_t count = ht_space_neighbours(space, &bowl.bottom, HT_NEIGHBOURS_HAMMING, near, 200);
        cr_assert_gt(count, 3);
        ht_strategy_options options = {.seed = repeat, .seeds = near, .seed_count = seeded ? 3 : 0};
        ht_strategy *strategy;
        cr_assert_eq(ht_strategy_create(name, space, &options, &strategy, NULL), HT_OK);
        double best = 1e9;
        for (size_t done = 0, count; done < EVALUATIONS; done += count) {
            ht_config configs[EVALUATIONS];
            size_t want = EVALUATIONS - done < batch ? EVALUATIONS - done : batch;
            count = ht_strategy_ask(strategy, want, configs);
            cr_assert(count > 0 && count <= want);
            for (size_t i = 0; i < count; ++i) {
                ht_outcome outcome = bowl_at(&bowl, &configs[i]);
                if (outcome.status == HT_OK && outcome.cost < best)
                    best = outcome.cost;
                ht_strategy_tell(strategy, &configs[i], &outcome);
            }
        }
        sum += best;
        ht_strategy_free(strategy);
    }
    return sum / REPEATS;
}

/* Checks that strategies get within a share of what chance leaves, and with good seeds no less near
 * (listed spaces, one at a time). */
static void check_learning(size_t batch, double share) {
    test_space space;
    test_space_parse(&space, large);
    for (int unlisted = 0; unlisted < 2; ++unlisted) {
        double chance = mean_best("random", space.space, false, 1);
        for (size_t s = 0; ht_strategy_classes[s]; ++s) {
            const char *name = ht_strategy_classes[s]->name;
            if (!learns(ht_strategy_classes[s]))
                continue;
            double reached = mean_best(name, space.space, false, batch);
            cr_assert_lt(reached - 1, share * (chance - 1), "%s: %g, random: %g", name, reached,
                         chance);
            if (unlisted || batch > 1)
                continue;
            double with = mean_best(name, space.space, true, 1);
            cr_assert_leq(with, reached, "%s: %g with seeds, %g without", name, with, reached);
        }
        test_space_unlist(&space);
    }
    test_space_free(&space);
}

Test(learning, reaches_much_more_than_chance_and_good_seeds_help) {
    check_learning(1, 0.3);
}

Test(learning, reaches_more_than_chance_in_batches) {
    check_learning(20, 0.5);
}

/* Returns the cost in a wide bowl that leads everyone astray, and a narrow one that is deeper. */
static double two_bowls(const ht_config *wide, const ht_config *deep, const ht_config *at) {
    double to_wide = 0, to_deep = 0;
    for (size_t i = 0; i < at->count; ++i) {
        to_wide += fabs((double)at->choice[i] - wide->choice[i]);
        to_deep += fabs((double)at->choice[i] - deep->choice[i]);
    }
    return fmin(2 + to_wide / 20, 1 + to_deep / 4);
}

static bool finds_deep(const char *name, const ht_space *space, uint64_t repeat) {
    ht_random random;
    ht_random_seed(&random, 2000 + repeat);
    ht_config wide = ht_space_sample(space, &random), deep = ht_space_sample(space, &random);
    ht_strategy *strategy;
    cr_assert_eq(
        ht_strategy_create(name, space, &(ht_strategy_options){.seed = repeat}, &strategy, NULL),
        HT_OK);
    bool found = false;
    for (int i = 0; i < 1000 && !found; ++i) {
        ht_config config;
        cr_assert_eq(ht_strategy_ask(strategy, 1, &config), 1);
        ht_outcome outcome = {.status = HT_OK, .cost = two_bowls(&wide, &deep, &config)};
        ht_strategy_tell(strategy, &config, &outcome);
        found = ht_config_equal(&config, &deep);
    }
    ht_strategy_free(strategy);
    return found;
}

Test(learning, leaves_a_local_optimum) {
    test_space space;
    test_space_parse(&space, large);
    for (size_t s = 0; ht_strategy_classes[s]; ++s) {
        const char *name = ht_strategy_classes[s]->name;
        if (!learns(ht_strategy_classes[s]))
            continue;
        int found = 0;
        for (uint64_t repeat = 0; repeat < REPEATS; ++repeat)
            found += finds_deep(name, space.space, repeat);
        cr_assert_geq(found, REPEATS / 2, "%s: %d of %d", name, found, REPEATS);
    }
    test_space_free(&space);
}
