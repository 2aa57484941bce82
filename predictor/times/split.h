/* The question that a level of a tree asks of all its nodes: a column, and a bin up to which rows
 * go left. */
#ifndef HT_PREDICTOR_TIMES_SPLIT_H
#define HT_PREDICTOR_TIMES_SPLIT_H

#include <stddef.h>
#include <stdint.h>

enum { HT_BOOST_DEPTH_MOST = 6, HT_BOOST_LEAVES = 1 << HT_BOOST_DEPTH_MOST };

/* The rows of a level. */
typedef struct ht_level {
    const uint32_t *rows; /* [count]: of the columns */
    const uint8_t *nodes; /* [count]: where each is, below `node_count` */
    const float *rests;   /* [count]: of the target, what is left to explain */
    const float *weights; /* [count] */
    size_t count, node_count;
    double penalty; /* added to the weight of each side */
} ht_level;

typedef struct ht_boost_split {
    uint32_t column;
    uint8_t bin; /* rows of bins up to it go left */
    double gain; /* decrease of the squared loss, as the sums of both sides squared over their
                    weights, less that of the nodes; 0: there is none */
} ht_boost_split;

/* Keeps `best` unless this column, of `bins` bins, has a better question: one with more gain. */
void ht_boost_split_improve(const ht_level *level, uint32_t column, const uint8_t *values,
                            size_t bins, ht_boost_split *best);

#endif
