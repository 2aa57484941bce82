#include "runtime/stats.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted_copy(const double *values, size_t count) {
    double *copy = ht_alloc(count, sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, ascending);
    return copy;
}

static double sorted_median(const double *sorted, size_t count) {
    size_t half = count / 2;
    return count % 2 != 0 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double ht_stats_median(const double *values, size_t count) {
    double *sorted = sorted_copy(values, count);
    double median = sorted_median(sorted, count);
    free(sorted);
    return median;
}

void ht_stats_median_ranks(size_t count, size_t *out_lo, size_t *out_hi) {
    /* The number of values below the median is binomial(count, 1/2); the interval [x(l), x(n+1-l)]
     * misses the median with probability 2 P(X <= l - 1). Logarithms keep 2^-count from
     * underflowing. */
    double log_total = (double)count * log(2.0), tail = 0;
    size_t rank = 0;
    while (rank < count / 2) {
        double log_ways = lgamma((double)count + 1) - lgamma((double)rank + 1) -
                          lgamma((double)(count - rank) + 1);
        tail += exp(log_ways - log_total);
        if (2 * tail > 0.05)
            break;
        ++rank;
    }
    *out_lo = rank > 0 ? rank : 1;
    *out_hi = rank > 0 ? count + 1 - rank : count;
}

ht_interval ht_stats_median_interval(const double *values, size_t count) {
    double *sorted = sorted_copy(values, count);
    size_t lo, hi;
    ht_stats_median_ranks(count, &lo, &hi);
    ht_interval interval = {sorted_median(sorted, count), sorted[lo - 1], sorted[hi - 1]};
    free(sorted);
    return interval;
}

double ht_interval_width(const ht_interval *interval) {
    return interval->median > 0 ? (interval->hi - interval->lo) / interval->median : INFINITY;
}

/* Value at fraction `q` of a sorted array, between neighbours by linear interpolation. */
static double quantile(const double *sorted, size_t count, double q) {
    double position = q * (double)(count - 1);
    size_t below = (size_t)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

ht_interval ht_stats_paired_ratio(const double *numerators, const double *denominators,
                                  size_t count, unsigned rounds, uint64_t seed) {
    double *ratios = ht_alloc(count, sizeof *ratios);
    for (size_t i = 0; i < count; ++i)
        ratios[i] = numerators[i] / denominators[i];
    /* Ranks, not values, are drawn: with the ratios sorted once, a resample's median is a median of
     * ranks. */
    qsort(ratios, count, sizeof *ratios, ascending);
    ht_interval result = {.median = sorted_median(ratios, count)};

    ht_random random;
    ht_random_seed(&random, seed);
    size_t *hits = ht_alloc(count, sizeof *hits);
    double *medians = ht_alloc(rounds, sizeof *medians);
    size_t upper = count / 2, lower = count % 2 != 0 ? upper : upper - 1;
    for (unsigned round = 0; round < rounds; ++round) {
        memset(hits, 0, count * sizeof *hits);
        for (size_t i = 0; i < count; ++i)
            ++hits[ht_random_below(&random, count)];
        size_t seen = 0, low_rank = count;
        for (size_t rank = 0; rank < count; ++rank) {
            seen += hits[rank];
            if (low_rank == count && seen > lower)
                low_rank = rank;
            if (seen > upper) {
                medians[round] = (ratios[low_rank] + ratios[rank]) / 2;
                break;
            }
        }
    }
    if (rounds > 0) {
        qsort(medians, rounds, sizeof *medians, ascending);
        result.lo = quantile(medians, rounds, 0.025);
        result.hi = quantile(medians, rounds, 0.975);
    } else {
        result.lo = ratios[0];
        result.hi = ratios[count - 1];
    }
    free(medians);
    free(hits);
    free(ratios);
    return result;
}
