/* Which finalist is written: by how fast the files are, whatever their templates promised. */
#include "../templates/support.h"
#include "pipeline/written_choice.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(written_choice, .timeout = 60);

static const char annotated[] = "#pragma tune unit\n"
                                "#pragma tune kernel(k)\n"
                                "#pragma tune param(BLOCK : 32, 64, 128, 256 = 64)\n"
                                "#pragma tune block(BLOCK)\n"
                                "#pragma tune grid(1)\n"
                                "#pragma tune arg(out : out float[1])\n"
                                "template <int BLOCK> __global__ void k(float *out) {}\n";

enum { FINALISTS = 4, ROUNDS = 20 };

typedef struct trial {
    ht_template *template;
    ht_entry entry;
} trial;

/* An entry whose template gave these speedups; the first is the default, the fastest won. */
static trial trial_make(const double speedups[FINALISTS]) {
    trial made = {.template = test_template(annotated)};
    ht_pair_result *result = &made.entry.result;
    size_t best = 1;
    made.entry.template = made.template;
    for (size_t i = 0; i < FINALISTS; ++i) {
        ht_candidate *candidate = &result->finalists.items[i];
        candidate->config = ht_config_default(made.template);
        candidate->config.choice[0] = (uint16_t)((i + 1) % FINALISTS);
        candidate->is_default = i == 0;
        candidate->final = (ht_final){.status = HT_OK,
                                      .verified = true,
                                      .speedup = speedups[i],
                                      .speedup_lo = speedups[i] - 0.01,
                                      .speedup_hi = speedups[i] + 0.01};
        if (i > 0 && speedups[i] > speedups[best])
            best = i;
    }
    result->finalists.count = FINALISTS;
    result->finalists.first = 1;
    result->verdict = HT_VERDICT_IMPROVED;
    result->config = result->finalists.items[best].config;
    result->times = (ht_pair_times){.known = true, .speedup = speedups[best]};
    return made;
}

static void trial_free(trial *made) {
    free(made->entry.result.reason);
    ht_template_free(made->template, 1);
}

static size_t current_of(const trial *made) {
    for (size_t i = 0; i < FINALISTS; ++i)
        if (ht_config_equal(&made->entry.result.finalists.items[i].config,
                            &made->entry.result.config))
            return i;
    return FINALISTS;
}

/* Writes files until none is to be made again, as fast as `files` says; returns how many. */
static size_t settle(trial *made, const double files[FINALISTS], double min_speedup, bool other) {
    for (size_t written = 1; written <= ROUNDS; ++written) {
        double speedup = files[current_of(made)];
        made->entry.written.times = (ht_pair_times){.known = true,
                                                    .speedup = speedup,
                                                    .speedup_lo = speedup - 0.02,
                                                    .speedup_hi = speedup + 0.02};
        if (!ht_written_choose(&made->entry, min_speedup, other) ||
            made->entry.result.verdict != HT_VERDICT_IMPROVED)
            return written;
    }
    cr_assert_fail("no end");
    return 0;
}

Test(written_choice, a_file_as_fast_as_promised_stays_and_its_times_are_reported) {
    trial made = trial_make((double[]){1, 1.5, 3, 2});
    cr_expect_leq(settle(&made, (double[]){1, 1.5, 2.9, 2}, 1.01, true), 2);
    cr_expect_eq(current_of(&made), 2);
    cr_expect_float_eq(made.entry.result.times.speedup, 2.9, 1e-12);
    cr_expect_eq(made.entry.result.verdict, HT_VERDICT_IMPROVED);
    cr_expect_not_null(ht_written_current(&made.entry));
    char *words = ht_written_difference_words(&made.entry);
    cr_expect_null(words, "%s", words);
    trial_free(&made);
}

Test(written_choice, the_fastest_file_wins_though_its_template_was_slower) {
    trial made = trial_make((double[]){1, 2, 5.6, 1.9});
    settle(&made, (double[]){1, 1.95, 1.7, 1.2}, 1.01, true);
    cr_expect_eq(current_of(&made), 1);
    cr_expect_float_eq(made.entry.result.times.speedup, 1.95, 1e-12);
    cr_expect_not(made.entry.result.finalists.items[3].written.known,
                  "what promises less than a file gives is not written");
    trial_free(&made);
}

Test(written_choice, the_report_says_what_the_template_gave) {
    trial made = trial_make((double[]){1, 1.1, 5.6, 1.2});
    settle(&made, (double[]){1, 1, 1.7, 1}, 1.01, true);
    char *words = ht_written_difference_words(&made.entry);
    cr_assert_not_null(words);
    cr_expect_not_null(strstr(words, "5.60x"), "%s", words);
    free(words);
    trial_free(&made);
}

