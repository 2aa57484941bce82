#include "runtime/stats.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

/* A skewed, heavy-tailed "time": the bulk near 1, sometimes an interruption. Its median is known.
 */
static double fake_time(ht_random *random) {
    double u = ht_random_unit(random);
    return 1 + 0.1 * -log(1 - u) + (ht_random_below(random, 20) == 0 ? 3 : 0);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

Test(stats, median_is_the_middle_whatever_the_order) {
    ht_random random;
    ht_random_seed(&random, 1);
    for (size_t count = 1; count < 40; ++count) {
        double values[40];
        for (size_t i = 0; i < count; ++i)
            values[i] = floor(ht_random_unit(&random) * 10);
        /* As many values on one side as on the other. */
        double median = ht_stats_median(values, count);
        size_t below = 0, above = 0;
        for (size_t i = 0; i < count; ++i) {
            below += values[i] < median;
            above += values[i] > median;
        }
        cr_assert_leq(2 * below, count);
        cr_assert_leq(2 * above, count);
    }
    double pair[] = {4, 1};
    cr_assert_float_eq(ht_stats_median(pair, 2), 2.5, 0);
}

/* P(fewer than `rank` of `count` coins are heads), term by term. */
static double tail_below(size_t count, size_t rank) {
    double sum = 0, term = pow(0.5, (double)count);
    for (size_t k = 0; k < rank; ++k) {
        sum += term;
        term *= (double)(count - k) / (double)(k + 1);
    }
    return sum;
}

Test(stats, ranks_are_the_narrowest_that_cover_95_percent) {
    for (size_t count = 1; count <= 120; ++count) {
        size_t lo, hi;
        ht_stats_median_ranks(count, &lo, &hi);
        cr_assert_eq(hi, count + 1 - lo);
        cr_assert_geq(lo, 1);
        if (count < 6) {
            cr_assert_eq(lo, 1);
            continue;
        }
        cr_assert_leq(2 * tail_below(count, lo), 0.05, "%zu: rank %zu covers too little", count,
                      lo);
        if (2 * lo < count)
            cr_assert_gt(2 * tail_below(count, lo + 1), 0.05, "%zu: rank %zu would do", count,
                         lo + 1);
    }
}

Test(stats, ranks_of_many_samples_follow_the_normal_law) {
    size_t lo, hi;
    ht_stats_median_ranks(4000, &lo, &hi);
    cr_assert_float_eq((double)lo, 2000 - 1.96 * sqrt(4000) / 2, 2);
}

Test(stats, the_interval_covers_the_median_as_often_as_it_says) {
    /* The true median of fake_time, by a sample large enough. */
    enum { LARGE = 200001, TRIALS = 3000, COUNT = 21 };
    ht_random random;
    ht_random_seed(&random, 42);
    double *large = malloc(LARGE * sizeof *large);
    for (size_t i = 0; i < LARGE; ++i)
        large[i] = fake_time(&random);
    double truth = ht_stats_median(large, LARGE);
    free(large);
    int covered = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        double values[COUNT];
        for (size_t i = 0; i < COUNT; ++i)
            values[i] = fake_time(&random);
        ht_interval interval = ht_stats_median_interval(values, COUNT);
        cr_assert_leq(interval.lo, interval.median);
        cr_assert_leq(interval.median, interval.hi);
        covered += interval.lo <= truth && truth <= interval.hi;
    }
    double rate = (double)covered / TRIALS; /* exact coverage for 21: 97.3 % */
    cr_assert_float_eq(rate, 0.973, 0.012, "covered %.3f", rate);
}

/* The bootstrap as its definition reads: draw pairs, take the median of their ratios. */
static void plain_bootstrap(const double *ratios, size_t count, ht_random *random, double *lo,
                            double *hi) {
    enum { ROUNDS = 20000 };
    double *medians = malloc(ROUNDS * sizeof *medians), *drawn = malloc(count * sizeof *drawn);
    for (int round = 0; round < ROUNDS; ++round) {
        for (size_t i = 0; i < count; ++i)
            drawn[i] = ratios[ht_random_below(random, count)];
        medians[round] = ht_stats_median(drawn, count);
    }
    qsort(medians, ROUNDS, sizeof *medians, ascending);
    *lo = medians[ROUNDS / 40];
    *hi = medians[ROUNDS - ROUNDS / 40];
    free(drawn);
    free(medians);
}

Test(stats, paired_ratios_agree_with_a_plain_bootstrap) {
    ht_random random;
    ht_random_seed(&random, 5);
    for (size_t count = 6; count <= 31; count += 5) {
        double a[31], b[31], ratios[31], lo, hi;
        for (size_t i = 0; i < count; ++i) {
            a[i] = 2 * fake_time(&random);
            b[i] = fake_time(&random);
            ratios[i] = a[i] / b[i];
        }
        ht_interval interval = ht_stats_paired_ratio(a, b, count, 20000, 9);
        plain_bootstrap(ratios, count, &random, &lo, &hi);
        cr_assert_float_eq(interval.median, ht_stats_median(ratios, count), 1e-15);
        /* The quantiles are ratios that occur, so the two may differ by a neighbour at most. */
        cr_assert_float_eq(interval.lo, lo, 0.12 * lo, "%zu: %g %g", count, interval.lo, lo);
        cr_assert_float_eq(interval.hi, hi, 0.12 * hi, "%zu: %g %g", count, interval.hi, hi);
    }
}

Test(stats, bootstrap_is_the_same_for_the_same_seed) {
    double a[] = {3, 4, 5, 6, 7, 8, 9}, b[] = {1, 2, 1, 2, 1, 2, 3};
    ht_interval one = ht_stats_paired_ratio(a, b, 7, 500, 3);
    ht_interval two = ht_stats_paired_ratio(a, b, 7, 500, 3);
    cr_assert_eq(one.lo, two.lo);
    cr_assert_eq(one.hi, two.hi);
}

/* A kernel against itself: how often does the interval of the ratio leave out 1? */
Test(stats, equal_kernels_seldom_look_different) {
    enum { TRIALS = 1000, COUNT = 30 };
    ht_random random;
    ht_random_seed(&random, 77);
    int different = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        double a[COUNT], b[COUNT];
        for (size_t i = 0; i < COUNT; ++i) {
            double drift = 1 + 0.3 * sin((double)i / 5); /* of the machine: hits both */
            a[i] = drift * fake_time(&random);
            b[i] = drift * fake_time(&random);
        }
        ht_interval interval = ht_stats_paired_ratio(a, b, COUNT, 400, (uint64_t)trial);
        different += interval.lo > 1 || interval.hi < 1;
    }
    cr_assert_leq(different, TRIALS * 7 / 100, "%d of %d", different, TRIALS);
    cr_assert_geq(different, TRIALS / 100, "an interval that never misses is too wide");
}
