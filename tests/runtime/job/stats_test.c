#include "runtime/measure/stats.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

/* Returns a skewed, heavy-tailed "time": the bulk near 1, sometimes an interruption. Its median is
 * known.
 */
static double fake_time(ht_random *random) {
    double u = ht_random_unit(random);
    return 1 + 0.1 * -log(1 - u) + (ht_random_below(random, 20) == 0 ? 3 : 0);
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

/* Returns P(fewer than `rank` of `count` coins are heads), term by term. */
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

/* Returns P(W <= limit) of the signed-rank statistic by going through all signs. */
static double brute_tail(size_t count, size_t limit) {
    size_t below = 0;
    for (size_t signs = 0; signs < (size_t)1 << count; ++signs) {
        size_t sum = 0;
        for (size_t i = 0; i < count; ++i)
            sum += (signs >> i & 1) * (i + 1);
        below += sum <= limit;
    }
    return (double)below / (double)((size_t)1 << count);
}

Test(stats, signed_ranks_are_the_narrowest_that_cover) {
    const double levels[] = {0.95, 0.99};
    for (size_t l = 0; l < 2; ++l) {
        for (size_t count = 1; count <= 16; ++count) {
            size_t rank = ht_stats_signed_rank(count, levels[l]);
            double alpha = 1 - levels[l];
            if (rank > 0)
                cr_assert_leq(2 * brute_tail(count, rank - 1), alpha + 1e-12);
            cr_assert_gt(2 * brute_tail(count, rank), alpha, "%zu: rank %zu would do", count,
                         rank + 1);
        }
    }
    cr_assert_eq(ht_stats_signed_rank(7, 0.99), 0);
    cr_assert_gt(ht_stats_signed_rank(8, 0.99), 0);
    /* Exact and normal meet. */
    double step = (double)ht_stats_signed_rank(65, 0.99) - (double)ht_stats_signed_rank(64, 0.99);
    cr_assert_geq(step, 10);
    cr_assert_leq(step, 40);
}

Test(stats, student_quantiles_are_those_of_the_closed_forms) {
    const double probabilities[] = {0.9, 0.975, 0.995};
    for (size_t i = 0; i < 3; ++i) {
        double p = probabilities[i], a = 4 * p * (1 - p), pi = acos(-1);
        cr_assert_float_eq(ht_stats_student_quantile(1, p), tan(pi * (p - 0.5)), 1e-4);
        cr_assert_float_eq(ht_stats_student_quantile(2, p), 2 * (p - 0.5) * sqrt(2 / a), 1e-6);
        double angle = cos(acos(sqrt(a)) / 3) / sqrt(a);
        cr_assert_float_eq(ht_stats_student_quantile(4, p), 2 * sqrt(angle - 1), 1e-6);
    }
}

Test(stats, a_ratio_turned_round_is_the_inverse) {
    ht_random random;
    ht_random_seed(&random, 5);
    for (size_t count = 1; count <= 90; ++count) {
        double a[90], b[90];
        for (size_t i = 0; i < count; ++i) {
            a[i] = 2 * fake_time(&random);
            b[i] = fake_time(&random);
        }
        ht_interval one = ht_stats_paired_ratio(a, b, count, 0.95);
        ht_interval two = ht_stats_paired_ratio(b, a, count, 0.95);
        cr_assert_leq(one.lo, one.median);
        cr_assert_leq(one.median, one.hi);
        cr_assert_float_eq(one.median * two.median, 1, 1e-12);
        if (count > 1)
            cr_assert_float_eq(one.lo * two.hi, 1, 1e-12);
    }
}

/* Returns the share of intervals that hold the true ratio, under noise of the same law on both
 * sides, skewed, with interruptions and a drift. With the ratio 1 it is the share in which a kernel
 * does not differ from itself. */
static double share_covered(double ratio, size_t count, double confidence, uint64_t seed) {
    enum { TRIALS = 1000 };
    ht_random random;
    ht_random_seed(&random, seed);
    int covered = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        double a[40], b[40];
        for (size_t i = 0; i < count; ++i) {
            double drift = 1 + 0.3 * sin((double)i / 5); /* of the machine: hits both */
            a[i] = ratio * drift * fake_time(&random);
            b[i] = drift * fake_time(&random);
        }
        ht_interval interval = ht_stats_paired_ratio(a, b, count, confidence);
        covered += interval.lo <= ratio && ratio <= interval.hi;
    }
    return (double)covered / TRIALS;
}

Test(stats, intervals_of_ratios_cover_as_often_as_they_say) {
    const double ratios[] = {1, 1.02, 3};
    const size_t counts[] = {4, 8, 16, 40};
    for (size_t r = 0; r < 3; ++r) {
        for (size_t c = 0; c < 4; ++c) {
            double at_95 = share_covered(ratios[r], counts[c], 0.95, 77 + 10 * r + c);
            double at_99 = share_covered(ratios[r], counts[c], 0.99, 977 + 10 * r + c);
            cr_assert_geq(at_95, 0.935, "%g, %zu: %g", ratios[r], counts[c], at_95);
            cr_assert_geq(at_99, 0.982, "%g, %zu: %g", ratios[r], counts[c], at_99);
            cr_assert_leq(at_95, 0.995, "an interval that never misses is too wide");
        }
    }
}

/* A load on the machine that begins in the middle and hits both alike shifts no interval. */
Test(stats, a_load_in_the_middle_does_not_shift_a_ratio) {
    enum { COUNT = 20 };
    ht_random random;
    ht_random_seed(&random, 3);
    double a[COUNT], b[COUNT], quiet_a[COUNT], quiet_b[COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        double load = i < COUNT / 2 ? 1 : 2.5;
        quiet_a[i] = 1.1 * fake_time(&random);
        quiet_b[i] = fake_time(&random);
        a[i] = load * quiet_a[i];
        b[i] = load * quiet_b[i];
    }
    ht_interval loaded = ht_stats_paired_ratio(a, b, COUNT, 0.99);
    ht_interval quiet = ht_stats_paired_ratio(quiet_a, quiet_b, COUNT, 0.99);
    cr_assert_float_eq(loaded.median, quiet.median, 1e-12);
    cr_assert_float_eq(loaded.lo, quiet.lo, 1e-12);
}

Test(stats, entropy_is_that_of_equally_likely_bins) {
    double values[64];
    for (size_t bins = 1; bins <= 64; bins *= 2) {
        for (size_t i = 0; i < 64; ++i)
            values[i] = (double)(i % bins) + 0.5;
        cr_assert_float_eq(ht_stats_entropy(values, 64, 1), log2((double)bins), 1e-12);
    }
    cr_assert_eq(ht_stats_entropy(values, 0, 1), 0);
}

Test(stats, a_series_is_level_when_its_line_is) {
    double rising[50], noisy[50];
    ht_random random;
    ht_random_seed(&random, 4);
    for (size_t i = 0; i < 50; ++i) {
        rising[i] = 3 + 0.01 * (double)i;
        noisy[i] = 3 + 0.01 * (double)(i % 2);
    }
    cr_assert_not(ht_stats_is_level(rising, 50, 0.0099));
    cr_assert(ht_stats_is_level(rising, 50, 0.0101));
    cr_assert(ht_stats_is_level(noisy, 50, 0.0005));
    cr_assert_not(ht_stats_is_level(rising, 1, 1));
}
