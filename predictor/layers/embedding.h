/* The vector of a place is the sum of the rows of a table for its identifiers (0: none). With one
 * identifier that is a one-hot vector times a matrix; with several, a multi-hot one. */
#ifndef HT_LAYERS_EMBEDDING_H
#define HT_LAYERS_EMBEDDING_H

#include "predictor/layers/dense.h"

typedef struct ht_embedding {
    uint32_t vocabulary, width;
    uint32_t ids; /* of a place */
} ht_embedding;

/* Weights: [vocabulary][width]. Row 0 is never read. */
size_t ht_embedding_weights(const ht_embedding *layer);
void ht_embedding_init(const ht_embedding *layer, ht_real *weights, ht_random *random);
/* ids [rows][ids], each below `vocabulary`; y [rows][width] is set. */
void ht_embedding_forward(const ht_embedding *layer, const ht_real *weights, size_t rows,
                          const uint32_t *ids, ht_real *y);
void ht_embedding_backward(const ht_embedding *layer, size_t rows, const uint32_t *ids,
                           const ht_real *grad_y, ht_real *grad_weights);
#endif
