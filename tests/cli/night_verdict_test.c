/* Verdicts from night to night, on times with the scatter of a busy machine. */
#include "pipeline/nightly/night_diff.h"
#include "pipeline/nightly/night_verdict.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 40 };
static const double within = 0.03, between = 0.012, machine = 0.03; /* logarithms */

static double normal(ht_random *random) {
    return sqrt(-2 * log(1 - ht_random_unit(random))) * cos(2 * M_PI * ht_random_unit(random));
}

/* The true times of a night, in milliseconds. */
typedef struct times {
    double machine, original, incumbent;
} times;

/* `winner`: the time of a configuration that takes the incumbent's place; 0: none does. */
static json_t *won_make(times truth, double winner, ht_random *random) {
    static ht_watch watch;
    watch.rounds = ROUNDS;
    double all = truth.machine * exp(machine * normal(random));
    double original = truth.original * all * exp(between * normal(random));
    double incumbent = truth.incumbent * all * exp(between * normal(random));
    for (size_t i = 0; i < ROUNDS; ++i) {
        watch.calibration[i] = all * exp(within * normal(random));
        watch.original[i] = original * exp(within * normal(random));
        watch.configs[0][i] = incumbent * exp(within * normal(random));
        watch.configs[1][i] = winner * all * exp(within * normal(random));
    }
    json_t *made = ht_night_watch_json(&watch, winner > 0, winner > 0 ? "A=2" : "A=1");
    if (winner > 0)
        ht_night_watch_replace(made, &watch, 0, "A=1");
    return made;
}

static json_t *night_make(times truth, ht_random *random) {
    return won_make(truth, 0, random);
}

/* Counts the nights in which each word was said. */
typedef struct counts {
    size_t nights, slower, faster, original, machine;
} counts;

/* Lives `nights` nights; the last one before each verdict is quiet, the verdict's is `truth`. */
static counts live(times truth, size_t nights, uint64_t seed) {
    const times quiet = {1, 4, 2};
    counts said = {.nights = nights};
    ht_random random;
    ht_random_seed(&random, seed);
    json_t *history = NULL, *then = NULL;
    for (size_t i = 0; i < nights + 6; ++i) {
        json_t *now = night_make(quiet, &random);
        json_t *longer = ht_night_history(history, now);
        json_decref(history);
        history = longer;
        json_decref(then);
        then = now;
        if (i < 6)
            continue;
        json_t *tested = night_make(truth, &random);
        ht_night_verdicts made = ht_night_judge(tested, then, history, true, 0.02);
        said.slower += strcmp(made.change_word, "slower") == 0;
        said.faster += strcmp(made.change_word, "faster") == 0;
        said.original += strcmp(made.original_word, "slower") == 0;
        said.machine += strcmp(made.machine_word, "slower") == 0;
        json_decref(tested);
    }
    json_decref(then);
    json_decref(history);
    return said;
}

Test(night_verdict, quiet_nights_raise_few_alarms) {
    counts said = live((times){1, 4, 2}, 200, 1);
    cr_expect_leq(said.slower + said.original, 4, "%zu and %zu", said.slower, said.original);
    cr_expect_leq(said.faster, 4, "%zu", said.faster);
}

Test(night_verdict, a_slower_kernel_is_found_and_named) {
    counts said = live((times){1, 4, 2.2}, 100, 2);
    cr_expect_geq(said.slower, 95, "%zu", said.slower);
    cr_expect_leq(said.original, 2, "%zu", said.original);
}

Test(night_verdict, a_slower_original_is_found_and_named) {
    counts said = live((times){1, 4.4, 2}, 100, 3);
    cr_expect_geq(said.original, 95, "%zu", said.original);
    cr_expect_leq(said.slower, 2, "%zu", said.slower);
}

Test(night_verdict, a_slower_machine_is_no_slower_kernel) {
    counts said = live((times){1.3, 4, 2}, 100, 4);
    cr_expect_leq(said.slower + said.original, 4);
    cr_expect_geq(said.machine, 95, "%zu", said.machine);
}

