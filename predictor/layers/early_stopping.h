/* Early stopping: remembers the weights of the best validation loss and says when to give up. */
#ifndef HT_LAYERS_EARLY_STOPPING_H
#define HT_LAYERS_EARLY_STOPPING_H

#include "predictor/math/blas.h"

#include <stdint.h>

typedef struct ht_early_stopping {
    uint32_t patience; /* looks without a better loss before stopping; 0: never */
    uint32_t since;    /* looks since the best one */
    double best;
    size_t count;
    ht_real *weights; /* owned: of the best look; NULL before the first */
} ht_early_stopping;

void ht_early_stopping_start(ht_early_stopping *stopping, size_t count, uint32_t patience);
/* True when this look is the best so far (a loss that is not a number never is). */
bool ht_early_stopping_look(ht_early_stopping *stopping, double loss, const ht_real *weights);
bool ht_early_stopping_done(const ht_early_stopping *stopping);
void ht_early_stopping_free(ht_early_stopping *stopping);
#endif
