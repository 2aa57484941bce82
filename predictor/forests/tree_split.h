/* Where to cut a set of rows in two. */
#ifndef HT_PREDICTOR_FORESTS_TREE_SPLIT_H
#define HT_PREDICTOR_FORESTS_TREE_SPLIT_H

#include "predictor/forests/trees.h"

#include "base/random.h"

/* The memory of a tree while it grows. Counts are zero between calls. */
typedef struct ht_tree_work {
    const ht_tree_data *data;
    const ht_forest_settings *settings;
    ht_random random;
    uint64_t *keys, *spare; /* [rows] */
    uint32_t *total, *left; /* [classes] */
    uint32_t *order;        /* [features], a permutation */
} ht_tree_work;

typedef struct ht_split {
    uint32_t feature;
    float threshold; /* rows up to this go left */
    double score;    /* higher is better; below 0: none */
} ht_split;

/* score < 0 when all rows are equal in all features, of one class, or too few. */
ht_split ht_split_find(ht_tree_work *work, const uint32_t *rows, size_t count);

#endif
