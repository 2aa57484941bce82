/* Steps that a caller thinks worth a try are tried first, one at a time, and those that helped are
 * put together, in a space where chance would not find it. */
#include "spaces.h"

#include "search/strategy.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { PARAMETERS = 8, MOVES = 6, STEPS_AT_MOST = 1 + MOVES + 4 };

static const char text[] =
    "#pragma tune unit\n#pragma tune kernel(k)\n"
    "#pragma tune param(A : 0..15 = 0)\n#pragma tune param(B : 0..15 = 0)\n"
    "#pragma tune param(C : 0..15 = 0)\n#pragma tune param(D : 0..15 = 0)\n"
    "#pragma tune param(E : 0..15 = 0)\n#pragma tune param(F : 0..15 = 0)\n"
    "#pragma tune param(G : 0..15 = 0)\n#pragma tune param(H : 0..15 = 0)\n"
    "#pragma tune require(F == 0 || G > 0)\n"
    "#pragma tune block(1)\n#pragma tune grid(1)\n#pragma tune arg(out : out float[64])\n"
    "template <int A, int B, int C, int D, int E, int F, int G, int H> __global__ void k(float "
    "*out) "
    "{}\n";

/* Makes moves: each sets parameter i to 8; the last two set F without and with the G that it
 * needs. */
static void moves_make(const ht_config *standard, ht_move out_moves[MOVES]) {
    for (size_t i = 0; i < MOVES; ++i) {
        size_t param = i < 5 ? i : 5;
        out_moves[i] = (ht_move){.to = *standard};
        out_moves[i].set[param] = true;
        out_moves[i].to.choice[param] = 8;
    }
    out_moves[4].set[5] = true; /* E and F, illegal: G is 0 */
    out_moves[4].to.choice[5] = 8;
    out_moves[5].set[6] = true;
    out_moves[5].to.choice[6] = 1;
}

/* Returns a time: A and C at 8 halve it, F at 8 takes a tenth off; B and D at 8 double it; any
 * other value that is not 0 is a bit worse. */
static double time_of(const ht_config *config) {
    static const double at_8[PARAMETERS] = {0.5, 2, 0.5, 2, 1, 0.9, 1, 1};
    double time = 1;
    for (size_t i = 0; i < PARAMETERS; ++i)
        if (config->choice[i])
            time *= config->choice[i] == 8 ? at_8[i] : 1.01;
    return time;
}

static ht_strategy *strategy_make(const test_space *space, const ht_config *seed, bool seeded) {
    ht_move moves[MOVES];
    moves_make(seed, moves);
    ht_strategy_options options = {.seed = 5,
                                   .seeds = seed,
                                   .seed_count = seeded ? 1 : 0,
                                   .moves = moves,
                                   .move_count = MOVES};
    ht_strategy *strategy;
    cr_assert_eq(ht_strategy_create("auto", space->space, &options, &strategy, NULL), HT_OK);
    return strategy;
}

/* Asks in batches until `count` configurations have their outcomes; `out` gets them. */
static void follow(ht_strategy *strategy, size_t batch, size_t count, ht_config *out) {
    for (size_t done = 0; done < count;) {
        size_t want = batch < count - done ? batch : count - done;
        want = ht_strategy_ask(strategy, want, out + done); /* fewer where it waits for outcomes */
        cr_assert_gt(want, 0);
        for (size_t i = 0; i < want; ++i) {
            ht_outcome outcome = {.status = HT_OK, .cost = time_of(&out[done + i])};
            ht_strategy_tell(strategy, &out[done + i], &outcome);
        }
        done += want;
    }
}

Test(ladder, what_helps_is_tried_alone_and_then_together) {
    test_space space;
    test_space_parse(&space, text);
    ht_config seed = ht_config_default(&space.templates[0]);
    for (size_t batch = 1; batch <= 32; batch += batch < 8 ? 1 : 24) {
        ht_strategy *strategy = strategy_make(&space, &seed, true);
        ht_config asked[STEPS_AT_MOST];
        double best = 1e9;
        follow(strategy, batch, STEPS_AT_MOST, asked);
        cr_expect(ht_config_equal(&asked[0], &seed));
        cr_expect_eq(asked[1].choice[0], 8, "the first move comes first");
        for (size_t i = 0; i < STEPS_AT_MOST; ++i) {
            cr_expect(ht_space_legal(space.space, &asked[i]));
            best = time_of(&asked[i]) < best ? time_of(&asked[i]) : best;
        }
        /* 0.5 * 0.5 * 0.9, and G = 1 comes with F. */
        cr_expect_float_eq(best, 0.5 * 0.5 * 0.9 * 1.01, 1e-9, "batches of %zu: %g", batch, best);
        ht_strategy_free(strategy);
    }
    test_space_free(&space);
}

Test(ladder, without_a_seed_there_is_nothing_to_step_from) {
    test_space space;
    test_space_parse(&space, text);
    ht_config seed = ht_config_default(&space.templates[0]), with[20], without[20];
    ht_strategy *strategy = strategy_make(&space, &seed, false), *plain;
    cr_assert_eq(
        ht_strategy_create("auto", space.space, &(ht_strategy_options){.seed = 5}, &plain, NULL),
        HT_OK);
    follow(strategy, 4, 20, with);
    follow(plain, 4, 20, without);
    for (size_t i = 0; i < 20; ++i)
        cr_expect(ht_config_equal(&with[i], &without[i]));
    ht_strategy_free(strategy);
    ht_strategy_free(plain);
    test_space_free(&space);
}

/* Moves that turn out bad, all of them, cost their evaluations and no more: the search goes on. */
Test(ladder, bad_advice_does_not_stop_the_search) {
    test_space space;
    test_space_parse(&space, text);
    ht_config seed = ht_config_default(&space.templates[0]), asked[60];
    for (size_t i = 0; i < seed.count; ++i)
        seed.choice[i] = i == 5 ? 0 : 3; /* everything is 1 % worse than at 0 */
    ht_strategy *strategy = strategy_make(&space, &seed, true);
    follow(strategy, 4, 60, asked);
    size_t different = 0;
    for (size_t i = 1; i < 60; ++i)
        different += !ht_config_equal(&asked[i], &asked[i - 1]);
    cr_expect_eq(different, 59);
    ht_strategy_free(strategy);
    test_space_free(&space);
}
