/* How likely a configuration compiles and runs, learned from those that did and did not: logistic
 * regression with a ridge over the features and their squares. A configuration is mostly forbidden
 * by a product that exceeds a limit (LDS, registers, threads), which is a plane in logarithms of
 * sizes. */
#ifndef HT_SEARCH_FEASIBILITY_H
#define HT_SEARCH_FEASIBILITY_H

#include "search/features.h"

typedef struct ht_feasibility {
    size_t features;
    double weights[1 + 2 * HT_FEATURES_MAX]; /* constant, features, squares */
} ht_feasibility;

void ht_feasibility_begin(ht_feasibility *model, size_t features);
/* Learns anew from all of `x` (count * features) and whether each succeeded; begins at the weights
 * of the last time. */
void ht_feasibility_fit(ht_feasibility *model, const double *x, const bool *succeeded,
                        size_t count);
/* For each of `count` points: its probability to succeed. */
void ht_feasibility_of(const ht_feasibility *model, const float *x, size_t count,
                       float *out_chances);

#endif
