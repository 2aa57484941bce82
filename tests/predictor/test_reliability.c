/* How often first proposals are right, by how sure the model was. */
#include "predictor/reliability.h"

#include <criterion/criterion.h>

static void count(ht_reliability *reliability, double probability, size_t right, size_t wrong) {
    for (size_t i = 0; i < right; ++i)
        ht_reliability_count(reliability, probability, true, true);
    for (size_t i = 0; i < wrong; ++i)
        ht_reliability_count(reliability, probability, false, i % 2 == 0);
}

Test(reliability, a_bin_with_enough_records_answers_for_itself) {
    ht_reliability reliability = {0};
    count(&reliability, 0.25, 10, 30);
    count(&reliability, 0.9, 40, 0);
    ht_confidence of = ht_reliability_look(&reliability, 0.21);
    cr_expect_eq(of.records, 40);
    cr_expect_eq(of.least, 0.2);
    cr_expect_eq(of.most, 0.3);
    cr_expect_float_eq(of.right.share, 0.25, 1e-9);
    cr_expect_float_eq(of.among.share, 25.0 / 40, 1e-9);
    /* Wilson's interval of 10 in 40. */
    cr_expect_float_eq(of.right.lo, 0.1419, 1e-3);
    cr_expect_float_eq(of.right.hi, 0.4019, 1e-3);
    cr_expect(of.among.lo < of.among.share && of.among.share < of.among.hi);
}

Test(reliability, a_share_of_nothing_says_nothing) {
    ht_share none = ht_share_of(0, 0), all = ht_share_of(1, 10);
    cr_expect(none.lo == 0 && none.hi == 1);
    cr_expect_float_eq(all.lo, 0.7225, 1e-3, "ten of ten may be three of four");
    cr_expect_eq(all.hi, 1);
}

Test(reliability, a_bin_with_few_records_takes_its_neighbours) {
    ht_reliability reliability = {0};
    count(&reliability, 0.25, 5, 5);
    count(&reliability, 0.4, 10, 10);
    count(&reliability, 1, 7, 0);
    ht_confidence of = ht_reliability_look(&reliability, 0.25);
    cr_expect_eq(of.records, 30);
    cr_expect_eq(of.least, 0.15);
    cr_expect_eq(of.most, 0.5);
    cr_expect_eq(ht_reliability_look(&(ht_reliability){0}, 0.5).records, 0);
    cr_expect_eq(ht_reliability_look(&reliability, 0).records, 30, "one side alone");
}

Test(reliability, the_error_is_the_distance_of_probability_and_share) {
    ht_reliability reliability = {0}, twice = {0};
    count(&reliability, 0.6, 6, 4);
    cr_expect_float_eq(ht_reliability_error(&reliability), 0, 1e-9);
    count(&reliability, 0.9, 5, 5);
    cr_expect_float_eq(ht_reliability_error(&reliability), 0.2, 1e-9);
    ht_reliability_add(&twice, &reliability);
    ht_reliability_add(&twice, &reliability);
    cr_expect_eq(ht_reliability_records(&twice), 40);
    cr_expect_float_eq(ht_reliability_error(&twice), 0.2, 1e-9);
    cr_expect_eq(ht_reliability_error(&(ht_reliability){0}), 0);
}
