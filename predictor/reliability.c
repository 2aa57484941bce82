#include "predictor/reliability.h"

#include <math.h>

const double ht_reliability_edges[HT_RELIABILITY_BINS + 1] = {0,   0.05, 0.1, 0.15, 0.2,
                                                              0.3, 0.5,  0.7, 1};
enum { ENOUGH = 30 }; /* records */

static size_t bin_of(double probability) {
    size_t bin = 0;
    while (bin + 1 < HT_RELIABILITY_BINS && probability >= ht_reliability_edges[bin + 1])
        ++bin;
    return bin;
}

void ht_reliability_count(ht_reliability *reliability, double probability, bool right, bool among) {
    ht_reliability_bin *bin = &reliability->bins[bin_of(probability)];
    ++bin->records;
    bin->right += right;
    bin->among += among;
    bin->probabilities += probability;
}

static void bin_add(ht_reliability_bin *to, const ht_reliability_bin *from) {
    to->records += from->records;
    to->right += from->right;
    to->among += from->among;
    to->probabilities += from->probabilities;
}

void ht_reliability_add(ht_reliability *to, const ht_reliability *from) {
    for (size_t b = 0; b < HT_RELIABILITY_BINS; ++b)
        bin_add(&to->bins[b], &from->bins[b]);
}

size_t ht_reliability_records(const ht_reliability *reliability) {
    size_t records = 0;
    for (size_t b = 0; b < HT_RELIABILITY_BINS; ++b)
        records += reliability->bins[b].records;
    return records;
}

ht_share ht_share_of(double share, size_t count) {
    double n = (double)count, z = 1.96;
    if (count == 0)
        return (ht_share){0, 0, 1};
    double centre = (share + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    return (ht_share){share, fmax(0, centre - half), fmin(1, centre + half)};
}

ht_confidence ht_reliability_look(const ht_reliability *reliability, double probability) {
    size_t first = bin_of(probability), last = first;
    ht_reliability_bin all = reliability->bins[first];
    while (all.records < ENOUGH && (first > 0 || last + 1 < HT_RELIABILITY_BINS)) {
        if (first > 0)
            bin_add(&all, &reliability->bins[--first]);
        if (last + 1 < HT_RELIABILITY_BINS)
            bin_add(&all, &reliability->bins[++last]);
    }
    ht_confidence confidence = {.least = ht_reliability_edges[first],
                                .most = ht_reliability_edges[last + 1],
                                .records = all.records};
    if (all.records == 0)
        return confidence;
    confidence.right = ht_share_of((double)all.right / (double)all.records, all.records);
    confidence.among = ht_share_of((double)all.among / (double)all.records, all.records);
    return confidence;
}

double ht_reliability_error(const ht_reliability *reliability) {
    double sum = 0, records = (double)ht_reliability_records(reliability);
    for (size_t b = 0; b < HT_RELIABILITY_BINS; ++b)
        sum += fabs(reliability->bins[b].probabilities - (double)reliability->bins[b].right);
    return records > 0 ? sum / records : 0;
}
