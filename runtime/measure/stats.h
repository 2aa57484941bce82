/* Statistics of timing samples: medians with intervals that assume no distribution. */
#ifndef HT_RUNTIME_MEASURE_STATS_H
#define HT_RUNTIME_MEASURE_STATS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ht_interval {
    double median;
    double lo, hi;
} ht_interval;

/* Median of `count` values (mean of the middle two when even). `count` must be positive; values are
 * not changed. */
double ht_stats_median(const double *values, size_t count);

/* 1-based ranks of the order statistics that enclose the median with at least 95 % confidence
 * (binomial, exact). Up to 5 values no pair does: then the ranks are 1 and count (93.8 % for 5,
 * less below). */
void ht_stats_median_ranks(size_t count, size_t *out_lo, size_t *out_hi);

/* Median with its order-statistic interval. `count` must be positive. */
ht_interval ht_stats_median_interval(const double *values, size_t count);

/* (hi - lo) / median; infinite when the median is not positive. */
double ht_interval_width(const ht_interval *interval);

/* How much `numerators` exceed `denominators`, from pairs taken one next to the other: the
 * Hodges-Lehmann estimate of the log-ratios' centre (the median of all their pairwise means) and
 * the interval that inverts Wilcoxon's signed-rank test at `confidence` (exact up to 64 pairs,
 * normal beyond: Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd ed., section
 * 3.3). It holds whenever the log-ratios are symmetric about their centre, as those of two times
 * with the same law of noise are, however skewed that is. With so few pairs that no signed-rank
 * interval exists (fewer than 8 at 0.99) it is Student's t interval of the log-ratios; with one
 * pair it is [0, infinity]. `count` must be positive, as must all values. */
ht_interval ht_stats_paired_ratio(const double *numerators, const double *denominators,
                                  size_t count, double confidence);

/* The 1-based rank k from each end of the sorted count (count + 1) / 2 pairwise means that bounds
 * the signed-rank interval; 0 when no rank reaches `confidence`. */
size_t ht_stats_signed_rank(size_t count, double confidence);

/* Quantile of Student's t, at `probability` in (0.5, 1). */
double ht_stats_student_quantile(size_t degrees, double probability);

/* Shannon's entropy, in bits, of the values in bins of width `bin`; 0 for none. */
double ht_stats_entropy(const double *values, size_t count, double bin);

/* Returns true if a series has stopped changing: the slope of the least-squares line through it is
 * at most `slope` a step, up or down. False for fewer than two values. */
bool ht_stats_is_level(const double *series, size_t count, double slope);

#endif