Test(written_choice, the_original_stays_where_no_file_is_faster) {
    trial made = trial_make((double[]){1, 1.5, 3, 2});
    settle(&made, (double[]){1, 1, 1.01, 0.9}, 1.01, true);
    cr_expect_eq(made.entry.result.verdict, HT_VERDICT_UNCLEAR);
    cr_expect_eq(current_of(&made), 0);
    cr_expect_not_null(strstr(made.entry.result.reason, "no tuned source is clearly faster"));
    cr_expect_not_null(strstr(made.entry.result.reason, "3.000x"), "%s", made.entry.result.reason);
    for (size_t i = 1; i < FINALISTS; ++i)
        cr_expect(made.entry.result.finalists.items[i].written.known, "each was tried");
    trial_free(&made);
}

Test(written_choice, a_gain_below_the_least_keeps_the_original) {
    trial made = trial_make((double[]){1, 1.02, 1.3, 1.03});
    settle(&made, (double[]){1, 1, 1.2, 1}, 1.25, true);
    cr_expect_eq(made.entry.result.verdict, HT_VERDICT_KEPT);
    cr_expect_not_null(strstr(made.entry.result.reason, "--min-speedup 1.25"));
    trial_free(&made);
}

Test(written_choice, no_other_is_tried_when_the_time_is_over) {
    trial made = trial_make((double[]){1, 2, 5.6, 1.9});
    settle(&made, (double[]){1, 1.95, 1.7, 1.2}, 1.01, false);
    cr_expect_eq(current_of(&made), 2);
    cr_expect_float_eq(made.entry.result.times.speedup, 1.7, 1e-12);
    trial_free(&made);
}

Test(written_choice, what_was_not_timed_is_left_alone) {
    trial made = trial_make((double[]){1, 2, 5.6, 1.9});
    cr_expect_not(ht_written_choose(&made.entry, 1.01, true));
    cr_expect_float_eq(made.entry.result.times.speedup, 5.6, 1e-12);
    cr_expect_null(ht_written_current(&made.entry));
    trial_free(&made);
}

Test(written_choice, a_wrong_file_gives_way_to_one_that_was_proven) {
    trial made = trial_make((double[]){1, 2, 5.6, 1.9});
    made.entry.written.times =
        (ht_pair_times){.known = true, .speedup = 1.7, .speedup_lo = 1.68, .speedup_hi = 1.72};
    cr_assert(ht_written_choose(&made.entry, 1.01, true)); /* 2 is promised */
    cr_assert_eq(current_of(&made), 1);
    cr_assert(ht_written_retreat(&made.entry, "it is wrong", true));
    cr_expect_eq(current_of(&made), 2);
    cr_expect_float_eq(made.entry.result.times.speedup, 1.7, 1e-12);
    cr_expect_str_eq(made.entry.result.finalists.items[1].final.reason, "it is wrong");
    trial_free(&made);
}

Test(written_choice, a_wrong_file_gives_way_to_the_next_until_none_is_left) {
    trial made = trial_make((double[]){1, 2, 5.6, 1.005});
    cr_assert(ht_written_retreat(&made.entry, "it is wrong", true));
    cr_expect_eq(current_of(&made), 1);
    cr_expect_float_eq(made.entry.result.times.speedup, 2, 1e-12);
    cr_expect_not(ht_written_retreat(&made.entry, "it is wrong", true),
                  "the last is not clearly faster than the original");
    cr_expect_eq(current_of(&made), 1);
    trial_free(&made);
}

Test(written_choice, a_file_that_was_timed_wins_over_one_that_was_not) {
    trial made = trial_make((double[]){1, 2, 5.6, 1.9});
    made.entry.result.finalists.original = (ht_timing){.median_ms = 3, .samples = 8};
    made.entry.written.times =
        (ht_pair_times){.known = true, .speedup = 1.7, .speedup_lo = 1.68, .speedup_hi = 1.72};
    cr_assert(ht_written_choose(&made.entry, 1.01, true)); /* 2 is promised */
    cr_assert_eq(current_of(&made), 1);
    cr_expect_float_eq(made.entry.result.times.original.median_ms, 3, 1e-12);
    made.entry.written.times = (ht_pair_times){0};
    cr_assert(ht_written_choose(&made.entry, 1.01, true));
    cr_expect_eq(current_of(&made), 2);
    cr_expect_float_eq(made.entry.result.times.speedup, 1.7, 1e-12);
    made.entry.written.times = made.entry.result.finalists.items[2].written;
    cr_expect(ht_written_choose(&made.entry, 1.01, true), "1.9 is promised by the last");
    cr_expect_eq(current_of(&made), 3);
    trial_free(&made);
}

/* Of files that were timed the times of templates say nothing more. */
Test(written_choice, a_rival_is_one_by_its_file) {
    trial made = trial_make((double[]){1, 2, 5.6, 1.9});
    for (size_t i = 0; i < FINALISTS; ++i)
        made.entry.result.finalists.items[i].final.over_best_lo = i == 2 ? 1 : 2;
    settle(&made, (double[]){1, 1.95, 1.7, 1.2}, 1.01, true);
    cr_expect_null(ht_pair_result_rival(&made.entry.result));
    made.entry.result.finalists.items[2].written.speedup_hi = 1.96;
    cr_expect_eq(ht_pair_result_rival(&made.entry.result), &made.entry.result.finalists.items[2]);
    trial_free(&made);
}
