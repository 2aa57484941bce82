/* Boosted trees from the inside, for boost.c and boost_packing.c. */
#ifndef HT_PREDICTOR_TIMES_BOOST_INTERNAL_H
#define HT_PREDICTOR_TIMES_BOOST_INTERNAL_H

#include "predictor/times/boost.h"

typedef struct ht_boost_question {
    uint16_t column;
    uint8_t bin; /* a row of a higher bin sets this level's bit of its leaf */
} ht_boost_question;

typedef struct ht_boost_tree {
    ht_boost_question questions[HT_BOOST_DEPTH_MOST];
    size_t depth;
    float leaves[HT_BOOST_LEAVES]; /* [1 << depth] */
} ht_boost_tree;

struct ht_boost {
    ht_boost_tree *trees; /* owned */
    size_t count;
};

#endif
