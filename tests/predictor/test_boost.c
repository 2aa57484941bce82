/* Boosted trees: questions are the best there are, each tree lowers the loss, groups share a
 * constant, bytes come back, threads make no difference. */
#include "predictor/times/bins.h"
#include "predictor/times/boost.h"

#include "base/memory.h"
#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400, COLUMNS = 5, GROUPS = 4, BINS = 12 };

/* Rows of random bins, a target that depends on two columns together, and noise. */
typedef struct rows {
    uint8_t *columns[COLUMNS];
    size_t bin_counts[COLUMNS];
    float targets[ROWS], weights[ROWS];
    uint32_t groups[ROWS], all[ROWS];
    ht_boost_data data;
} rows;

static void rows_make(rows *rows, uint64_t seed, double group_step) {
    ht_random random;
    ht_random_seed(&random, seed);
    for (size_t c = 0; c < COLUMNS; ++c) {
        rows->columns[c] = ht_alloc(ROWS, 1);
        rows->bin_counts[c] = BINS;
        for (size_t i = 0; i < ROWS; ++i)
            rows->columns[c][i] = (uint8_t)ht_random_below(&random, BINS);
    }
    for (size_t i = 0; i < ROWS; ++i) {
        uint32_t group = (uint32_t)(i % GROUPS);
        double both = rows->columns[1][i] > 5 ? rows->columns[3][i] : 11 - rows->columns[3][i];
        rows->targets[i] = (float)(0.2 * both + 0.1 * ht_random_unit(&random) + group_step * group);
        rows->weights[i] = (float)(0.5 + ht_random_unit(&random));
        rows->groups[i] = group;
        rows->all[i] = (uint32_t)i;
    }
    rows->data = (ht_boost_data){.columns = (const uint8_t *const *)rows->columns,
                                 .bin_counts = rows->bin_counts,
                                 .column_count = COLUMNS,
                                 .targets = rows->targets,
                                 .weights = rows->weights,
                                 .groups = rows->groups,
                                 .group_count = GROUPS};
}

static void rows_free(rows *rows) {
    for (size_t c = 0; c < COLUMNS; ++c)
        free(rows->columns[c]);
}

static const ht_boost_settings plain = {.rounds = 40,
                                        .depth = 4,
                                        .rate = 0.3,
                                        .penalty = 1,
                                        .row_share = 1,
                                        .column_share = 1,
                                        .seed = 1};

/* Returns the weighted squares around the means of the parts that nodes and a question make. */
static double squares(const rows *rows, const uint8_t *nodes, size_t node_count, size_t column,
                      int bin) {
    double total = 0;
    for (size_t part = 0; part < 2 * node_count; ++part) {
        double sum = 0, weight = 0;
        for (int pass = 0; pass < 2; ++pass) {
            double mean = pass ? sum / weight : 0;
            for (size_t i = 0; i < ROWS && (pass == 0 || weight > 0); ++i) {
                size_t right = bin >= 0 && rows->columns[column][i] > bin;
                double value = (double)rows->targets[i], own = (double)rows->weights[i];
                if (nodes[i] * 2U + right != part)
                    continue;
                sum += pass == 0 ? own * value : 0;
                weight += pass == 0 ? own : 0;
                total += pass == 1 ? own * (value - mean) * (value - mean) : 0;
            }
        }
    }
    return total;
}

Test(boost, asks_what_lowers_the_squares_most) {
    rows rows;
    uint8_t nodes[ROWS];
    rows_make(&rows, 1, 0);
    for (size_t node_count = 1; node_count <= 4; node_count *= 2) {
        for (size_t i = 0; i < ROWS; ++i)
            nodes[i] = (uint8_t)(rows.columns[0][i] % node_count);
        ht_boost_split found = {0};
        const ht_level level = {rows.all, nodes, rows.targets, rows.weights, ROWS, node_count, 0};
        double before = squares(&rows, nodes, node_count, 0, -1), most = 0;
        for (uint32_t c = 0; c < COLUMNS; ++c)
            ht_boost_split_improve(&level, c, rows.columns[c], BINS, &found);
        for (size_t c = 0; c < COLUMNS; ++c)
            for (int bin = 0; bin + 1 < BINS; ++bin)
                most = fmax(most, before - squares(&rows, nodes, node_count, c, bin));
        cr_expect_float_eq(found.gain, most, 1e-6 * most);
        cr_expect_float_eq(before - squares(&rows, nodes, node_count, found.column, found.bin),
                           most, 1e-6 * most);
    }
    rows_free(&rows);
}

Test(boost, lowers_the_loss_with_each_tree) {
    rows rows;
    double losses[200];
    ht_boost_settings settings = plain;
    settings.rounds = 200;
    rows_make(&rows, 2, 1);
    ht_boost *boost = ht_boost_grow(&rows.data, rows.all, ROWS, &settings, losses);
    for (size_t t = 1; t < settings.rounds; ++t)
        cr_assert_leq(losses[t], losses[t - 1] * (1 + 1e-6), "tree %zu", t);
    cr_expect_lt(losses[199], losses[0] / 20);
    ht_boost_free(boost);
    rows_free(&rows);
}

