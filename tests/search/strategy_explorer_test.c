/* The parts of strategies: the explorer, the sweep, the ranking, against brute force. */
#include "spaces.h"

#include "base/memory.h"
#include "search/ranking.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { SPACES = 60 };

/* Returns a random choice for every parameter, legal or not. */
static ht_config any_config(const ht_space *space, ht_random *random) {
    ht_config config = {.count = (uint16_t)ht_space_dimension_count(space)};
    for (size_t i = 0; i < config.count; ++i)
        config.choice[i] =
            (uint16_t)ht_random_below(random, ht_space_dimension(space, i)->value_count);
    return config;
}

static size_t distance(const ht_config *a, const ht_config *b) {
    size_t differing = 0;
    for (size_t i = 0; i < a->count; ++i)
        differing += a->choice[i] != b->choice[i];
    return differing;
}

static void space_make(test_space *space, uint64_t seed, bool listed) {
    test_space_random(space, seed);
    if (!listed)
        test_space_unlist(space);
}

Test(sweep, walks_the_legal_ones_in_order_listed_or_not) {
    for (uint64_t seed = 1; seed <= SPACES; ++seed) {
        test_space listed, unlisted;
        space_make(&listed, seed, true);
        space_make(&unlisted, seed, false);
        ht_sweep sweep;
        ht_sweep_begin(&sweep, unlisted.space);
        for (uint64_t i = 0; i < listed.legal; ++i) {
            ht_config expected = ht_space_at(listed.space, i), got;
            cr_assert(ht_sweep_next(&sweep, &got));
            cr_assert(ht_config_equal(&got, &expected));
        }
        ht_config none;
        cr_assert_not(ht_sweep_next(&sweep, &none));
        cr_assert_not(ht_sweep_next(&sweep, &none), "stays at its end");
        test_space_free(&listed);
        test_space_free(&unlisted);
    }
}

Test(explorer, knows_what_was_asked_and_told) {
    for (uint64_t seed = 1; seed <= SPACES; ++seed) {
        test_space space;
        space_make(&space, seed, seed % 2);
        ht_explorer explorer;
        ht_explorer_begin(&explorer, space.space, &(ht_strategy_options){.seed = seed});
        ht_config config;
        for (size_t i = 0; ht_explorer_fresh(&explorer, &config); ++i) {
            cr_assert_eq(ht_explorer_find(&explorer, &config), HT_NO_POINT);
            cr_assert_eq(ht_explorer_ask(&explorer, &config), i);
            cr_assert_eq(ht_explorer_find(&explorer, &config), (ptrdiff_t)i);
            cr_assert(isinf(explorer.points[i].cost));
            ht_outcome outcome = {.status = i % 3 ? HT_OK : HT_ERROR_CRASH, .cost = (double)i};
            cr_assert_eq(ht_explorer_tell(&explorer, &config, &outcome), i);
            cr_assert_eq(explorer.told, i + 1);
            cr_assert_eq(explorer.points[i].cost, i % 3 ? (double)i : INFINITY);
        }
        cr_assert_eq(explorer.point_count, space.legal);
        ht_explorer_end(&explorer);
        test_space_free(&space);
    }
}

Test(explorer, outcomes_of_others_are_known_too) {
    test_space space;
    test_space_random(&space, 3);
    ht_explorer explorer;
    ht_explorer_begin(&explorer, space.space, &(ht_strategy_options){.seed = 1});
    ht_config first = ht_space_at(space.space, 0);
    ht_outcome nan = {.status = HT_OK, .cost = NAN};
    size_t point = ht_explorer_tell(&explorer, &first, &nan);
    cr_assert_eq(ht_explorer_find(&explorer, &first), (ptrdiff_t)point);
    cr_assert(isinf(explorer.points[point].cost), "no number is no success");
    ht_config fresh;
    size_t left = 0;
    for (; ht_explorer_fresh(&explorer, &fresh); ++left) {
        cr_assert_not(ht_config_equal(&fresh, &first));
        ht_explorer_ask(&explorer, &fresh);
    }
    cr_assert_eq(left, space.legal - 1);
    ht_explorer_end(&explorer);
    test_space_free(&space);
}

Test(explorer, steps_go_to_each_unasked_neighbour_once) {
    for (uint64_t seed = 1; seed <= SPACES; ++seed) {
        test_space space;
        space_make(&space, seed, seed % 2);
        ht_explorer explorer;
        ht_explorer_begin(&explorer, space.space, &(ht_strategy_options){.seed = seed});
        ht_config from = any_config(space.space, &explorer.random), near;
        size_t expected = ht_space_neighbours(space.space, &from, HT_NEIGHBOURS_HAMMING, NULL, 0);
        size_t steps = 0;
        for (; ht_explorer_step(&explorer, &from, HT_NEIGHBOURS_HAMMING, &near); ++steps) {
            cr_assert_eq(distance(&from, &near), 1);
            cr_assert(ht_space_legal(space.space, &near));
            cr_assert_eq(ht_explorer_find(&explorer, &near), HT_NO_POINT);
            ht_explorer_ask(&explorer, &near);
        }
        cr_assert_eq(steps, expected);
        ht_explorer_end(&explorer);
        test_space_free(&space);
    }
}

Test(explorer, repair_is_legal_and_no_farther_than_needed) {
    for (uint64_t seed = 1; seed <= SPACES; ++seed) {
        test_space space;
        space_make(&space, seed, seed % 2);
        ht_explorer explorer;
        ht_explorer_begin(&explorer, space.space, &(ht_strategy_options){.seed = seed});
        for (int i = 0; i < 50; ++i) {
            ht_config from = ht_space_sample(space.space, &explorer.random);
            ht_config wanted = any_config(space.space, &explorer.random), got = wanted;
            ht_explorer_repair(&explorer, &from, &got);
            cr_assert(ht_space_legal(space.space, &got));
            if (ht_space_legal(space.space, &wanted))
                cr_assert(ht_config_equal(&got, &wanted));
            else if (ht_space_neighbours(space.space, &wanted, HT_NEIGHBOURS_HAMMING, NULL, 0))
                cr_assert_eq(distance(&got, &wanted), 1);
            else
                cr_assert_leq(distance(&got, &wanted), distance(&from, &wanted));
        }
        ht_explorer_end(&explorer);
        test_space_free(&space);
    }
}

Test(ranking, agrees_with_sorting) {
    test_space space;
    test_space_random(&space, 1);
    ht_explorer explorer = {.space = space.space};
    ht_random random;
    ht_random_seed(&random, 1);
    ht_ranking ranking = {0};
    enum { COUNT = 300 };
    explorer.points = ht_alloc(COUNT, sizeof *explorer.points);
    size_t successes = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        double cost = (double)ht_random_below(&random, 40); /* many are equal */
        explorer.points[i].cost = cost > 30 ? INFINITY : cost;
        successes += cost <= 30;
        ht_ranking_add(&ranking, &explorer, i);
        if (ht_random_below(&random, 4) == 0 && ranking.count > 0) {
            ht_ranking_remove(&ranking, (size_t)ht_random_below(&random, ranking.count));
            --successes;
        }
        cr_assert_eq(ranking.count, successes);
        for (size_t j = 1; j < ranking.count; ++j) {
            size_t a = ranking.points[j - 1], b = ranking.points[j];
            double before = explorer.points[a].cost, after = explorer.points[b].cost;
            cr_assert(before < after || (before == after && a < b));
        }
    }
    ht_ranking_free(&ranking);
    free(explorer.points);
    test_space_free(&space);
}
