/* Adam (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter 2019), clipping by
 * the gradient's global norm (Pascanu et al. 2013) and an exponential moving average of the
 * weights. The result does not depend on the thread count. */
#ifndef HT_LAYERS_ADAM_H
#define HT_LAYERS_ADAM_H

#include "predictor/math/blas.h"

#include <stdint.h>

typedef struct ht_adam ht_adam;

typedef struct ht_adam_settings {
    float beta1, beta2, epsilon;
    float weight_decay; /* per step: weight *= 1 - rate * weight_decay */
    float clip;         /* largest norm of the gradient; 0: none */
    float averaging;    /* of the moving average (0.999, say), lower in the first steps; 0: none */
    uint32_t threads;
} ht_adam_settings;

/* beta1 0.9, beta2 0.999, epsilon 1e-8, the rest 0, one thread. */
ht_adam_settings ht_adam_defaults(void);
ht_adam *ht_adam_new(size_t count, const ht_adam_settings *settings);
void ht_adam_free(ht_adam *adam);
/* One step; `gradients` ([count]) is the sum of parts[0..part_count-1] in that order, times
 * `scale`. Returns the gradient's norm before clipping. A gradient that is not finite changes
 * nothing. */
double ht_adam_step(ht_adam *adam, double rate, const ht_real *const *parts, size_t part_count,
                    ht_real scale, ht_real *weights);
/* The averaged weights [count]; NULL without averaging or before the first step. */
const ht_real *ht_adam_average(const ht_adam *adam);
#endif