static void answers_of(const ht_boost *boost, const rows *rows, float *out) {
    memset(out, 0, ROWS * sizeof *out);
    ht_boost_add(boost, rows->data.columns, ROWS, out);
}

Test(boost, answers_rows_that_it_has_not_seen) {
    rows train, test;
    float answers[ROWS];
    rows_make(&train, 3, 0);
    rows_make(&test, 4, 0);
    ht_boost_settings settings = plain;
    settings.rounds = 150;
    ht_boost *boost = ht_boost_grow(&train.data, train.all, ROWS, &settings, NULL);
    answers_of(boost, &test, answers);
    double mean = 0, mean_answer = 0, both = 0, own = 0, other = 0;
    for (size_t i = 0; i < ROWS; ++i) {
        mean += (double)test.targets[i] / ROWS;
        mean_answer += (double)answers[i] / ROWS;
    }
    for (size_t i = 0; i < ROWS; ++i) {
        double x = (double)test.targets[i] - mean, y = (double)answers[i] - mean_answer;
        both += x * y;
        own += x * x;
        other += y * y;
    }
    cr_expect_gt(both / sqrt(own * other), 0.97);
    ht_boost_free(boost);
    rows_free(&train);
    rows_free(&test);
}

Test(boost, does_not_learn_what_a_group_has_in_common) {
    rows near, far;
    float a[ROWS], b[ROWS];
    rows_make(&near, 5, 0);
    rows_make(&far, 5, 8);
    ht_boost *one = ht_boost_grow(&near.data, near.all, ROWS, &plain, NULL);
    ht_boost *two = ht_boost_grow(&far.data, far.all, ROWS, &plain, NULL);
    answers_of(one, &near, a);
    answers_of(two, &near, b);
    for (size_t i = 0; i < ROWS; ++i)
        cr_assert_float_eq(a[i], b[i], 1e-3, "row %zu", i);
    ht_boost_free(one);
    ht_boost_free(two);
    rows_free(&near);
    rows_free(&far);
}

Test(boost, comes_back_from_its_bytes_and_from_no_others) {
    rows rows;
    float before[ROWS], after[ROWS];
    ht_text bytes = {0};
    ht_boost_settings settings = plain;
    settings.rounds = 5;
    rows_make(&rows, 6, 0);
    ht_boost *boost = ht_boost_grow(&rows.data, rows.all, ROWS, &settings, NULL), *back = NULL;
    ht_boost_pack(boost, &bytes);
    const uint8_t *at = (const uint8_t *)bytes.data, *end = at + bytes.length;
    cr_assert(ht_boost_unpack(&at, end, COLUMNS, &back));
    cr_expect_eq(at, end);
    answers_of(boost, &rows, before);
    answers_of(back, &rows, after);
    cr_expect_arr_eq(before, after, sizeof before);
    ht_boost_free(back);
    for (size_t length = 0; length < bytes.length; length += 1 + length / 40) {
        at = (const uint8_t *)bytes.data;
        cr_expect_not(ht_boost_unpack(&at, at + length, COLUMNS, &back), "%zu bytes", length);
    }
    at = (const uint8_t *)bytes.data;
    cr_expect_not(ht_boost_unpack(&at, end, 1, &back), "it asks about more columns than one");
    ht_boost_free(boost);
    ht_text_free(&bytes);
    rows_free(&rows);
}

Test(bins, part_all_values_of_a_few_and_equal_shares_of_many) {
    static const float few[] = {4, NAN, 1, 16, 4, 1, 2};
    enum { MANY = 5000 };
    float *many = ht_alloc(MANY, sizeof *many);
    uint8_t out[MANY];
    ht_bins bins;
    ht_bins_make(few, 7, &bins);
    ht_bins_of(&bins, few, 7, out);
    static const uint8_t wanted[] = {3, 0, 1, 4, 3, 1, 2}; /* 0: not known */
    cr_expect_arr_eq(out, wanted, sizeof wanted);
    for (size_t i = 0; i < MANY; ++i)
        many[i] = (float)(i * i);
    ht_bins_make(many, MANY, &bins);
    ht_bins_of(&bins, many, MANY, out);
    size_t counts[HT_BINS_MOST] = {0};
    for (size_t i = 0; i < MANY; ++i)
        ++counts[out[i]];
    for (size_t b = 0; b < HT_BINS_MOST; ++b)
        cr_expect(counts[b] > MANY / HT_BINS_MOST / 2 && counts[b] < 2 * MANY / HT_BINS_MOST,
                  "%zu in bin %zu", counts[b], b);
    free(many);
}
