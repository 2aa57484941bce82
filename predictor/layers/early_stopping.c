#include "predictor/layers/early_stopping.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ht_early_stopping_start(ht_early_stopping *stopping, size_t count, uint32_t patience) {
    *stopping = (ht_early_stopping){.patience = patience, .best = INFINITY, .count = count};
}

bool ht_early_stopping_look(ht_early_stopping *stopping, double loss, const ht_real *weights) {
    if (!(loss < stopping->best)) {
        ++stopping->since;
        return false;
    }
    if (!stopping->weights)
        stopping->weights = ht_alloc(stopping->count, sizeof *stopping->weights);
    memcpy(stopping->weights, weights, stopping->count * sizeof *weights);
    stopping->best = loss;
    stopping->since = 0;
    return true;
}

bool ht_early_stopping_done(const ht_early_stopping *stopping) {
    return stopping->patience && stopping->since >= stopping->patience;
}

void ht_early_stopping_free(ht_early_stopping *stopping) {
    free(stopping->weights);
    *stopping = (ht_early_stopping){0};
}
