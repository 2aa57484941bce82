/* Additive attention (Bahdanau et al. 2015): score_p = v . tanh(q Wq + m_p Wk + b), weights =
 * softmax over places p, context = sum of weight_p m_p. The keys m_p Wk + b are worked out once for
 * a sequence. */
#ifndef HT_LAYERS_ATTENTION_H
#define HT_LAYERS_ATTENTION_H

#include "predictor/layers/dense.h"

typedef struct ht_attention {
    uint32_t query;  /* width of a query */
    uint32_t memory; /* width of a place */
    uint32_t width;  /* of the space where they meet */
} ht_attention;

/* Weights: Wq [query][width], Wk [memory][width], b [width], v [width]. */
size_t ht_attention_weights(const ht_attention *layer);
void ht_attention_init(const ht_attention *layer, ht_real *weights, ht_random *random);

/* The memory that is attended to. memory_rows is the batch, or 1: one sequence that serves all rows
 * of queries (decoding). */
typedef struct ht_attention_memory {
    size_t places, rows;
    const ht_real *memory; /* [places][rows][memory] */
    ht_real *keys;         /* [places][rows][width]: set by ht_attention_keys */
} ht_attention_memory;
void ht_attention_keys(const ht_attention *layer, const ht_real *weights,
                       const ht_attention_memory *memory);
/* `rows` queries; memory->rows is `rows` or 1. context [rows][memory] (distance of rows: stride).
 * cache: ht_attention_cache reals for this step; its first [rows][places] are the attention
 * weights. */
size_t ht_attention_cache(const ht_attention *layer, size_t rows, size_t places);
void ht_attention_forward(const ht_attention *layer, const ht_real *weights,
                          const ht_attention_memory *memory, size_t rows, const ht_real *query,
                          ht_real *context, size_t stride, ht_real *cache);
/* memory->rows must be `rows`. grad_memory [places][rows][memory] gets the context's share,
 * grad_keys [places][rows][width] the scores' (to be passed to ht_attention_keys_backward once,
 * after all steps). */
void ht_attention_backward(const ht_attention *layer, const ht_real *weights,
                           const ht_attention_memory *memory, size_t rows, const ht_real *query,
                           const ht_real *grad_context, size_t stride, ht_real *cache,
                           ht_real *grad_query, ht_real *grad_memory, ht_real *grad_keys,
                           ht_real *grad_weights);
void ht_attention_keys_backward(const ht_attention *layer, const ht_real *weights,
                                const ht_attention_memory *memory, const ht_real *grad_keys,
                                ht_real *grad_memory, ht_real *grad_weights);
#endif
