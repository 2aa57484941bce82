/* Configurations as points that a model can learn from. A kernel's speed rarely depends on a
 * value's place in its list, but on its size (on a logarithmic scale), what it divides by, and the
 * products that the kernel's author put into the constraints (threads in a block, bytes of LDS).
 * So a configuration becomes
 *
 *   size          log2 of a value (of value + 1 where a list has 0; the value itself where it has
 *                 negative ones)
 *   divisibility  how often 2 divides a value, where that says more than its size does
 *   term          log2 of a subexpression of the constraints (ht_space_term)
 *   term divisibility
 *   choice        0 or 1 for each value without order, and for parameters with two values
 *
 * each moved and scaled to 0..1 over the space. Features that never change, and those that another
 * one determines already (a correlation above 0.995), are left out. */
#ifndef HT_SEARCH_FEATURES_H
#define HT_SEARCH_FEATURES_H

#include "templates/space/space.h"

enum { HT_FEATURES_MAX = 40 };

typedef enum ht_feature_kind {
    HT_FEATURE_SIZE,
    HT_FEATURE_DIVISIBILITY,
    HT_FEATURE_TERM,
    HT_FEATURE_TERM_DIVISIBILITY,
    HT_FEATURE_CHOICE,
    HT_FEATURE_KINDS
} ht_feature_kind;

/* The usual length scales of a Gaussian process over features, as means of the logarithm by kind:
 * sizes and terms matter more often than what divides them. An initialiser. */
#define HT_FEATURE_LENGTHS                                                                         \
    {[HT_FEATURE_SIZE] = 0.6,                                                                      \
     [HT_FEATURE_DIVISIBILITY] = 1.4,                                                              \
     [HT_FEATURE_TERM] = 0.6,                                                                      \
     [HT_FEATURE_TERM_DIVISIBILITY] = 1.2,                                                         \
     [HT_FEATURE_CHOICE] = 1.2}

typedef struct ht_features ht_features;

/* Ranges and correlations are taken over `sample`, which should cover the space; it is not kept.
 * The space must outlive the features. `kinds` has a bit for each kind to make: 1 << kind. */
ht_features *ht_features_create(const ht_space *space, const ht_config *sample, size_t count,
                                unsigned kinds);
void ht_features_free(ht_features *features);
size_t ht_features_count(const ht_features *features); /* at most HT_FEATURES_MAX; may be 0 */
ht_feature_kind ht_features_kind(const ht_features *features, size_t feature);
/* Writes ht_features_count values. */
void ht_features_of(const ht_features *features, const ht_config *config, double *out_values);

#endif
