/* Planning, on histories that are written down. */
#include "base/memory.h"
#include "loop/plan.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(plan, .timeout = 60);

static const ht_loop_settings usual = {.rounds = 20, .evaluations = 60, .least_gain = 1.01};

static void add(ht_history *history, ht_action action, uint64_t parent, bool kept, double gain,
                const char *template_text, uint64_t evaluations) {
    ht_revision made = {.action = action,
                        .parent = parent,
                        .kept = kept,
                        .verified = true,
                        .over_best = {gain, gain * 0.99, gain * 1.01},
                        .source = kept ? ht_strdup("text") : NULL,
                        .template_text = template_text ? ht_strdup(template_text) : NULL,
                        .evaluations = evaluations,
                        .seconds = 30};
    ht_history_add(history, &made);
}

/* The original, and a first search that gained. */
static ht_history tuned(void) {
    ht_history history = {0};
    add(&history, HT_ACTION_ORIGINAL, 0, true, 1, NULL, 0);
    add(&history, HT_ACTION_TUNE, 0, true, 3, "t", 60);
    return history;
}

static ht_choice choose(const ht_loop_settings *settings, const ht_history *history,
                        const ht_lessons *lessons) {
    static const ht_lessons none;
    ht_choice choice;
    ht_loop_choose(settings, history, lessons ? lessons : &none, &choice);
    size_t length = strlen(choice.reason);
    cr_expect_gt(length, 10);
    cr_expect_eq(choice.reason[length - 1], '.', "a sentence: %s", choice.reason);
    return choice;
}

static void expect_action(const ht_loop_settings *settings, const ht_history *history,
                          const ht_lessons *lessons, ht_action action, const char *words) {
    ht_choice choice = choose(settings, history, lessons);
    cr_expect_str_eq(ht_action_name(choice.action), ht_action_name(action), "%s", choice.reason);
    cr_expect(strstr(choice.reason, words), "%s", choice.reason);
    free(choice.reason);
}

Test(plan, the_first_step_is_the_search_of_the_source_as_it_is) {
    ht_history history = {0};
    add(&history, HT_ACTION_ORIGINAL, 0, true, 1, NULL, 0);
    ht_choice choice = choose(&usual, &history, NULL);
    cr_expect_eq(choice.action, HT_ACTION_TUNE);
    cr_expect_eq(choice.evaluations, 60);
    free(choice.reason);
    ht_history_free(&history);
}

Test(plan, a_best_at_an_edge_is_widened_once) {
    ht_history history = tuned();
    history.items[1].edges = ht_strdup("COARSEN_X (8 of 1 to 8)");
    expect_action(&usual, &history, NULL, HT_ACTION_WIDEN, "at the edge of COARSEN_X");
    add(&history, HT_ACTION_WIDEN, 1, false, 0.99, "t wide", 60);
    ht_choice choice = choose(&usual, &history, NULL);
    cr_expect_neq(choice.action, HT_ACTION_WIDEN);
    free(choice.reason);
    ht_history_free(&history);
}

/* Else a loop goes on widening one parameter by thousandths. */
Test(plan, a_step_that_gained_less_than_a_step_is_taken_for_was_in_vain) {
    ht_history history = tuned();
    history.items[1].edges = ht_strdup("ROW_BLOCKS (16 of 1 to 16)");
    add(&history, HT_ACTION_WIDEN, 1, true, 1.003, "t wide", 60);
    history.items[2].edges = ht_strdup("ROW_BLOCKS (64 of 1 to 64)");
    add(&history, HT_ACTION_AGAIN, 2, false, 0.99, "t again", 60);
    expect_action(&usual, &history, NULL, HT_ACTION_LONGER, "The search has tried 60");
    history.items[2].over_best.ratio = 1.1;
    expect_action(&usual, &history, NULL, HT_ACTION_WIDEN, "at the edge of ROW_BLOCKS");
    ht_history_free(&history);
}

