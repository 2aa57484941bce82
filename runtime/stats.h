/* Statistics of timing samples: medians with intervals that assume no distribution. */
#ifndef HT_RUNTIME_STATS_H
#define HT_RUNTIME_STATS_H

#include <stddef.h>
#include <stdint.h>

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

/* Median of the ratios numerators[i] / denominators[i], with the 95 % percentile interval of
 * `rounds` bootstrap resamples of the pairs, drawn from `seed`. `count` must be positive. */
ht_interval ht_stats_paired_ratio(const double *numerators, const double *denominators,
                                  size_t count, unsigned rounds, uint64_t seed);

#endif
