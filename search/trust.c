#include "search/trust.h"

#include <math.h>
#include <string.h>

enum { OUTCOMES_LEAST = 3 };

/* Before any outcome: that the sources say something about this device, and, in standard
 * deviations, how much one that stands for all of them does. */
static const double LIKELY = 0.5, USUAL_WEIGHT = 0.5;
/* Added to the variance of a source over the outcomes, so that one that says the same of all can be
 * divided by. */
static const double RIDGE = 1e-6;

/* Sums of squares and products around the means. */
typedef struct moments {
    double values[HT_EARLIER_MAX][HT_EARLIER_MAX];
    double products[HT_EARLIER_MAX]; /* of values and outcomes */
    double outcomes;
    size_t count, sources;
} moments;

void ht_trust_begin(size_t sources, ht_trust *out_trust) {
    *out_trust = (ht_trust){.any = sources ? LIKELY : 0, .rest = 1};
    for (size_t s = 0; s < sources; ++s)
        out_trust->weight[s] = USUAL_WEIGHT / (double)sources;
}

static moments moments_of(const double *values, const double *y, size_t count, size_t sources) {
    moments sums = {.count = count, .sources = sources};
    double mean[HT_EARLIER_MAX] = {0}, mean_y = 0;
    for (size_t i = 0; i < count; ++i) {
        mean_y += y[i] / (double)count;
        for (size_t s = 0; s < sources; ++s)
            mean[s] += values[i * sources + s] / (double)count;
    }
    for (size_t i = 0; i < count; ++i) {
        double apart = y[i] - mean_y;
        sums.outcomes += apart * apart;
        for (size_t s = 0; s < sources; ++s) {
            double value = values[i * sources + s] - mean[s];
            sums.products[s] += value * apart;
            for (size_t t = 0; t <= s; ++t)
                sums.values[s][t] += value * (values[i * sources + t] - mean[t]);
        }
    }
    for (size_t s = 0; s < sources; ++s)
        sums.values[s][s] += RIDGE * (double)count;
    return sums;
}

/* Solves the regression on the sources `member`; false: they are not independent. */
static bool regress(const moments *sums, const size_t *member, size_t size, double *weights) {
    double factor[HT_EARLIER_MAX][HT_EARLIER_MAX];
    for (size_t i = 0; i < size; ++i) {
        double rest = sums->products[member[i]];
        for (size_t j = 0; j <= i; ++j) {
            double sum = sums->values[member[i]][member[j]];
            for (size_t k = 0; k < j; ++k)
                sum -= factor[i][k] * factor[j][k];
            if (i == j && sum <= 0)
                return false;
            factor[i][j] = i == j ? sqrt(sum) : sum / factor[j][j];
        }
        for (size_t k = 0; k < i; ++k)
            rest -= factor[i][k] * weights[k];
        weights[i] = rest / factor[i][i];
    }
    for (size_t i = size; i-- > 0;) {
        for (size_t k = i + 1; k < size; ++k)
            weights[i] -= factor[k][i] * weights[k];
        weights[i] /= factor[i][i];
    }
    return true;
}

static double choose(size_t n, size_t k) {
    double ways = 1;
    for (size_t i = 0; i < k; ++i)
        ways = ways * (double)(n - i) / (double)(i + 1);
    return ways;
}

/* Adds one model's weights times its odds against that of no source; returns the odds. */
static double model_add(const moments *sums, unsigned subset, double *weights_sum) {
    size_t member[HT_EARLIER_MAX], size = 0;
    double weights[HT_EARLIER_MAX], explained = 0, n = (double)sums->count;
    for (size_t s = 0; s < sums->sources; ++s)
        if (subset >> s & 1U)
            member[size++] = s;
    if (size + 2 > sums->count || !regress(sums, member, size, weights))
        return 0;
    for (size_t i = 0; i < size; ++i) {
        if (weights[i] <= 0)
            return 0;
        explained += weights[i] * sums->products[member[i]];
    }
    double share = fmin(fmax(explained / sums->outcomes, 0), 0.999), g = n * n;
    double evidence = (n - 1 - (double)size) / 2 * log1p(g) - (n - 1) / 2 * log1p(g * (1 - share));
    double odds = exp(evidence) * LIKELY / (1 - LIKELY) /
                  ((double)sums->sources * choose(sums->sources, size));
    for (size_t i = 0; i < size; ++i)
        weights_sum[member[i]] += odds * weights[i] * g / (1 + g);
    return odds;
}

/* Returns the share of the variance that the weights do not explain. */
static double rest_of(const moments *sums, const double *weight) {
    double rest = sums->outcomes;
    for (size_t s = 0; s < sums->sources; ++s) {
        rest -= 2 * weight[s] * sums->products[s];
        for (size_t t = 0; t < sums->sources; ++t)
            rest += weight[s] * weight[t] * (t <= s ? sums->values[s][t] : sums->values[t][s]);
    }
    return fmin(fmax(rest / sums->outcomes, 0), 1);
}

void ht_trust_learn(const double *values, const double *y, size_t count, size_t sources,
                    ht_trust *out_trust) {
    ht_trust_begin(sources, out_trust);
    moments sums = moments_of(values, y, count, sources);
    if (count < OUTCOMES_LEAST || sources == 0 || !(sums.outcomes > 0))
        return;
    double all = 1, weights[HT_EARLIER_MAX] = {0};
    for (unsigned subset = 1; subset < 1U << sources; ++subset)
        all += model_add(&sums, subset, weights);
    for (size_t s = 0; s < sources; ++s)
        out_trust->weight[s] = weights[s] / all;
    out_trust->any = 1 - 1 / all;
    out_trust->rest = rest_of(&sums, out_trust->weight);
}

bool ht_trust_doubts(const ht_trust *trust) {
    return trust->any < LIKELY;
}