Test(plan, the_best_is_refined_once_unless_all_was_tried) {
    ht_history history = tuned();
    history.items[1].config = ht_strdup("BLOCK_X=64");
    ht_choice choice = choose(&usual, &history, NULL);
    cr_expect_eq(choice.action, HT_ACTION_REFINE, "%s", choice.reason);
    cr_expect_lt(choice.evaluations, 60, "few are next to it");
    free(choice.reason);
    ht_loop_settings few = usual;
    few.evaluations = 8;
    choice = choose(&few, &history, NULL);
    cr_expect_eq(choice.evaluations, 8, "no more than a first search");
    free(choice.reason);
    history.items[1].exhausted = true;
    choice = choose(&usual, &history, NULL);
    cr_expect_neq(choice.action, HT_ACTION_REFINE, "%s", choice.reason);
    free(choice.reason);
    history.items[1].exhausted = false;
    add(&history, HT_ACTION_REFINE, 1, false, 1, "t", 76); /* of which 60 were there */
    cr_expect_eq(ht_history_spent(&history), 76);
    choice = choose(&usual, &history, NULL);
    cr_expect_neq(choice.action, HT_ACTION_REFINE, "%s", choice.reason);
    free(choice.reason);
    /* another best has other neighbours */
    add(&history, HT_ACTION_LONGER, 1, true, 1.1, "t", 120);
    history.items[3].config = ht_strdup("BLOCK_X=32");
    expect_action(&usual, &history, NULL, HT_ACTION_REFINE, "next to the best");
    ht_history_free(&history);
}

Test(plan, a_search_that_tried_all_is_not_made_longer) {
    ht_history history = tuned();
    ht_choice choice = choose(&usual, &history, NULL);
    cr_expect_eq(choice.action, HT_ACTION_AGAIN, "%s", choice.reason);
    free(choice.reason);
    add(&history, HT_ACTION_AGAIN, 1, false, 0.98, "t2", 60);
    choice = choose(&usual, &history, NULL);
    cr_expect_eq(choice.action, HT_ACTION_LONGER);
    cr_expect_eq(choice.evaluations, 120, "twice those made of this template");
    free(choice.reason);
    history.items[1].exhausted = true;
    expect_action(&usual, &history, NULL, HT_ACTION_STOP, "Nothing is left to try");
    ht_history_free(&history);
}

Test(plan, steps_in_vain_are_expected_to_gain_less_until_none_is_worth_it) {
    ht_history history = tuned();
    double last = INFINITY;
    uint64_t evaluations = 60;
    add(&history, HT_ACTION_AGAIN, 1, false, 0.98, "t2", 60);
    for (int i = 0; i < 10; ++i) {
        ht_choice choice = choose(&usual, &history, NULL);
        bool stopped = choice.action == HT_ACTION_STOP;
        cr_expect(stopped || choice.predicted_gain < last);
        last = choice.predicted_gain;
        if (stopped)
            cr_expect(strstr(choice.reason, "expected to gain 1 %"), "%s", choice.reason);
        free(choice.reason);
        if (stopped) {
            cr_expect_geq(i, 1);
            ht_history_free(&history);
            return;
        }
        add(&history, HT_ACTION_LONGER, 1, false, 1, "t", evaluations *= 2);
    }
    cr_expect(false, "it never stopped");
}

Test(plan, forms_that_nobody_writes_by_hand_are_tried_only_if_they_may_be) {
    ht_history history = tuned();
    ht_loop_settings any = usual;
    any.any = true;
    history.items[1].held_back = ht_strdup("a lambda around the body (EDGE_APART)");
    ht_choice choice = choose(&usual, &history, NULL);
    cr_expect_neq(choice.action, HT_ACTION_FREER);
    free(choice.reason);
    expect_action(&any, &history, NULL, HT_ACTION_FREER, "a lambda around the body");
    ht_history_free(&history);
}

Test(plan, earlier_loops_change_the_choice_and_the_reason_says_how_many_steps_they_made) {
    ht_history history = tuned();
    ht_lessons lessons = {0};
    history.items[1].edges = ht_strdup("BLOCK_X (32 of 32 to 1024)");
    expect_action(&usual, &history, &lessons, HT_ACTION_WIDEN, "no loop has tried that yet");
    lessons.of[HT_ACTION_WIDEN] = (ht_lesson){.steps = 30, .seconds = 900, .evaluations = 1800};
    lessons.of[HT_ACTION_AGAIN] =
        (ht_lesson){.log_gain = 10 * log(1.4), .steps = 10, .seconds = 300, .evaluations = 600};
    expect_action(&usual, &history, &lessons, HT_ACTION_AGAIN,
                  "10 earlier steps of this kind gained 1.400x on average");
    ht_history_free(&history);
}

