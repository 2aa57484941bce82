/* The loop on outcomes that are written down. */
#include "base/memory.h"
#include "base/text.h"
#include "tests/loop/world.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(loop, .timeout = 60);

static void loop_make(world *world, ht_loop *loop) {
    ht_revision original = world_original();
    world_loop(world, loop);
    ht_history_add(&loop->history, &original);
}

static char *history_of(uint64_t seed) {
    world world = {.seed = seed};
    ht_loop loop;
    loop_make(&world, &loop);
    cr_assert_eq(ht_loop_run(&loop, NULL), HT_OK);
    cr_assert_not_null(loop.ended);
    char *text = world_text(&loop.history);
    ht_loop_free(&loop);
    return text;
}

Test(loop, the_same_seed_gives_the_same_history_and_another_seed_another) {
    char *first = history_of(7), *second = history_of(7), *other = history_of(8);
    cr_expect_str_eq(first, second);
    cr_expect_str_neq(first, other);
    cr_expect_gt(strlen(first), 1000);
    free(first);
    free(second);
    free(other);
}

/* The outcomes' speedups are no products of the gains: 2.5, 2.6, 2.7, ... */
Test(loop, the_verdict_is_what_was_measured_against_the_original_and_never_a_product) {
    world world = {.seed = 1};
    ht_loop loop;
    loop_make(&world, &loop);
    cr_assert_eq(ht_loop_run(&loop, NULL), HT_OK);
    double product = 1;
    size_t kept = 0;
    for (size_t i = 1; i < loop.history.count; ++i) {
        const ht_revision *revision = &loop.history.items[i];
        cr_expect_float_eq(revision->speedup.ratio, 2.5 + 0.1 * (double)i, 1e-12);
        if (!revision->kept)
            continue;
        product *= revision->over_best.ratio;
        ++kept;
    }
    cr_assert_geq(kept, 2, "several steps gained something");
    cr_expect_gt(fabs(product - ht_history_best(&loop.history)->speedup.ratio), 0.05);
    ht_loop_free(&loop);
}

typedef struct outcome {
    ht_gain_interval speedup, over_best;
    bool verified;
} outcome;

static ht_status outcome_perform(void *context, const ht_history *history, const ht_choice *choice,
                                 const ht_loop_proposal *proposal, ht_revision *out,
                                 ht_error *error) {
    const outcome *given = context;
    (void)history, (void)choice, (void)proposal, (void)error;
    *out = (ht_revision){.speedup = given->speedup,
                         .over_best = given->over_best,
                         .verified = given->verified,
                         .source = ht_strdup("text"),
                         .verdict = ht_strdup("improved")};
    return HT_OK;
}

static bool is_kept(outcome given) {
    ht_revision original = world_original();
    ht_loop loop = {.settings = {.rounds = 1, .evaluations = 10, .least_gain = 1.01},
                    .hands = {.context = &given, .perform = outcome_perform}};
    ht_history_add(&loop.history, &original);
    cr_assert_eq(ht_loop_run(&loop, NULL), HT_OK);
    cr_assert_eq(loop.history.count, 2);
    bool kept = loop.history.items[1].kept;
    ht_loop_free(&loop);
    return kept;
}

Test(loop, a_revision_is_kept_only_if_both_intervals_are_above_one_and_it_was_verified) {
    const ht_gain_interval faster = {1.5, 1.4, 1.6}, unclear = {1.1, 0.9, 1.3}, none = {0};
    cr_expect(is_kept((outcome){faster, faster, true}));
    cr_expect_not(is_kept((outcome){faster, faster, false}));
    cr_expect_not(is_kept((outcome){unclear, faster, true}), "not clear against the original");
    cr_expect_not(is_kept((outcome){faster, unclear, true}), "not clear against the best");
    cr_expect_not(is_kept((outcome){faster, none, true}), "not measured next to the best");
    cr_expect_not(is_kept((outcome){none, faster, true}), "not measured next to the original");
}

/* ---- proposals */

typedef struct proposing {
    unsigned asked, settled;
    uint64_t parent;
    uint64_t rounds_left;
    ht_action answered;
} proposing;

static ht_status propose(void *context, const ht_loop_view *view, ht_loop_proposal *out,
                         ht_error *error) {
    proposing *in = context;
    (void)error;
    in->rounds_left = view->rounds_left;
    if (in->asked++ > 0)
        return HT_OK;
    *out = (ht_loop_proposal){.kind = HT_PROPOSAL_SOURCE,
                              .parent = in->parent,
                              .text = ht_strdup("rewritten"),
                              .reason = ht_strdup("Vectors of four.")};
    return HT_OK;
}

static void settled(void *context, const ht_loop_proposal *proposal, const ht_revision *revision) {
    proposing *in = context;
    cr_expect_str_eq(proposal->text, "rewritten");
    in->answered = revision->action;
    ++in->settled;
}

static void view(void *context, ht_loop_view *out_view) {
    (void)context;
    out_view->path = "a.hip";
}

Test(loop, a_proposal_is_a_step_after_the_first_search_and_its_revision_is_the_answer) {
    world world = {.seed = 1};
    proposing proposing = {.parent = 1};
    const ht_proposer proposer = {.context = &proposing, .propose = propose, .settled = settled};
    ht_loop loop;
    loop_make(&world, &loop);
    loop.settings.rounds = 4;
    loop.hands.view = view;
    loop.proposer = &proposer;
    cr_assert_eq(ht_loop_run(&loop, NULL), HT_OK);
    cr_expect_eq(loop.history.items[1].action, HT_ACTION_TUNE);
    cr_expect_eq(loop.history.items[2].action, HT_ACTION_SOURCE);
    cr_expect_eq(loop.history.items[2].parent, 1);
    cr_expect_str_eq(loop.history.items[2].reason, "Proposed: Vectors of four.");
    cr_expect_eq(proposing.settled, 1);
    cr_expect_eq(proposing.answered, HT_ACTION_SOURCE);
    cr_expect_eq(proposing.asked, 3, "once before each step but the first");
    cr_expect_eq(proposing.rounds_left, 1);
    ht_loop_free(&loop);
}

Test(loop, a_proposal_from_a_revision_that_is_not_there_is_an_error) {
    world world = {.seed = 1};
    proposing proposing = {.parent = 9};
    const ht_proposer proposer = {.context = &proposing, .propose = propose};
    ht_loop loop;
    ht_error error = {0};
    loop_make(&world, &loop);
    loop.hands.view = view;
    loop.proposer = &proposer;
    cr_expect_eq(ht_loop_run(&loop, &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, "revision 9"), "%s", error.message);
    cr_expect_eq(loop.history.count, 2);
    ht_loop_free(&loop);
}

Test(loop, a_revision_that_is_slower_at_sizes_that_were_not_tuned_for_is_not_kept) {
    world world = {.seed = 3, .slower = true};
    ht_loop loop;
    loop_make(&world, &loop);
    cr_assert_eq(ht_loop_run(&loop, NULL), HT_OK);
    cr_expect_gt(loop.history.count, 1);
    cr_expect_eq(ht_history_best(&loop.history)->number, 0);
    ht_loop_free(&loop);
}
