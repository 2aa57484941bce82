/* Forests of decision trees over plain arrays: a predictor's second voice (chain.h), and what it is
 * compared with.
 *
 * Random forests (Breiman 2001): the best threshold of some features, each tree on a bootstrap
 * sample. Extra trees (Geurts, Ernst, Wehenkel 2006): one random threshold for each of some
 * features, all rows. Both with several outputs at once: a split's gain is the mean over the
 * outputs of the decrease of the Gini impurity, as scikit-learn does it. Seeded; the result does
 * not depend on the threads. */
#ifndef HT_PREDICTOR_FORESTS_TREES_H
#define HT_PREDICTOR_FORESTS_TREES_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_tree_data {
    const float *const *columns; /* [features][rows] */
    size_t features;
    /* [rows][stored]: a class for each output; all outputs share one numbering. The first `outputs`
     * drive the splits, the others are only recorded at the leaves. */
    const uint16_t *labels;
    size_t outputs, stored;
    size_t classes;
} ht_tree_data;

typedef struct ht_forest_settings {
    size_t trees;
    bool random_thresholds; /* extra trees */
    bool bootstrap;
    double tried;    /* share of the features that a split looks at; 0: the square root of all */
    size_t min_leaf; /* rows */
    /* Extra trees' thresholds have 8 significant bits (bfloat16), so that they pack well. */
    bool short_thresholds;
    uint64_t seed;
} ht_forest_settings;

typedef struct ht_forest ht_forest;

/* Grows on these rows, with OpenMP over the trees. The data is not needed afterwards. */
ht_forest *ht_forest_grow(const ht_tree_data *data, const uint32_t *rows, size_t count,
                          const ht_forest_settings *settings);
void ht_forest_free(ht_forest *forest);
/* For one row of features: the share of each class at the leaf it falls into, mean over the trees.
 * Writes all [classes]. */
void ht_forest_ask(const ht_forest *forest, const float *features, double *out_shares);

/* As bytes: numbers as LEB128, short thresholds as their upper 16 bits. Of each tree its nodes, a
 * node before its children and the left child before the right: 1 + feature and the threshold; or
 * 0, the number of classes at the leaf, and of each the class and how many rows. Only for forests
 * with short thresholds. */
void ht_forest_pack(const ht_forest *forest, ht_text *out);
/* Reads as many trees as are given; moves *at past them. False when that is not a forest over
 * these features and classes: nothing is kept then. */
bool ht_forest_unpack(const uint8_t **at, const uint8_t *end, size_t trees, size_t features,
                      size_t classes, ht_forest **out_forest);
/* Numbers, the same way. */
void ht_number_pack(ht_text *out, uint64_t number);
bool ht_number_unpack(const uint8_t **at, const uint8_t *end, uint64_t most, uint64_t *out_number);

#endif
