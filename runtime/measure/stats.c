#include "runtime/measure/stats.h"

#include "base/memory.h"

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

/* Returns the largest k with 2 P(W <= k - 1) <= alpha, W being Wilcoxon's signed-rank statistic of
 * `count` values: its law by counting the subsets of 1..count with each sum. */
static size_t exact_rank(size_t count, double alpha) {
    size_t most = count * (count + 1) / 2;
    double *ways = ht_alloc(most + 1, sizeof *ways); /* as probabilities, to stay in range */
    ways[0] = 1;
    for (size_t value = 1; value <= count; ++value)
        for (size_t sum = most + 1; sum-- > 0;)
            ways[sum] = (ways[sum] + (sum >= value ? ways[sum - value] : 0)) / 2;
    double tail = 0;
    size_t rank = 0;
    while (rank <= most / 2 && 2 * (tail + ways[rank]) <= alpha)
        tail += ways[rank++];
    free(ways);
    return rank;
}

/* Returns z with P(|Z| <= z) = confidence. */
static double normal_bound(double confidence) {
    double lo = 0, hi = 10;
    for (int step = 0; step < 60; ++step) {
        double middle = (lo + hi) / 2;
        if (erf(middle / sqrt(2)) < confidence)
            lo = middle;
        else
            hi = middle;
    }
    return hi;
}

size_t ht_stats_signed_rank(size_t count, double confidence) {
    enum { EXACT_MAX = 64 };
    if (count <= EXACT_MAX)
        return exact_rank(count, 1 - confidence);
    double n = (double)count, means = n * (n + 1) / 2;
    double spread = sqrt(n * (n + 1) * (2 * n + 1) / 24);
    double rank = floor(means / 2 - normal_bound(confidence) * spread);
    return rank > 0 ? (size_t)rank : 0;
}

/* Returns P(0 < T < t). With x = sqrt(v) tan(angle) the density becomes cos(angle)^(v - 1), which
 * Simpson's rule integrates to all digits in few steps. */
static double student_half(size_t degrees, double t) {
    enum { STEPS = 64 };
    double v = (double)degrees, width = atan(t / sqrt(v)) / STEPS, sum = 0;
    for (int i = 0; i <= STEPS; ++i) {
        double weight = i == 0 || i == STEPS ? 1 : i % 2 != 0 ? 4 : 2;
        sum += weight * pow(cos(i * width), v - 1);
    }
    return exp(lgamma((v + 1) / 2) - lgamma(v / 2)) / sqrt(acos(-1)) * sum * width / 3;
}

double ht_stats_student_quantile(size_t degrees, double probability) {
    double lo = 0, hi = 1;
    while (student_half(degrees, hi) < probability - 0.5 && hi < 1e6)
        hi *= 2;
    for (int step = 0; step < 50; ++step) {
        double middle = (lo + hi) / 2;
        if (student_half(degrees, middle) < probability - 0.5)
            lo = middle;
        else
            hi = middle;
    }
    return hi;
}

static ht_interval student_interval(const double *values, size_t count, double confidence) {
    if (count < 2)
        return (ht_interval){values[0], -INFINITY, INFINITY};
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; ++i)
        mean += values[i] / (double)count;
    for (size_t i = 0; i < count; ++i)
        squares += (values[i] - mean) * (values[i] - mean);
    double error = sqrt(squares / (double)(count - 1) / (double)count);
    double reach = ht_stats_student_quantile(count - 1, (1 + confidence) / 2) * error;
    return (ht_interval){mean, mean - reach, mean + reach};
}

static ht_interval signed_rank_interval(const double *values, size_t count, size_t rank) {
    size_t pairs = count * (count + 1) / 2, next = 0;
    double *means = ht_alloc(pairs, sizeof *means);
    for (size_t i = 0; i < count; ++i)
        for (size_t j = i; j < count; ++j)
            means[next++] = (values[i] + values[j]) / 2;
    qsort(means, pairs, sizeof *means, ascending);
    ht_interval interval = {sorted_median(means, pairs), means[rank - 1], means[pairs - rank]};
    free(means);
    return interval;
}

ht_interval ht_stats_paired_ratio(const double *numerators, const double *denominators,
                                  size_t count, double confidence) {
    double *logs = ht_alloc(count, sizeof *logs);
    for (size_t i = 0; i < count; ++i)
        logs[i] = log(numerators[i] / denominators[i]);
    size_t rank = ht_stats_signed_rank(count, confidence);
    ht_interval interval = rank > 0 ? signed_rank_interval(logs, count, rank)
                                    : student_interval(logs, count, confidence);
    free(logs);
    return (ht_interval){exp(interval.median), exp(interval.lo), exp(interval.hi)};
}

double ht_stats_entropy(const double *values, size_t count, double bin) {
    if (count == 0)
        return 0;
    double *sorted = sorted_copy(values, count), entropy = 0;
    for (size_t first = 0, next; first < count; first = next) {
        double number = floor(sorted[first] / bin);
        for (next = first; next < count && floor(sorted[next] / bin) == number;)
            ++next;
        double share = (double)(next - first) / (double)count;
        entropy -= share * log2(share);
    }
    free(sorted);
    return entropy;
}

bool ht_stats_is_level(const double *series, size_t count, double slope) {
    if (count < 2)
        return false;
    double middle = (double)(count - 1) / 2, mean = 0, product = 0, square = 0;
    for (size_t i = 0; i < count; ++i)
        mean += series[i] / (double)count;
    for (size_t i = 0; i < count; ++i) {
        double x = (double)i - middle;
        product += x * (series[i] - mean);
        square += x * x;
    }
    return fabs(product / square) <= slope;
}
