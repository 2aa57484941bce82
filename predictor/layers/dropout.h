/* Dropout (Srivastava et al. 2014), inverted: the elements that stay are scaled up. A hash of a key
 * and the element's index decides which are dropped, so backward needs no cache and the result does
 * not depend on threads. */
#ifndef HT_LAYERS_DROPOUT_H
#define HT_LAYERS_DROPOUT_H

#include "predictor/math/blas.h"

#include <stdint.h>

typedef struct ht_dropout {
    float rate; /* 0: everything stays */
    uint64_t key;
} ht_dropout;

/* The key of one use: `place` distinguishes the uses within one network. */
uint64_t ht_dropout_key(uint64_t seed, uint64_t step, uint64_t shard, uint64_t place);
/* y = x dropped; y may be x. The gradient goes the same way: ht_dropout_apply on it in place,
 * before it is used. */
void ht_dropout_apply(const ht_dropout *dropout, size_t count, const ht_real *x, ht_real *y);
#endif
