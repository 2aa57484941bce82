/* A forest from the inside, for trees.c and tree_packing.c. */
#ifndef HT_PREDICTOR_FORESTS_TREES_INTERNAL_H
#define HT_PREDICTOR_FORESTS_TREES_INTERNAL_H

#include "predictor/forests/trees.h"

typedef struct ht_tree_node {
    int32_t feature; /* below 0: a leaf with this many shares, negative */
    uint32_t at;     /* the left child, the right one after it; a leaf: its first share */
    float threshold;
} ht_tree_node;

typedef struct ht_tree_share {
    uint32_t class, count; /* `count` of the leaf's rows have the class */
    float share;           /* of the leaf's rows */
} ht_tree_share;

typedef struct ht_tree {
    ht_tree_node *nodes; /* owned */
    ht_tree_share *shares;
    size_t node_count, share_count;
} ht_tree;

struct ht_forest {
    ht_tree *trees;
    size_t tree_count, classes;
};

#endif
