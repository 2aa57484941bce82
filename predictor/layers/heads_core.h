/* The inner part of multi-head attention: one head of one row of a batch, from queries, keys and
 * values to contexts. All are slices of wider arrays: `step` apart from one place to the next. */
#ifndef HT_LAYERS_HEADS_CORE_H
#define HT_LAYERS_HEADS_CORE_H

#include "predictor/math/blas.h"

typedef struct ht_head {
    size_t width;         /* of this head */
    size_t places;        /* of the queries */
    size_t memory_places; /* of keys and values */
    size_t step;
    bool causal; /* place i sees places up to i */
    const ht_real *query, *key, *value;
    ht_real *context; /* forward: set */
    ht_real *shares;  /* [places][memory_places]: the attention weights */
    ht_real *columns; /* scratch, ht_head_columns reals */
    /* Backward: what comes in, and what is set. */
    const ht_real *grad_context;
    ht_real *grad_query, *grad_key, *grad_value;
    ht_real *grad_shares; /* [places][memory_places] */
} ht_head;

size_t ht_head_columns(size_t width, size_t memory_places);
void ht_head_forward(const ht_head *head);
void ht_head_backward(const ht_head *head);
/* One query against the first memory_places keys: `shares` is one row, `columns` is not used. */
void ht_head_step(const ht_head *head);

#endif
