/* Reliability: how often first proposals are right, by how sure the model was of them. Filled from
 * records that the model has not learnt from. */
#ifndef HT_PREDICTOR_RELIABILITY_H
#define HT_PREDICTOR_RELIABILITY_H

#include <stdbool.h>
#include <stddef.h>

enum { HT_RELIABILITY_BINS = 8 };
/* Bounds of the probability that the model gave its first proposal: bin i is [edges[i], edges[i +
 * 1]), the last one with its end. */
extern const double ht_reliability_edges[HT_RELIABILITY_BINS + 1];

typedef struct ht_reliability_bin {
    size_t records;
    size_t right;         /* the first proposal is the record's configuration */
    size_t among;         /* one of the first ten is */
    double probabilities; /* sum over the records */
} ht_reliability_bin;

typedef struct ht_reliability {
    ht_reliability_bin bins[HT_RELIABILITY_BINS];
} ht_reliability;

void ht_reliability_count(ht_reliability *reliability, double probability, bool right, bool among);
void ht_reliability_add(ht_reliability *to, const ht_reliability *from);
size_t ht_reliability_records(const ht_reliability *reliability);

/* A share of a number of things, with its 95 % interval (Wilson 1927). Of none: 0, from 0 to 1. */
typedef struct ht_share {
    double share, lo, hi;
} ht_share;

ht_share ht_share_of(double share, size_t count);

/* The records that were like this probability. */
typedef struct ht_confidence {
    double least, most;    /* bounds of the probability */
    size_t records;        /* 0: there are none at all */
    ht_share right, among; /* the first proposal was; one of the first ten was */
} ht_confidence;

/* Takes the bin of the probability, and its nearest neighbours until there are 30 records. */
ht_confidence ht_reliability_look(const ht_reliability *reliability, double probability);

/* The mean distance between probability and share right, over bins weighted by records; 0 for
 * none. */
double ht_reliability_error(const ht_reliability *reliability);

#endif