Test(night_verdict, what_moves_kernel_and_original_alike_is_not_their_code) {
    ht_random random;
    ht_random_seed(&random, 5);
    json_t *then = night_make((times){1, 4, 2}, &random);
    json_t *now = night_make((times){1, 5.2, 2.6}, &random);
    cr_expect_str_eq(ht_night_judge(now, then, NULL, true, 0.02).change_word, "unclear");
    cr_expect_str_eq(ht_night_judge(now, then, NULL, false, 0.02).change_word, "slower",
                     "other code may be slower in both");
    cr_expect_str_eq(ht_night_judge(now, NULL, NULL, true, 0.02).change_word, "new");
    json_decref(now);
    json_decref(then);
}

/* Judges a night in which another configuration took the place of the one in use, and original and
 * the earlier configuration take `original` and `incumbent`. */
static const char *original_word(double original, double incumbent, bool timed, ht_random *random) {
    json_t *then = night_make((times){1, 4, 2}, random);
    json_t *now = won_make((times){1, original, incumbent}, 0.7, random);
    if (!timed)
        json_object_del(now, "replaced");
    ht_night_verdicts made = ht_night_judge(now, then, NULL, true, 0.02);
    cr_expect_str_eq(made.change_word, "faster");
    json_decref(then);
    json_decref(now);
    return made.original_word;
}

Test(night_verdict, a_new_winner_is_no_witness_against_the_original) {
    ht_random random;
    ht_random_seed(&random, 8);
    cr_expect_str_eq(original_word(5.2, 2, true, &random), "slower");
    cr_expect_str_eq(original_word(5.2, 2.6, true, &random), "unclear",
                     "the configuration of before was as much slower");
    cr_expect_str_eq(original_word(5.2, 2, false, &random), "unclear", "nothing bears witness");
    cr_expect_str_eq(original_word(4, 2, true, &random), "same");
}

Test(night_verdict, a_choice_of_another_configuration_slows_nothing_down) {
    ht_random random;
    ht_random_seed(&random, 11);
    json_t *then = night_make((times){1, 4, 2}, &random);
    json_t *now = won_make((times){1, 4, 2}, 3.9, &random); /* it looked better once */
    cr_expect_str_eq(ht_night_judge(now, then, NULL, true, 0.02).change_word, "unclear");
    json_t *slow = won_make((times){1, 4, 4.2}, 3.9, &random);
    cr_expect_str_eq(ht_night_judge(slow, then, NULL, true, 0.02).change_word, "slower");
    json_decref(slow);
    json_decref(now);
    json_decref(then);
}

Test(night_verdict, of_two_watches_counts_the_one_in_which_the_original_stayed_as_it_was) {
    ht_random random;
    ht_random_seed(&random, 9);
    json_t *then = night_make((times){1, 4, 2}, &random);
    for (size_t turn = 0; turn < 2; ++turn) {
        json_t *off = won_make((times){1, 5.2, 2}, 0.72, &random);
        json_t *right = won_make((times){1, 4, 2}, 0.65, &random);
        json_t *chosen = json_incref(right);
        json_t *nearer =
            turn == 0 ? ht_night_nearer(off, right, then) : ht_night_nearer(right, off, then);
        cr_expect_eq(nearer, chosen, "a winner is faster than what was, whatever the watch");
        json_decref(chosen);
        json_decref(nearer);
    }
    json_decref(then);
}

Test(night_verdict, a_history_goes_on_with_a_new_winner_if_both_were_timed) {
    ht_random random;
    ht_random_seed(&random, 10);
    json_t *history = NULL;
    for (size_t i = 0; i < 6; ++i) {
        json_t *watch = i < 5 ? night_make((times){1, 4, 2}, &random)
                              : won_make((times){1, 4, 2}, 0.7, &random);
        json_t *longer = ht_night_history(history, watch);
        json_decref(history);
        json_decref(watch);
        history = longer;
    }
    cr_expect_eq(json_array_size(json_object_get(history, "incumbent")), 6);
    cr_expect_lt(ht_night_margin(history, "incumbent", 0.02), 0.12, "a gain is no scatter");
    json_t *watch = night_make((times){1, 4, 2}, &random);
    json_t *dropped = ht_night_history(history, watch);
    cr_expect_eq(json_array_size(json_object_get(dropped, "incumbent")), 1,
                 "how far the two are apart is not known");
    cr_expect_eq(json_array_size(json_object_get(dropped, "original")), 7);
    json_decref(dropped);
    json_decref(watch);
    json_decref(history);
}

