/* Forests of decision trees over plain arrays: what the predictor is compared with.
 *
 * Random forests (Breiman 2001): the best threshold of some features, each tree on a bootstrap
 * sample. Extra trees (Geurts, Ernst, Wehenkel 2006): one random threshold for each of some
 * features, all rows. Both with several outputs at once: a split's gain is the mean over the
 * outputs of the decrease of the Gini impurity, as scikit-learn does it. Seeded; the result does
 * not depend on the threads. */
#ifndef HT_BENCHMARKS_PREDICTOR_TREES_H
#define HT_BENCHMARKS_PREDICTOR_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_tree_data {
    const float *const *columns; /* [features][rows] */
    size_t features;
    /* [rows][stored]: a class for each output; all outputs share one numbering. The first `outputs`
     * drive the splits, the others are only told at the leaves. */
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

#endif
