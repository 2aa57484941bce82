/* The report of a search, against sums made in the plainest way. */
#include "cli/reports/database/escape.h"
#include "cli/reports/database/search_summary.h"

#include "base/memory.h"
#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(search_summary, .timeout = 60);

static void add(ht_search_trials *trials, const char *config, const char *status,
                const char *reason, double ms, int64_t when) {
    const ht_archive_evaluation of = {1, config, status, reason, ms, when};
    ht_search_trials_add(trials, &of);
}

static double number_at(const json_t *row, const char *key) {
    return json_number_value(json_object_get(row, key));
}

Test(search_summary, the_best_so_far_is_in_the_order_of_time_without_pauses) {
    ht_search_trials trials = {0};
    add(&trials, "A=3", "ok", "", 1.0, 5000); /* the next night */
    add(&trials, "A=1", "ok", "", 3.0, 1000);
    add(&trials, "A=2", "ok", "", 2.0, 1010);
    add(&trials, "A=4", "crash", "crash: SIGSEGV", 0, 1020);
    add(&trials, "A=5", "ok", "", 2.5, 1030);
    add(&trials, "original", "ok", "", 4.0, 900);
    json_t *summary = ht_search_summary(&trials);
    json_t *expected =
        json_pack("[[i,f,f],[i,f,f],[i,f,f]]", 1, 0.0, 3.0, 2, 10.0, 2.0, 5, 30.0, 1.0);
    cr_expect(json_equal(json_object_get(summary, "best_so_far"), expected), "%s",
              json_dumps(summary, 0));
    cr_expect_str_eq(json_string_value(json_object_get(summary, "best")), "A=3");
    cr_expect_float_eq(number_at(summary, "original_ms"), 4, 1e-12);
    cr_expect_eq(json_integer_value(json_object_get(summary, "evaluations")), 5);
    cr_expect_eq(json_integer_value(json_object_get(summary, "rejections")), 1);
    json_decref(expected);
    json_decref(summary);
    ht_search_trials_free(&trials);
}

static int by_size(const void *a, const void *b) {
    double m = *(const double *)a, n = *(const double *)b;
    return m < n ? -1 : m > n;
}

Test(search_summary, effects_are_the_best_and_the_median_of_each_value) {
    enum { COUNT = 997, VALUES = 3 };
    ht_search_trials trials = {0};
    ht_random random;
    double times[VALUES][COUNT];
    size_t counts[VALUES] = {0};
    ht_random_seed(&random, 5);
    for (int i = 0; i < COUNT; ++i) {
        size_t value = ht_random_below(&random, VALUES);
        double ms = 1 + (double)value + ht_random_unit(&random);
        bool ok = ht_random_below(&random, 4) != 0;
        char *config = ht_format("N=%d BLOCK=%d", i, 8 << value);
        add(&trials, config, ok ? "ok" : "timeout", ok ? "" : "late", ok ? ms : 0, i);
        if (ok)
            times[value][counts[value]++] = ms;
        free(config);
    }
    json_t *summary = ht_search_summary(&trials);
    const json_t *effects = json_object_get(summary, "effects"), *block = NULL;
    size_t index;
    json_t *effect;
    json_array_foreach(effects, index, effect) {
        const char *name = json_string_value(json_object_get(effect, "parameter"));
        if (strcmp(name, "BLOCK") == 0)
            block = effect;
        else
            cr_expect(json_is_true(json_object_get(effect, "more_values")));
    }
    cr_assert(block);
    for (size_t i = 0; i < VALUES; ++i) {
        const json_t *row = json_array_get(json_object_get(block, "values"), i);
        qsort(times[i], counts[i], sizeof **times, by_size);
        double median = (times[i][(counts[i] - 1) / 2] + times[i][counts[i] / 2]) / 2;
        char *text = ht_format("%d", 8 << i);
        cr_expect_str_eq(json_string_value(json_object_get(row, "value")), text);
        cr_expect_eq((size_t)number_at(row, "count"), counts[i]);
        cr_expect_float_eq(number_at(row, "best_ms"), times[i][0], 1e-9);
        cr_expect_float_eq(number_at(row, "median_ms"), median, 1e-9);
        free(text);
    }
    cr_expect_gt(number_at(block, "explains"), 0.7);
    cr_expect_lt(number_at(block, "explains"), 1);
    json_decref(summary);
    ht_search_trials_free(&trials);
}

Test(search_summary, a_parameter_that_decides_all_explains_all_and_one_that_does_nothing_nothing) {
    ht_search_trials trials = {0};
    for (int i = 0; i < 64; ++i) {
        char *config = ht_format("IDLE=%d ALL=%d", i / 2 % 2, i % 2);
        add(&trials, config, "ok", "", i % 2 ? 2 : 1, i);
        free(config);
    }
    json_t *summary = ht_search_summary(&trials);
    const json_t *effects = json_object_get(summary, "effects");
    const json_t *first = json_array_get(effects, 0), *second = json_array_get(effects, 1);
    cr_expect_str_eq(json_string_value(json_object_get(first, "parameter")), "ALL");
    cr_expect_float_eq(number_at(first, "explains"), 1, 1e-9);
    cr_expect_float_eq(number_at(second, "explains"), 0, 1e-9);
    json_decref(summary);
    ht_search_trials_free(&trials);
}

Test(search_summary, rejections_are_counted_by_reason_and_none_is_lost) {
    enum { KINDS = 60, TIMES = 3 };
    ht_search_trials trials = {0};
    for (int i = 0; i < KINDS * TIMES; ++i) {
        char letters[] = {(char)('a' + i % KINDS % 26), (char)('a' + i % KINDS / 26), 0};
        char *config = ht_format("A=%d", i);
        char *reason = ht_format("mismatch: %s at %d", letters, i);
        add(&trials, config, "mismatch", reason, 0, i);
        free(config);
        free(reason);
    }
    json_t *summary = ht_search_summary(&trials);
    size_t index;
    json_t *row;
    long long sum = json_integer_value(json_object_get(summary, "rejected_others"));
    json_array_foreach(json_object_get(summary, "rejected"), index, row) {
        cr_expect_eq(json_integer_value(json_object_get(row, "count")), TIMES);
        sum += TIMES;
    }
    cr_expect_eq(sum, KINDS * TIMES);
    cr_expect_gt(json_integer_value(json_object_get(summary, "rejected_others")), 0);
    cr_expect(json_is_null(json_object_get(summary, "best")));
    cr_expect_eq(json_array_size(json_object_get(summary, "best_so_far")), 0);
    json_decref(summary);
    ht_search_trials_free(&trials);
}

/* ---- escaping */

static char *code_of(const char *text) {
    ht_text out = {0};
    ht_text_append(&out, "");
    ht_markdown_code(text, &out);
    return ht_text_take(&out);
}

Test(search_summary, code_in_markdown_has_more_ticks_than_its_text) {
    const char *const pairs[][2] = {
        {"plain", "`plain`"},    {"a`b", "`` a`b ``"}, {"``", "``` `` ```"},  {"a|b", "`a\\|b`"},
        {"a\\|b", "`a\\ \\|b`"}, {"a\nb", "`a b`"},    {"end\\", "`end\\ `"}, {"", ""}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        char *code = code_of(pairs[i][0]);
        cr_expect_str_eq(code, pairs[i][1]);
        free(code);
    }
}