Test(plan, a_step_that_was_not_kept_teaches_that_it_gained_nothing) {
    ht_history history = tuned();
    ht_lessons lessons = {0};
    add(&history, HT_ACTION_LONGER, 1, false, 1.2, "t", 120); /* not clearly faster */
    ht_lessons_add(&lessons, &history);
    cr_expect_eq(lessons.of[HT_ACTION_LONGER].steps, 1);
    cr_expect_float_eq(lessons.of[HT_ACTION_LONGER].log_gain, 0, 1e-12);
    cr_expect_float_eq(lessons.of[HT_ACTION_TUNE].log_gain, log(3), 1e-12);
    json_t *document = ht_lessons_json(&lessons);
    ht_lessons read;
    ht_lessons_read(document, &read);
    cr_expect_eq(memcmp(&read, &lessons, sizeof read), 0);
    json_decref(document);
    ht_history_free(&history);
}

Test(plan, rounds_end_it) {
    ht_history history = tuned();
    ht_loop_settings one = usual;
    one.rounds = 1;
    expect_action(&one, &history, NULL, HT_ACTION_STOP, "All 1 rounds were made");
    ht_history_free(&history);
}

/* A plan that went by the clock would be another one when the loop is resumed. */
Test(plan, the_choice_does_not_hang_on_how_long_steps_took) {
    for (int slow = 0; slow < 2; ++slow) {
        ht_history history = tuned();
        history.items[1].seconds = slow ? 1e4 : 0.1;
        ht_choice choice = choose(&usual, &history, NULL);
        cr_expect_eq(choice.action, HT_ACTION_AGAIN);
        cr_expect_float_eq(choice.predicted_gain, 1.10, 1e-9);
        free(choice.reason);
        ht_history_free(&history);
    }
}

Test(plan, a_kernel_near_its_roofline_is_left_alone_whatever_is_expected) {
    ht_history history = tuned();
    for (size_t i = 0; i < history.count; ++i) {
        history.items[i].least_ms = 0.09;
        history.items[i].least_bytes = 147e6;
    }
    history.items[1].original_ms = 0.2;
    history.items[1].best_ms = 0.101; /* 89 % */
    ht_choice choice = choose(&usual, &history, NULL);
    cr_expect_neq(choice.action, HT_ACTION_STOP, "%s", choice.reason);
    cr_expect_not(choice.over);
    free(choice.reason);
    history.items[1].best_ms = 0.099; /* 91 % */
    choice = choose(&usual, &history, NULL);
    cr_expect_eq(choice.action, HT_ACTION_STOP);
    cr_expect(choice.over, "a proposal has nothing to gain either");
    cr_expect(strstr(choice.reason, "The best takes 0.099 ms, and to move the 147 MB") &&
                  strstr(choice.reason, "91 % of it"),
              "%s", choice.reason);
    free(choice.reason);
    ht_history_free(&history);
}

Test(plan, an_original_near_its_roofline_is_not_even_tuned) {
    ht_history history = {0};
    add(&history, HT_ACTION_ORIGINAL, 0, true, 1, NULL, 0);
    history.items[0].least_ms = 0.95;
    expect_action(&usual, &history, NULL, HT_ACTION_TUNE, "Nothing was tuned yet");
    history.items[0].best_ms = 1; /* predicted */
    expect_action(&usual, &history, NULL, HT_ACTION_STOP, "The original takes 1 ms");
    ht_history_free(&history);
}

Test(plan, all_steps_together_try_as_many_configurations_as_they_may) {
    ht_loop_settings few = usual;
    ht_history history = {0};
    few.most = 50;
    add(&history, HT_ACTION_ORIGINAL, 0, true, 1, NULL, 0);
    ht_choice choice = choose(&few, &history, NULL);
    cr_expect_eq(choice.evaluations, 50, "the first search would have 60");
    free(choice.reason);
    few.most = 70;
    add(&history, HT_ACTION_TUNE, 0, true, 3, "t", 60);
    choice = choose(&few, &history, NULL);
    cr_expect_eq(choice.evaluations, choice.action == HT_ACTION_LONGER ? 70 : 10, "%s",
                 choice.reason);
    free(choice.reason);
    add(&history, HT_ACTION_LONGER, 1, false, 1, "t", 70); /* of which 60 were there */
    cr_expect_eq(ht_history_spent(&history), 70);
    choice = choose(&few, &history, NULL);
    cr_expect(choice.over);
    cr_expect(strstr(choice.reason, "All 70 configurations were tried"), "%s", choice.reason);
    free(choice.reason);
    ht_history_free(&history);
}