/* Of nights whose medians scatter by `scatter`, how many in a hundred seem to differ from the one
 * before by more than the margin that `known` nights before give. */
static double beyond_margin(double scatter, size_t known, ht_random *random) {
    const size_t lives = 2000;
    size_t beyond = 0;
    for (size_t i = 0; i < lives; ++i) {
        json_t *medians = json_array();
        for (size_t n = 0; n < known; ++n)
            json_array_append_new(medians, json_real(scatter * normal(random)));
        json_t *history = json_pack("{s:o}", "incumbent", medians);
        double margin = ht_night_margin(history, "incumbent", 0);
        beyond += fabs(scatter * (normal(random) - normal(random))) > log1p(margin);
        json_decref(history);
    }
    return 100.0 * (double)beyond / (double)lives;
}

Test(night_verdict, a_kernel_that_stays_as_it_is_is_rarely_beyond_its_margin) {
    ht_random random;
    ht_random_seed(&random, 7);
    for (size_t known = 0; known <= HT_NIGHT_HISTORY; known += 3) {
        cr_expect_leq(beyond_margin(0.004, known, &random), 2.5, "%zu nights", known);
        cr_expect_leq(beyond_margin(0.012, known, &random), 2.5, "%zu nights", known);
        if (known >= 6)
            cr_expect_leq(beyond_margin(0.04, known, &random), 8, "%zu nights", known);
    }
}

Test(night_verdict, a_kernel_that_scatters_needs_a_larger_change) {
    json_t *quiet = json_pack("{s:[f,f,f,f,f]}", "incumbent", 0.0, 0.01, -0.01, 0.0, 0.01);
    json_t *wild = json_pack("{s:[f,f,f,f,f]}", "incumbent", 0.0, 0.2, -0.2, 0.1, -0.1);
    cr_expect_lt(ht_night_margin(quiet, "incumbent", 0.01), 0.06);
    cr_expect_gt(ht_night_margin(wild, "incumbent", 0.01), 0.3);
    cr_expect_float_eq(ht_night_margin(quiet, "incumbent", 0.5), 0.5, 1e-9);
    cr_expect_lt(ht_night_margin(quiet, "incumbent", 0), ht_night_margin(NULL, "incumbent", 0));
    json_decref(quiet);
    json_decref(wild);
}

static json_t *row_new(const char *kernel, const char *file, const char *key, times truth,
                       ht_random *random) {
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "kernel", kernel, "problem", "", "device",
                     "host", "file", file, "kernel_key", key, "watch", night_make(truth, random));
}

static const char *verdict_at(const json_t *rows, size_t index) {
    const char *text = json_string_value(json_object_get(json_array_get(rows, index), "verdict"));
    return text ? text : "";
}

Test(night_verdict,
     kernels_of_two_results_are_matched_by_name_then_key_and_the_rest_is_new_or_gone) {
    ht_random random;
    ht_random_seed(&random, 6);
    const times quiet = {1, 4, 2}, slow = {1, 4, 2.6};
    json_t *then = json_array(), *now = json_array();
    json_array_append_new(then, row_new("a", "a.hip", "1", quiet, &random));
    json_array_append_new(then, row_new("b", "b.hip", "2", quiet, &random));
    json_array_append_new(then, row_new("c", "c.hip", "3", quiet, &random));
    json_array_append_new(now, row_new("a", "a.hip", "1", slow, &random));
    json_array_append_new(now, row_new("renamed", "d.hip", "2", slow, &random));
    json_array_append_new(now, row_new("e", "e.hip", "5", quiet, &random));
    json_t *rows = ht_night_diff(then, now, 0.02);
    cr_assert_eq(json_array_size(rows), 4);
    cr_expect_str_eq(verdict_at(rows, 0), "slower");
    cr_expect_str_eq(verdict_at(rows, 1), "slower");
    cr_expect_str_eq(verdict_at(rows, 2), "new");
    cr_expect_str_eq(verdict_at(rows, 3), "gone");
    json_decref(rows);
    json_decref(then);
    json_decref(now);
}
